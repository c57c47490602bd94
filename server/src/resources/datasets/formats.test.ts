import { describe, expect, it } from "vitest";
import {
  formatOfFileName,
  formatOfMediaType,
  KNOWN_MEDIA_TYPES,
  unreadName,
  unreadType,
} from "./formats.ts";

describe("the format of a file", () => {
  it.each([
    ["orders.csv", "csv"],
    ["ORDERS.CSV.GZ", "csv"],
    ["a.b.tsv", "csv"],
    ["notes.txt", "csv"],
    ["x.parquet", "parquet"],
    ["x.feather", "arrow"],
    ["x.arrows", "arrow"],
    ["rows.jsonl.gz", "ndjson"],
    ["orders.csv.zst", "csv"],
    ["rows.json", null],
    ["x.csv.zip", null],
    ["csv", null],
    ["archive.gz", null],
    ["constructor", null],
    ["x.constructor", null],
  ])("of the name %s is %s", (name, format) => {
    expect(formatOfFileName(name)).toBe(format);
  });

  it.each([
    ["text/csv", "csv"],
    ["Text/CSV", "csv"],
    ["application/vnd.apache.arrow.file", "arrow"],
    ["application/json", null],
    ["constructor", null],
    ["", null],
  ])("of the media type %s is %s", (type, format) => {
    expect(formatOfMediaType(type)).toBe(format);
  });

  it("is known of each media type that is named to people", () => {
    expect(KNOWN_MEDIA_TYPES.length).toBeGreaterThan(5);
    for (const type of KNOWN_MEDIA_TYPES) expect(formatOfMediaType(type)).not.toBeNull();
  });

  it.each([
    ["book.xlsx", "Save its sheet as CSV."],
    ["rows.JSON", "Write it as newline-delimited JSON"],
    ["rows.tar.gz", "Unpack it"],
    ["rows.csv.xz", "Compress it by gzip"],
    ["rows", "Files of rows are named .csv, .tsv"],
  ])("is none of %s, and it is said what would be right", (name, advice) => {
    expect(unreadName(name, "application/octet-stream")).toContain(advice);
  });

  it.each([
    ["", /^No Content-Type was sent; send one of text\/csv, /],
    ["image/png", /^image\/png is not a dataset's media type; send one of text\/csv, /],
    [
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      / is not a dataset's media type\. Save its sheet as CSV\. Send one of text\/csv, /,
    ],
    ["Application/vnd.MS-Excel", /Save its sheet as CSV/],
  ])("is none of the type %j, and it is said what would be right", (type, said) => {
    expect(unreadType(type)).toMatch(said);
  });
});
