/** The formats that predictions are written in. */

import { arrowFormat } from "./arrow.ts";
import { csvFormat } from "./csv.ts";
import type { OutputFormat } from "./format.ts";
import { parquetFormat } from "./parquet.ts";

export const OUTPUT_FORMATS = ["parquet", "csv", "arrow"] as const;
export type OutputFormatName = (typeof OUTPUT_FORMATS)[number];

const FORMATS: Readonly<Record<OutputFormatName, OutputFormat>> = {
  parquet: parquetFormat,
  csv: csvFormat,
  arrow: arrowFormat,
};

export const outputFormat = (name: OutputFormatName): OutputFormat => FORMATS[name];
