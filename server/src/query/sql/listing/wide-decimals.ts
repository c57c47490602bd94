/**
 * Decimals of files with more digits than DuckDB's have. They would be read as doubles, which makes
 * distinct values one, and of Parquet wrongly too (1.5 becomes 25165824), so that a query which needs
 * such a column is refused.
 */

import { Field, Schema } from "apache-arrow";
import { MAX_DECIMAL_DIGITS } from "../../arrow/duckdb-type.ts";
import type { SchemaReader } from "../scan.ts";
import { arrowColumns, type FileColumns, parquetColumns } from "./columns-with.ts";
import type { ReadOptions } from "./format-options.ts";

/** Metadata of a field that is, or has within it, such a decimal. */
export const WIDE_DECIMAL = "file.wide_decimal";

/**
 * The files' columns, those with such decimals marked.
 *
 * @param schemas one a file, in their order
 * @throws SqlError
 */
export async function markWideDecimals(
  paths: readonly string[],
  schemas: readonly Schema[],
  format: ReadOptions["format"],
  reader: SchemaReader,
): Promise<Schema[]> {
  if (paths.length === 0) return [];
  const wide = await (format === "arrow" ? ofArrow(paths, reader) : ofParquet(paths, reader));
  return schemas.map((schema, index) => {
    const columns = wide.get(paths[index]!);
    return columns === undefined
      ? schema
      : new Schema(schema.fields.map((field) => marked(field, columns)));
  });
}

const ofArrow = (paths: readonly string[], reader: SchemaReader): Promise<FileColumns> =>
  arrowColumns(paths, "has_wide_decimals", reader);

async function ofParquet(paths: readonly string[], reader: SchemaReader): Promise<FileColumns> {
  const [wide] = await parquetColumns(paths, [`precision > ${MAX_DECIMAL_DIGITS}`], reader);
  return wide ?? new Map();
}

function marked(field: Field, columns: ReadonlySet<string>): Field {
  if (!columns.has(field.name)) return field;
  const metadata = new Map([...field.metadata, [WIDE_DECIMAL, "true"]]);
  return new Field(field.name, field.type, field.nullable, metadata);
}
