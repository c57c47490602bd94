/**
 * Files in a FROM clause, each format by its reader. Nothing is left to detection but the columns'
 * types, and those only where a schema is inferred. With partition columns the files lie in their
 * `partitionFolders`.
 */

import { quoteName, quoteText, quoteTexts } from "../../sql-text.ts";
import type { FoundCsv } from "./csv-options.ts";
import type { JsonOptions } from "./json-options.ts";
import { partitionArguments } from "./partition-folders.ts";

/** A column with the path of the file that a row is of, in texts that hold no types. */
export const FILE_COLUMN = "staged_file";

export function parquetRelation(
  paths: readonly string[],
  binaryAsString: boolean,
  partitionColumns = 0,
): string {
  return call("read_parquet", [
    quoteTexts(paths),
    ...(binaryAsString ? ["binary_as_string=true"] : []),
    ...partitionArguments(partitionColumns),
  ]);
}

/** All columns as texts named by position, `c0`, `c1`, …; the header is passed over. */
export function csvRelation(
  paths: readonly string[],
  columns: number,
  csv: FoundCsv,
  partitionColumns: number,
  isSequential: boolean,
): string {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  return call("read_csv", [
    quoteTexts(paths),
    "auto_detect=false",
    ...(isSequential ? ["parallel=false"] : []),
    ...dialect(csv),
    `columns={${names.map((name) => `${quoteText(name)}: 'VARCHAR'`).join(", ")}}`,
    `filename=${quoteText(FILE_COLUMN)}`,
    ...partitionArguments(partitionColumns),
  ]);
}

/** Columns with the header's names, as texts. */
export function csvNamesRelation(path: string, csv: FoundCsv): string {
  return call("read_csv", [
    quoteText(path),
    "all_varchar=true",
    "sample_size=1",
    ...dialect(csv),
    ...partitionArguments(0),
  ]);
}

const ISO_DATE = "%Y-%m-%d";

/** Columns with the header's names, with the types that a sample of the rows has. */
export function csvTypesRelation(path: string, csv: FoundCsv): string {
  return call("read_csv", [
    quoteText(path),
    `sample_size=${csv.inferRows}`,
    // In quotes they are missing as well, in columns that are no texts: some programs quote every field.
    ...dialect(csv, { nulls: [...csv.nulls, ...csv.missing], areQuotedToo: true }),
    // Dates in other forms are told by the table's one decision on each column.
    `dateformat=${quoteText(csv.dateFormat ?? ISO_DATE)}`,
    ...(csv.timestampFormat === null ? [] : [`timestampformat=${quoteText(csv.timestampFormat)}`]),
    ...partitionArguments(0),
  ]);
}

/** The named members of each object, as JSON. */
export function jsonRelation(
  paths: readonly string[],
  names: readonly string[],
  json: JsonOptions,
  partitionColumns: number,
): string {
  return call("read_json", [
    quoteTexts(paths),
    `format=${quoteText(json.layout)}`,
    `columns={${names.map((name) => `${quoteText(name)}: 'JSON'`).join(", ")}}`,
    `filename=${quoteText(FILE_COLUMN)}`,
    ...partitionArguments(partitionColumns),
  ]);
}

/** Each object whole, as the column `json`. */
export function jsonObjectsRelation(path: string, json: JsonOptions): string {
  return call("read_json_objects", [
    quoteText(path),
    `format=${quoteText(json.layout)}`,
    ...partitionArguments(0),
  ]);
}

/** Members with the types that a sample of the objects has. */
export function jsonTypesRelation(path: string, json: JsonOptions): string {
  return call("read_json", [
    quoteText(path),
    `format=${quoteText(json.layout)}`,
    `sample_size=${json.inferRows}`,
    ...partitionArguments(0),
  ]);
}

export function arrowRelation(paths: readonly string[]): string {
  return call("read_arrow", [quoteTexts(paths)]);
}

function dialect(
  csv: FoundCsv,
  { nulls, areQuotedToo } = { nulls: csv.nulls, areQuotedToo: false },
): string[] {
  return [
    `header=${csv.hasHeader}`,
    `skip=${csv.isDeclared ? 1 : 0}`,
    `delim=${quoteText(csv.delimiter)}`,
    `quote=${quoteText(csv.quote)}`,
    `escape=${quoteText(csv.escape)}`,
    `comment=${quoteText(csv.comment)}`,
    `nullstr=${quoteTexts(nulls)}`,
    `allow_quoted_nulls=${areQuotedToo}`,
    `null_padding=${csv.truncatedRows}`,
    ...(csv.newLine === null ? [] : [`new_line=${quoteText(csv.newLine)}`]),
  ];
}

function call(name: string, values: readonly string[]): string {
  return `${name}(${values.join(", ")})`;
}

/** The staged file's name, for messages. */
export const FILE_NAME = `parse_filename(${quoteName(FILE_COLUMN)})`;
