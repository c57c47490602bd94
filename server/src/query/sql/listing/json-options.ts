/** How JSON is read: DataFusion's JsonOptions, and arrays of objects besides lines of them. */

import type { Compression } from "./file-format.ts";
import type { OptionReader } from "./option-reader.ts";

export interface JsonOptions {
  /** DuckDB's name of the layout; `auto` = found in each file. */
  readonly layout: "auto" | "newline_delimited" | "array";
  /** Null = by each file's suffix. */
  readonly compression: Compression | null;
  /** Objects of a file that its columns' types are inferred from. */
  readonly inferRows: number;
}

const DEFAULT_INFER_ROWS = 20_480;

/** @throws ScanError */
export function parseJsonOptions(reader: OptionReader, format: "json" | "ndjson"): JsonOptions {
  reader.ignore(["compression_level"]);
  const lines = reader.boolean("newline_delimited");
  if (format === "ndjson" && lines === false) {
    reader.fail("newline_delimited", "contradicts the file type ndjson; use json for arrays");
  }
  return {
    layout:
      format === "ndjson" || lines === true
        ? "newline_delimited"
        : lines === false
          ? "array"
          : "auto",
    compression: reader.compression(),
    inferRows: reader.positiveInteger("schema_infer_max_rec") ?? DEFAULT_INFER_ROWS,
  };
}
