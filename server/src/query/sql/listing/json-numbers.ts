/**
 * Columns of JSON numbers that SQL infers as doubles: where a sample has only whole numbers they are
 * integers of 128 bits, and where doubles would lose digits of some they are texts.
 */

import { DataType, Field, Schema } from "apache-arrow";
import { quoteName } from "../../sql-text.ts";
import { losesDigits } from "../exact-cast.ts";
import type { SchemaReader } from "../scan.ts";
import type { LocalFile } from "./file-schemas.ts";
import type { JsonOptions } from "./json-options.ts";
import type { FileSchema } from "./merge-schemas.ts";
import { jsonRelation } from "./relations.ts";
import { asLostDigits, hugeInteger, MAX_INTEGER_DIGITS, SAMPLED } from "./text-columns.ts";

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
    const names = schema.fields.filter(({ type }) => DataType.isFloat(type)).map((one) => one.name);
    const file = files[index];
    if (names.length === 0 || file === undefined) continue;
    const texts = await reader.textsOf(
      `SELECT unnest([${names.map(numbersOf).join(", ")}]) FROM (FROM ${jsonRelation([file.path], names, json, 0)} LIMIT ${json.inferRows})`,
    );
    for (const [at, name] of names.entries()) {
      const lower = name.toLowerCase();
      found.set(lower, [...(found.get(lower) ?? []), { text: texts[at] ?? "", key: file.key }]);
    }
  }
  return new Schema(
    merged.fields.map((field) => {
      if (!DataType.isFloat(field.type)) return field;
      const numbers = found.get(field.name.toLowerCase()) ?? [];
      if (numbers.length > 0 && numbers.every(({ text }) => text === WHOLE)) {
        return sampled(hugeInteger(field));
      }
      const lost = numbers.find(({ text }) => text !== WHOLE && text !== "");
      return lost === undefined ? sampled(field) : asLostDigits(field, lost.text, lost.key);
    }),
  );
}

interface Found {
  readonly text: string;
  readonly key: string;
}

const WHOLE = "whole";

const sampled = ({ name, type, metadata }: Field): Field =>
  new Field(name, type, true, new Map([...metadata, [SAMPLED, "true"]]));

/** An aggregate: `whole`, an integer whose digits a double would lose, or empty. */
function numbersOf(name: string): string {
  const text = `CAST(${quoteName(name)} AS VARCHAR)`;
  const present = `${text} IS NULL OR ${text} = 'null'`;
  return `CASE WHEN bool_and(${present} OR regexp_full_match(${text}, '-?[0-9]{1,${MAX_INTEGER_DIGITS}}')) THEN '${WHOLE}' ELSE coalesce(first(${text}) FILTER (${losesDigits(text)}), '') END`;
}
