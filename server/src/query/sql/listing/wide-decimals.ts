/**
 * Decimals of Parquet files with more digits than DuckDB's have. DuckDB reads them as doubles, and
 * wrongly (1.5 becomes 25165824), so that a query which needs such a column is refused.
 */

import { Field, Schema } from "apache-arrow";
import { z } from "zod";
import { quoteTexts } from "../../sql-text.ts";
import type { SchemaReader } from "../scan.ts";

export const MAX_DECIMAL_DIGITS = 38;
/** Metadata of a field that is, or has within it, such a decimal. */
export const WIDE_DECIMAL = "parquet.wide_decimal";

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
 */
export async function markWideDecimals(
  paths: readonly string[],
  schemas: readonly Schema[],
  reader: SchemaReader,
): Promise<Schema[]> {
  if (paths.length === 0) return [];
  const schemaOfFiles = `parquet_schema(${quoteTexts(paths)})`;
  const wide = await reader.textsOf(
    `SELECT DISTINCT file_name FROM ${schemaOfFiles} WHERE precision > ${MAX_DECIMAL_DIGITS}`,
  );
  if (wide.length === 0) return [...schemas];
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name, 'children': coalesce(num_children, 0), 'digits': coalesce(precision, 0)}) FROM ${schemaOfFiles} WHERE list_contains(${quoteTexts(wide)}, file_name)`,
  );
  const elements = rows.map((row) => elementSchema.parse(JSON.parse(row)));
  return schemas.map((schema, index) => {
    const columns = wideColumns(elements.filter(({ file }) => file === paths[index]));
    return columns.size === 0
      ? schema
      : new Schema(schema.fields.map((field) => marked(field, columns)));
  });
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
