/**
 * JSON times, as columns and within them: SQL infers all of them as times without a zone, and reads them so
 * whatever distance from UTC their texts have. Where a sample has one with such a distance, they are instants.
 */

import { Field, Schema, Timestamp, TimeUnit } from "apache-arrow";
import { quoteName } from "../../sql-text.ts";
import { isUnzonedTime } from "../lossless-cast.ts";
import type { SchemaReader } from "../scan.ts";
import type { LocalFile } from "./file-schemas.ts";
import type { JsonOptions } from "./json-options.ts";
import type { FileSchema } from "./merge-schemas.ts";
import { placeKey, placesOf, textsAt, withInner } from "./numbers-within.ts";
import { jsonRelation } from "./relations.ts";
import { SAMPLED } from "./text-columns.ts";
import { hasOffset } from "./time-offset.ts";

/**
 * @param merged the columns of all files, `schemas` those of each, in the order of `files`
 * @throws SqlError
 */
export async function withZones(
  merged: Schema,
  schemas: readonly FileSchema[],
  files: readonly LocalFile[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<Schema> {
  const zoned = new Set<string>();
  for (const [index, { schema }] of schemas.entries()) {
    const file = files[index];
    const times = schema.fields.flatMap((field) =>
      placesOf(field, isUnzonedTime).map((place) => ({ name: field.name, place })),
    );
    if (times.length === 0 || file === undefined) continue;
    const names = [...new Set(times.map(({ name }) => name))];
    const tests = times.map(
      ({ name, place }) =>
        `CAST(bool_or(coalesce(list_bool_or(list_transform(${textsAt(quoteName(name), place)}, lambda x: ${hasOffset("x")})), false)) AS VARCHAR)`,
    );
    const found = await reader.textsOf(
      `SELECT unnest([${tests.join(", ")}]) FROM (FROM ${jsonRelation([file.path], names, json, 0)} LIMIT ${json.inferRows})`,
    );
    for (const [at, { name, place }] of times.entries()) {
      if (found[at] === "true") zoned.add(placeKey(name, place.path));
    }
  }
  return new Schema(merged.fields.map((field) => zonedColumn(field, zoned)));
}

function zonedColumn(column: Field, zoned: ReadonlySet<string>): Field {
  const made = (field: Field, path: string): Field => {
    if (!isUnzonedTime(field.type)) {
      return withInner(field, (inner, step) => made(inner, path + step));
    }
    const { name, type, metadata } = field;
    return zoned.has(placeKey(column.name, path))
      ? new Field(name, new Timestamp(TimeUnit.MICROSECOND, "UTC"), true, metadata)
      : new Field(name, type, true, new Map([...metadata, [SAMPLED, "true"]]));
  };
  return made(column, "$");
}
