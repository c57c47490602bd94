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
  /** In the order of the conditions. */
  meets: z.array(z.boolean()),
});
type Element = z.output<typeof elementSchema>;

/**
 * Columns that are, or have within them, an element that meets a condition; in the order of the conditions.
 *
 * @param conditions of `parquet_schema`'s rows, as SQL
 * @throws SqlError
 */
export async function parquetColumns(
  paths: readonly string[],
  conditions: readonly string[],
  reader: SchemaReader,
): Promise<FileColumns[]> {
  const meets = conditions.map((condition) => `coalesce(${condition}, false)`);
  // Of files where an element meets one all are needed, to tell which column it is in.
  const rows = await reader.textsOf(
    `SELECT to_json({'file': file_name, 'name': name, 'children': coalesce(num_children, 0), 'meets': [${meets.join(", ")}]})
     FROM (SELECT *, row_number() OVER () AS place FROM parquet_schema(${quoteTexts(paths)}))
     QUALIFY bool_or(${meets.join(" OR ")}) OVER (PARTITION BY file_name) ORDER BY place`,
  );
  const elements = rows.map((row) => elementSchema.parse(JSON.parse(row)));
  const files = [...Map.groupBy(elements, ({ file }) => file)];
  return conditions.map(
    (_, condition) => new Map(files.map(([file, found]) => [file, columnsOf(found, condition)])),
  );
}

/** Names of the columns, which are the children of the first element. */
function columnsOf(elements: readonly Element[], condition: number): Set<string> {
  const columns = new Set<string>();
  let at = 1;
  /** Whether the element there, which ends the walk of it, meets the condition or has one that does. */
  const walk = (): boolean => {
    const element = elements[at++];
    let meets = element?.meets[condition] ?? false;
    for (let child = 0; child < (element?.children ?? 0); child++) meets = walk() || meets;
    return meets;
  };
  while (at < elements.length) {
    const { name } = elements[at]!;
    if (walk()) columns.add(name);
  }
  return columns;
}
