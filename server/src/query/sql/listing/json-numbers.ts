/**
 * JSON numbers that SQL infers as doubles, as columns and within them: where a sample has only whole
 * numbers they are integers of 128 bits, and where doubles would lose digits of some, or not hold them, they are texts.
 */

import { DataType, Field, Schema } from "apache-arrow";
import { quoteName } from "../../sql-text.ts";
import { isBeyond, losesDigits } from "../exact-cast.ts";
import { isText } from "../lossless-cast.ts";
import { COLUMN_WARNING, type SchemaReader } from "../scan.ts";
import type { LocalFile } from "./file-schemas.ts";
import type { JsonOptions } from "./json-options.ts";
import type { FileSchema } from "./merge-schemas.ts";
import { numberPlaces, placeKey, textsAt, withInner } from "./numbers-within.ts";
import { jsonRelation } from "./relations.ts";
import { asNumberText, hugeInteger, MAX_INTEGER_DIGITS, SAMPLED } from "./text-columns.ts";

/**
 * @param merged the columns of all files, `schemas` those of each, in the order of `files`
 * @throws SqlError
 */
export async function withExactNumbers(
  merged: Schema,
  schemas: readonly FileSchema[],
  files: readonly LocalFile[],
  json: JsonOptions,
  reader: SchemaReader,
): Promise<Schema> {
  const found = new Map<string, Found[]>();
  for (const [index, { schema }] of schemas.entries()) {
    const file = files[index];
    const doubles = schema.fields.flatMap((field) =>
      numberPlaces(field).flatMap((place) =>
        DataType.isFloat(place.field.type) ? [{ name: field.name, place }] : [],
      ),
    );
    if (doubles.length === 0 || file === undefined) continue;
    const names = [...new Set(doubles.map(({ name }) => name))];
    const numbers = doubles.map(({ name, place }) => numbersOf(textsAt(quoteName(name), place)));
    const texts = await reader.textsOf(
      `SELECT unnest([${numbers.join(", ")}]) FROM (FROM ${jsonRelation([file.path], names, json, 0)} LIMIT ${json.inferRows})`,
    );
    for (const [at, { name, place }] of doubles.entries()) {
      const key = placeKey(name, place.path);
      found.set(key, [...(found.get(key) ?? []), { text: texts[at] ?? "", key: file.key }]);
    }
  }
  return new Schema(merged.fields.map((field) => exactColumn(field, found)));
}

interface Found {
  readonly text: string;
  readonly key: string;
}

const WHOLE = "whole";

function exactColumn(column: Field, found: ReadonlyMap<string, readonly Found[]>): Field {
  const warnings: string[] = [];
  const exact = (field: Field, path: string, shown: string): Field => {
    if (DataType.isFloat(field.type)) {
      const numbers = found.get(placeKey(column.name, path)) ?? [];
      if (numbers.length > 0 && numbers.every(({ text }) => text === WHOLE)) {
        return hugeInteger(field);
      }
      const lost = numbers.find(({ text }) => text !== WHOLE && text !== "");
      if (lost === undefined) return field;
      const { type, metadata } = asNumberText(field, shown, lost.text, lost.key);
      warnings.push(metadata.get(COLUMN_WARNING) ?? "");
      return new Field(field.name, type, true);
    }
    return withInner(field, (inner, step) =>
      exact(inner, path + step, DataType.isStruct(field.type) ? `${shown}.${inner.name}` : shown),
    );
  };
  const { name, type, metadata } = exact(column, "$", column.name);
  const said = warnings.length === 0 ? [] : ([[COLUMN_WARNING, warnings.join("; ")]] as const);
  const isSampled = numberPlaces(column).length > 0 && !isText(type);
  const sampled = isSampled ? ([[SAMPLED, "true"]] as const) : [];
  return new Field(name, type, true, new Map([...metadata, ...said, ...sampled]));
}

/**
 * An aggregate: `whole`, an integer whose digits a double would lose or a number that is beyond doubles, or empty.
 *
 * @param texts a list of them a row
 */
function numbersOf(texts: string): string {
  const whole = `x IS NULL OR x = 'null' OR regexp_full_match(x, '-?[0-9]{1,${MAX_INTEGER_DIGITS}}')`;
  const allWhole = `bool_and(coalesce(list_bool_and(list_transform(${texts}, lambda x: ${whole})), true))`;
  const lost = `list_filter(${texts}, lambda x: ${losesDigits("x")} OR ${isBeyond("x", "DOUBLE")})[1]`;
  return `CASE WHEN ${allWhole} THEN '${WHOLE}' ELSE coalesce(first(${lost}) FILTER (${lost} IS NOT NULL), '') END`;
}
