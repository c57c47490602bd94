/** Columns of files of which a reader's types tell less than the files themselves. */

import { z } from "zod";
import { quoteTexts } from "../../sql-text.ts";
import type { SchemaReader } from "../scan.ts";

/** Names of columns, by the path of the file that has them. */
export type FileColumns = ReadonlyMap<string, ReadonlySet<string>>;

const columnSchema = z.object({ file: z.string(), name: z.string() });

/** @param condition of `arrow_schema`'s rows, as SQL @throws SqlError */
export async function arrowColumns(
  paths: readonly string[],
  condition: string,
  reader: SchemaReader,
): Promise<FileColumns> {
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name}) FROM arrow_schema(${quoteTexts(paths)}) WHERE ${condition}`,
  );
  const columns = rows.map((row) => columnSchema.parse(JSON.parse(row)));
  return new Map(
    [...Map.groupBy(columns, ({ file }) => file)].map(([file, found]) => [
      file,
      new Set(found.map(({ name }) => name)),
    ]),
  );
}

/** An element of a file's schema, in its order: a group's children follow it. */
const elementSchema = z.object({
  file: z.string(),
  name: z.string(),
  children: z.int(),
  meets: z.boolean(),
});
type Element = z.output<typeof elementSchema>;

/**
 * Columns that are, or have within them, an element that meets a condition.
 *
 * @param condition of `parquet_schema`'s rows, as SQL
 * @throws SqlError
 */
export async function parquetColumns(
  paths: readonly string[],
  condition: string,
  reader: SchemaReader,
): Promise<FileColumns> {
  const schemaOfFiles = `parquet_schema(${quoteTexts(paths)})`;
  const some = await reader.textsOf(
    `SELECT DISTINCT file_name FROM ${schemaOfFiles} WHERE ${condition}`,
  );
  if (some.length === 0) return new Map();
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name, 'children': coalesce(num_children, 0), 'meets': coalesce(${condition}, false)}) FROM ${schemaOfFiles} WHERE list_contains(${quoteTexts(some)}, file_name)`,
  );
  const elements = rows.map((row) => elementSchema.parse(JSON.parse(row)));
  return new Map(
    [...Map.groupBy(elements, ({ file }) => file)].map(([file, found]) => [file, columnsOf(found)]),
  );
}

/** Names of the columns, which are the children of the first element. */
function columnsOf(elements: readonly Element[]): Set<string> {
  const columns = new Set<string>();
  let at = 1;
  /** Whether the element there, which ends the walk of it, meets the condition or has one that does. */
  const walk = (): boolean => {
    const element = elements[at++];
    let meets = element?.meets ?? false;
    for (let child = 0; child < (element?.children ?? 0); child++) meets = walk() || meets;
    return meets;
  };
  while (at < elements.length) {
    const { name } = elements[at]!;
    if (walk()) columns.add(name);
  }
  return columns;
}
