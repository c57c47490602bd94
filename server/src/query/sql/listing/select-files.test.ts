import { describe, expect, it } from "vitest";
import type { DiscoveredFile } from "./discovery.ts";
import { inferFormat, leftOut, selectFiles } from "./select-files.ts";

const file = (key: string, isNamed = false): DiscoveredFile => ({
  object: { key, bytes: 1, modifiedAt: new Date(0), version: "1" },
  folders: [],
  isNamed,
});
const files = (...keys: string[]) => keys.map((key) => file(key));

describe("the format of files", () => {
  it.each([
    ["a.csv", "csv"],
    ["a.CSV.gz", "csv"],
    ["a.tsv", "tsv"],
    ["a.json.zst", "json"],
    ["a.ndjson", "json"],
    ["a.parquet", "parquet"],
    ["a.feather", "arrow"],
    ["a.arrow", "arrow"],
  ])("is told by %s", (key, format) => {
    expect(inferFormat("t", files("readme", key))).toBe(format);
  });

  it("is not told by other names", () => {
    expect(inferFormat("t", [])).toBeNull();
    expect(() => inferFormat("t", files("dir/part-0", "b.parquet.gz"))).toThrow(
      /^t: the name dir\/part-0 does not tell the format; .* fileType, which is one of parquet, csv,/,
    );
  });
});

describe("files that are left out", () => {
  it("are told where their names are those of another format", () => {
    const all = files("a.csv", "b.parquet", "c.tsv", "readme.md", "_SUCCESS");
    expect(leftOut(all, all.slice(0, 1), "csv")).toMatch(
      /only its csv files are read, and 2 files of another format \(first b\.parquet\) not/,
    );
    expect(leftOut(all, all.slice(0, 3), "csv")).toBeNull();
  });
});

describe("files of a format", () => {
  const selected = (format: "csv" | "json", keys: readonly DiscoveredFile[]) =>
    selectFiles("t", keys, format, "", null).map(({ object }) => object.key);

  it("have its suffixes, or none at all", () => {
    expect(selected("csv", files("a.csv", "b.csv.gz", "c.json", "readme.md", "d"))).toEqual([
      "a.csv",
      "b.csv.gz",
    ]);
    expect(selected("csv", files("part-0", "part-1.txt", "c.json"))).toEqual([
      "part-0",
      "part-1.txt",
    ]);
    expect(selected("csv", [file("any.data", true), file("other.data")])).toEqual(["any.data"]);
    expect(selected("json", files("a.json", "b.ndjson", "c.jsonl.zst"))).toHaveLength(3);
  });

  it.each([
    ["csv", ".json", "a.json", null, "t: a.json is named as json, and the table's files are csv"],
    ["parquet", ".gz", "a.parquet.gz", null, "parquet files are not compressed as a whole"],
    [
      "csv",
      ".zst",
      "a.csv.zst",
      "gzip",
      "a.csv.zst is named as zstd, and the option compression is gzip",
    ],
    [
      "csv",
      ".gz",
      "a.csv.gz",
      "none",
      "is named as gzip, and the option compression is uncompressed",
    ],
  ] as const)("%s are not named otherwise: %s", (format, suffix, key, compression, message) => {
    expect(() => selectFiles("t", files(key), format, suffix, compression)).toThrow(message);
  });

  it("may be compressed without saying so", () => {
    expect(selectFiles("t", files("a.csv"), "csv", ".csv", "gzip")).toHaveLength(1);
  });
});
