import { describe, expect, it } from "vitest";
import { parseReadOptions } from "./format-options.ts";

const csv = (options: Record<string, string>, type = "csv") => {
  const parsed = parseReadOptions("shop.t", type, options);
  if (!("csv" in parsed)) throw new Error("these are options of csv");
  return parsed.csv;
};

describe("format options", () => {
  it("have DataFusion's defaults, but for what each file tells", () => {
    expect(csv({})).toMatchObject({
      hasHeader: true,
      delimiter: null,
      quote: '"',
      escape: '"',
      comment: null,
      nulls: [""],
      compression: null,
    });
    expect(csv({}, "TSV").delimiter).toBe("\t");
  });

  it("have names with and without their prefix, in any case", () => {
    expect(csv({ "format.has_header": "false", DELIMITER: "\\t" })).toMatchObject({
      hasHeader: false,
      delimiter: "\t",
    });
    expect(csv({ "format.delimiter": ";", delimiter: ";" }).delimiter).toBe(";");
  });

  it.each([
    ["NULL", ["", "NULL"]],
    ["^$", [""]],
    ["^(NA|N\\/A|)$", ["", "NA", "N/A"]],
    ["(?:-|\\?)", ["", "-", "?"]],
    ["^NA$|^-$", ["", "NA", "-"]],
  ])("read the texts of null_regex %s", (regex, nulls) => {
    expect(csv({ null_regex: regex }).nulls).toEqual(nulls);
  });

  it("read several null values", () => {
    expect(csv({ null_values: "NA,-" }).nulls).toEqual(["", "NA", "-"]);
    expect(csv({ null_value: "a,b" }).nulls).toEqual(["", "a,b"]);
  });

  it("know what changes nothing here", () => {
    expect(
      parseReadOptions("t", "parquet", { pruning: "true", "format.binary_as_string": "true" }),
    ).toEqual({ format: "parquet", binaryAsString: true });
    expect(parseReadOptions("t", "arrow", {})).toEqual({ format: "arrow" });
    expect(parseReadOptions("t", "json", { newline_delimited: "false" })).toMatchObject({
      json: { layout: "array" },
    });
  });

  it.each([
    [
      "avro",
      {},
      'file type "avro" is not known; the known ones are parquet, csv, tsv, json, ndjson, arrow',
    ],
    [
      "csv",
      { delimeter: ";" },
      "csv option delimeter is not known; known are comment, compression,",
    ],
    [
      "csv",
      { encoding: "ebcdic" },
      'csv option encoding is not known: "ebcdic" is no encoding that is known. Known are',
    ],
    ["arrow", { any: "1" }, "arrow option any is not known; there are none"],
    ["csv", { has_header: "yes" }, 'option has_header must be true or false, not "yes"'],
    ["csv", { delimiter: "||" }, "option delimiter must be one ASCII character"],
    ["csv", { delimiter: "\n" }, "option delimiter must be one ASCII character"],
    ["csv", { delimiter: '"' }, "option quote is the same character as the delimiter"],
    ["csv", { delimiter: ";", "format.delimiter": "," }, 'delimiter is given as ";" and as ","'],
    ["csv", { comment: '"' }, "option comment is the same character as the quote"],
    ["csv", { double_quote: "false" }, "option double_quote is false, so that escape must be"],
    ["csv", { double_quote: "true", escape: "\\" }, "option escape contradicts double_quote"],
    ["csv", { null_value: "-", null_regex: "x" }, "option null_regex contradicts null_value"],
    ["csv", { null_regex: "^N.*$" }, "option null_regex must be plain texts"],
    ["csv", { terminator: ";" }, "option terminator must be \\n, \\r or \\r\\n"],
    ["csv", { compression: "bzip2" }, 'must be gzip, zstd or uncompressed, not "bzip2"'],
    [
      "csv",
      { compression: "constructor" },
      'must be gzip, zstd or uncompressed, not "constructor"',
    ],
    ["csv", { schema_infer_max_rec: "0" }, "option schema_infer_max_rec must be a whole number"],
    [
      "csv",
      { timestamp_format: "%Y", datetime_format: "%y" },
      "option timestamp_format contradicts",
    ],
    ["tsv", { delimiter: "," }, "tsv option delimiter contradicts the file type"],
    ["ndjson", { newline_delimited: "false" }, "contradicts the file type ndjson"],
  ])("of %s refuse %j", (type, options, message) => {
    expect(() => parseReadOptions("shop.t", type, options)).toThrow(/^shop\.t: the /);
    expect(() => parseReadOptions("shop.t", type, options)).toThrow(message);
  });
});
