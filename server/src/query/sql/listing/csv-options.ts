/** How delimited text is read: DataFusion's CsvOptions, and its defaults but for what files tell. */

import { DataError, encodingNamed, MISSING_TOKENS } from "@distillery/engine/csv";
import type { Compression } from "./file-format.ts";
import type { OptionReader } from "./option-reader.ts";

export interface CsvOptions {
  /** Whether the first line names the columns; else they are `column_1`, … */
  readonly hasHeader: boolean;
  /** Null = found out of each file. */
  readonly delimiter: string | null;
  /** Empty = no quoting. */
  readonly quote: string;
  readonly escape: string;
  /** Lines that begin with it are passed over; empty = none; null = found out of each file. */
  readonly comment: string | null;
  /** By the Encoding Standard's name; null = found out of each file. */
  readonly encoding: string | null;
  /** Null = found in the file. */
  readonly newLine: "\\n" | "\\r" | "\\r\\n" | null;
  /** Unquoted texts that are NULL; the empty one is always among them. */
  readonly nulls: readonly string[];
  /**
   * Texts that are NULL besides, in columns whose inferred type is no text; none where `nulls` were
   * given.
   */
  readonly missing: readonly string[];
  /** Missing fields at a line's end are NULL, instead of an error. */
  readonly truncatedRows: boolean;
  /** Null = by each file's suffix. */
  readonly compression: Compression | null;
  /** Rows of a file that its columns' types are inferred from. */
  readonly inferRows: number;
  /** In strptime's notation; null = ISO 8601. */
  readonly dateFormat: string | null;
  readonly timestampFormat: string | null;
}

/** With what was found out of a file. */
export type FoundCsv = CsvOptions & {
  readonly delimiter: string;
  readonly comment: string;
  /** Whether the first line declares the delimiter (`sep=;`), and is passed over. */
  readonly isDeclared: boolean;
};

const DEFAULT_INFER_ROWS = 20_480;
const NEW_LINES: Readonly<Record<string, NonNullable<CsvOptions["newLine"]>>> = {
  "\n": "\\n",
  "\\n": "\\n",
  "\r": "\\r",
  "\\r": "\\r",
  "\r\n": "\\r\\n",
  "\\r\\n": "\\r\\n",
};
const WITHOUT_EFFECT = ["compression_level", "newlines_in_values", "quote_style", "time_format"];

/** @throws ScanError */
export function parseCsvOptions(reader: OptionReader, format: "csv" | "tsv"): CsvOptions {
  reader.ignore(WITHOUT_EFFECT);
  const usual = format === "csv" ? null : "\t";
  const delimiter = reader.character("delimiter") ?? usual;
  if (format === "tsv" && delimiter !== "\t") {
    reader.fail("delimiter", "contradicts the file type tsv; use csv for other delimiters");
  }
  const quote = reader.text("quote") === "" ? "" : (reader.character("quote") ?? '"');
  const comment = reader.text("comment") === "" ? "" : reader.character("comment");
  for (const [name, value] of [
    ["quote", quote],
    ["comment", comment],
  ] as const) {
    if (value !== null && value === delimiter)
      reader.fail(name, "is the same character as the delimiter");
  }
  if (comment !== null && comment !== "" && comment === quote)
    reader.fail("comment", "is the same character as the quote");
  const nulls = readNulls(reader);
  return {
    hasHeader: reader.boolean("has_header") ?? true,
    delimiter,
    quote,
    escape: readEscape(reader, quote, delimiter),
    comment,
    encoding: readEncoding(reader),
    newLine: readTerminator(reader),
    nulls,
    missing: nulls.length > 1 ? [] : MISSING_TOKENS.filter((token) => token !== ""),
    truncatedRows: reader.boolean("truncated_rows") ?? false,
    compression: reader.compression(),
    inferRows: reader.positiveInteger("schema_infer_max_rec") ?? DEFAULT_INFER_ROWS,
    dateFormat: reader.text("date_format"),
    timestampFormat: readTimestampFormat(reader),
  };
}

function readEscape(reader: OptionReader, quote: string, delimiter: string | null): string {
  const given = reader.character("escape");
  const doubled = reader.boolean("double_quote");
  if (given !== null && given === delimiter)
    reader.fail("escape", "is the same character as the delimiter");
  if (given !== null && given !== quote && doubled === true) {
    reader.fail("escape", "contradicts double_quote, which says that quotes escape themselves");
  }
  if (doubled === false && (given === null || given === quote)) {
    reader.fail("double_quote", "is false, so that escape must be another character than quote");
  }
  return given ?? quote;
}

function readEncoding(reader: OptionReader): string | null {
  const value = reader.text("encoding");
  if (value === null) return null;
  try {
    return encodingNamed(value);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return reader.fail("encoding", `is not known: ${error.message}`);
  }
}

function readTerminator(reader: OptionReader): CsvOptions["newLine"] {
  const value = reader.text("terminator");
  if (value === null) return null;
  const newLine = NEW_LINES[value];
  if (newLine === undefined) reader.fail("terminator", "must be \\n, \\r or \\r\\n");
  return newLine ?? null;
}

function readTimestampFormat(reader: OptionReader): string | null {
  const names = ["timestamp_format", "datetime_format", "timestamp_tz_format"];
  const given = names.flatMap((name) => reader.text(name) ?? []);
  if (new Set(given).size > 1) {
    reader.fail("timestamp_format", `contradicts ${names.slice(1).join(" or ")}; one is used`);
  }
  return given[0] ?? null;
}

function readNulls(reader: OptionReader): string[] {
  const value = reader.text("null_value");
  const list = reader.text("null_values");
  const regex = reader.text("null_regex");
  if ([value, list, regex].filter((given) => given !== null).length > 1) {
    reader.fail("null_regex", "contradicts null_value and null_values; give one of them");
  }
  const given =
    regex !== null
      ? alternatives(reader, regex)
      : list !== null
        ? list.split(",")
        : value !== null
          ? [value]
          : [];
  return [...new Set(["", ...given])];
}

/** The texts of a pattern such as `^(NA|NULL|-)$`. */
function alternatives(reader: OptionReader, regex: string): string[] {
  const bare = regex.replace(/^\^?(?:\((?:\?:)?)?/, "").replace(/\)?\$?$/, "");
  const texts = bare.split("|").map((text) => text.replace(/^\^|\$$/g, ""));
  return texts.map((text) => {
    if (/^(?:[^\\.*+?()[\]{}^$]|\\[^a-zA-Z0-9])*$/.test(text)) return text.replace(/\\(.)/g, "$1");
    return reader.fail("null_regex", "must be plain texts between | characters, such as ^(NA|-)$");
  });
}
