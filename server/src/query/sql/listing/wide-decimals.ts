/**
 * Decimals of files with more digits than DuckDB's have. They would be read as doubles, which makes
 * distinct values one, and of Parquet wrongly too (1.5 becomes 25165824), so that a query which needs
 * such a column is refused.
 */

import { Field, Schema } from "apache-arrow";
import { z } from "zod";
import { MAX_DECIMAL_DIGITS } from "../../arrow/duckdb-type.ts";
import { quoteTexts } from "../../sql-text.ts";
import type { SchemaReader } from "../scan.ts";
import type { ReadOptions } from "./format-options.ts";

/** Metadata of a field that is, or has within it, such a decimal. */
export const WIDE_DECIMAL = "file.wide_decimal";

/** An element of a file's schema, in its order: a group's children follow it. */
const elementSchema = z.object({
  file: z.string(),
  name: z.string(),
  children: z.int(),
  digits: z.int(),
});
type Element = z.output<typeof elementSchema>;

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

/** Names of columns, by the path of the file that has them. */
type WideColumns = ReadonlyMap<string, ReadonlySet<string>>;

const columnSchema = z.object({ file: z.string(), name: z.string() });

async function ofArrow(paths: readonly string[], reader: SchemaReader): Promise<WideColumns> {
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name}) FROM arrow_schema(${quoteTexts(paths)}) WHERE has_wide_decimals`,
  );
  const columns = rows.map((row) => columnSchema.parse(JSON.parse(row)));
  return new Map(
    [...Map.groupBy(columns, ({ file }) => file)].map(([file, found]) => [
      file,
      new Set(found.map(({ name }) => name)),
    ]),
  );
}

async function ofParquet(paths: readonly string[], reader: SchemaReader): Promise<WideColumns> {
  const schemaOfFiles = `parquet_schema(${quoteTexts(paths)})`;
  const wide = await reader.textsOf(
    `SELECT DISTINCT file_name FROM ${schemaOfFiles} WHERE precision > ${MAX_DECIMAL_DIGITS}`,
  );
  if (wide.length === 0) return new Map();
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name, 'children': coalesce(num_children, 0), 'digits': coalesce(precision, 0)}) FROM ${schemaOfFiles} WHERE list_contains(${quoteTexts(wide)}, file_name)`,
  );
  const elements = rows.map((row) => elementSchema.parse(JSON.parse(row)));
  return new Map(
    [...Map.groupBy(elements, ({ file }) => file)].map(([file, found]) => [
      file,
      wideColumns(found),
    ]),
  );
}

function marked(field: Field, columns: ReadonlySet<string>): Field {
  if (!columns.has(field.name)) return field;
  const metadata = new Map([...field.metadata, [WIDE_DECIMAL, "true"]]);
  return new Field(field.name, field.type, field.nullable, metadata);
}

/** Names of the columns, which are the children of the first element. */
function wideColumns(elements: readonly Element[]): Set<string> {
  const columns = new Set<string>();
  let at = 1;
  /** Whether a decimal of the element there, which ends the walk of it, is too wide. */
  const walk = (): boolean => {
    const element = elements[at++];
    let wide = (element?.digits ?? 0) > MAX_DECIMAL_DIGITS;
    for (let child = 0; child < (element?.children ?? 0); child++) wide = walk() || wide;
    return wide;
  };
  while (at < elements.length) {
    const { name } = elements[at]!;
    if (walk()) columns.add(name);
  }
  return columns;
}
