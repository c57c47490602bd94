/**
 * The keys that a JSON file's objects have. DuckDB reads members by their exact names, and columns are
 * matched in any case: what a file calls a column has to be known before it is read.
 */

import { Field, Schema, Utf8 } from "apache-arrow";
import type { SchemaReader } from "../scan.ts";
import { fileFault, type LocalFile } from "./file-schemas.ts";
import type { JsonOptions } from "./json-options.ts";
import { jsonObjectsRelation } from "./relations.ts";

/**
 * @returns one a file, in their order: a field a key of any of its objects, whose type says nothing
 * @throws ScanError naming the file that cannot be read
 */
export async function readKeys(
  table: string,
  files: readonly LocalFile[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<Schema[]> {
  const schemas: Schema[] = [];
  for (const file of files) {
    try {
      await reader.checkJson(file.path);
      const keys = await reader.textsOf(
        `SELECT DISTINCT unnest(json_keys(json)) FROM ${jsonObjectsRelation(file.path, json)}`,
      );
      schemas.push(new Schema(keys.toSorted().map((key) => new Field(key, new Utf8(), true))));
    } catch (error) {
      throw fileFault(table, file, error);
    }
  }
  return schemas;
}

/**
 * The keys that stand for a table's columns, so that files which call them alike are read together. A
 * column that a file lacks keeps its own name, under which every row has NULL.
 */
export function keysOfColumns(columns: Schema, keys: Schema): Schema {
  const byName = Map.groupBy(keys.fields, ({ name }) => name.toLowerCase());
  return new Schema(
    columns.fields.flatMap((column) => byName.get(column.name.toLowerCase()) ?? [column]),
  );
}
