/**
 * JSON columns whose values no one type holds, which SQL infers as JSON itself: a text in it would stand
 * in quotes, and be compared as JSON. They are texts here, and so are members and items of such values: a
 * text as it is, anything else as JSON writes it.
 */

import { DataType, Field, Null, Schema, Utf8 } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteName } from "../../sql-text.ts";
import { COLUMN_WARNING, type SchemaReader } from "../scan.ts";
import type { LocalFile } from "./file-schemas.ts";
import type { JsonOptions } from "./json-options.ts";
import type { FileSchema } from "./merge-schemas.ts";
import { withInner } from "./numbers-within.ts";
import { jsonRelation } from "./relations.ts";

/**
 * A column of nulls alone has the type Null until it is merged with those of other files.
 *
 * @param schemas one a file, in the order of `files`
 * @throws SqlError
 */
export async function withoutJsonTypes(
  schemas: readonly FileSchema[],
  files: readonly LocalFile[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<FileSchema[]> {
  const changed: FileSchema[] = [];
  for (const [index, { key, schema }] of schemas.entries()) {
    const file = files[index];
    const names = schema.fields.filter(isJson).map(({ name }) => name);
    const kinds =
      file === undefined
        ? []
        : await kindsOf(jsonRelation([file.path], names, json, 0), names, json, reader);
    const kindsOfColumn = new Map(names.map((name, at) => [name, kinds[at] ?? ""]));
    const fields = schema.fields.map((field) => {
      const found = kindsOfColumn.get(field.name);
      return found === undefined ? textsWithin(field) : mixedColumn(field, found, key);
    });
    changed.push({ key, schema: new Schema(fields) });
  }
  return changed;
}

/** Columns that no file has a value of. */
export function nullsAsTexts({ fields }: Schema): Schema {
  return new Schema(
    fields.map((field) =>
      DataType.isNull(field.type) ? new Field(field.name, new Utf8(), true) : field,
    ),
  );
}

const isJson = (field: Field): boolean => duckdbTypeOf(field) === "JSON";

const textsWithin = (field: Field): Field =>
  isJson(field) ? new Field(field.name, new Utf8(), true) : withInner(field, textsWithin);

function mixedColumn({ name }: Field, kinds: string, key: string): Field {
  if (kinds === "") return new Field(name, new Null(), true);
  if (!kinds.includes(" ")) return new Field(name, new Utf8(), true);
  const [last, ...others] = kinds.split(" ").toReversed();
  const warning = `the column ${name} is read as texts, as it has ${others.toReversed().join(", ")} and ${last} in ${key}; a snapshot's fileSchema says what is meant`;
  return new Field(name, new Utf8(), true, new Map([[COLUMN_WARNING, warning]]));
}

/** Of each column, the kinds of values that a sample has but nulls, in one text. */
async function kindsOf(
  relation: string,
  names: readonly string[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const kinds = names.map(
    (name) =>
      `coalesce(array_to_string(list_sort(list_distinct(list(${kindOf(quoteName(name))}))), ' '), '')`,
  );
  return reader.textsOf(
    `SELECT unnest([${kinds.join(", ")}]) FROM (FROM ${relation} LIMIT ${json.inferRows})`,
  );
}

/** NULL for a null. @param source a column of JSON values, quoted */
const kindOf = (source: string): string =>
  `CASE coalesce(json_type(${source}), 'NULL') WHEN 'NULL' THEN NULL WHEN 'VARCHAR' THEN 'texts' WHEN 'BOOLEAN' THEN 'booleans' WHEN 'OBJECT' THEN 'objects' WHEN 'ARRAY' THEN 'arrays' ELSE 'numbers' END`;
