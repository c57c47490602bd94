/**
 * One schema of several files: columns by name, in the order in which they first come, with the
 * narrowest type that all their values cast to. Where there is none, texts take it in formats that
 * hold only texts; in typed formats it is an error.
 */

import { DataType, Field, Float64, Int8, Int16, Int32, Int64, Schema, Utf8 } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { castsLosslessly, isText } from "../lossless-cast.ts";
import { ScanError } from "../scan.ts";

export interface FileSchema {
  readonly key: string;
  readonly schema: Schema;
}

/** @throws ScanError naming both files, the column and its types */
export function mergeSchemas(
  table: string,
  files: readonly FileSchema[],
  elseText: boolean,
): Schema {
  const columns = new Map<string, { field: Field; readonly key: string }>();
  for (const { key, schema } of files) {
    for (const field of schema.fields) {
      const column = columns.get(field.name);
      if (column === undefined) {
        columns.set(field.name, { field: nullable(field), key });
        continue;
      }
      const common = commonField(column.field, field) ?? (elseText ? new Utf8() : null);
      if (common === null) {
        throw new ScanError(
          `${table}: the column ${field.name} is ${arrowTypeName(column.field.type)} in ${column.key} and ${arrowTypeName(field.type)} in ${key}; a snapshot's fileSchema would say which is meant`,
        );
      }
      column.field =
        common instanceof Field ? nullable(common) : new Field(field.name, common, true);
    }
  }
  return new Schema([...columns.values()].map(({ field }) => field));
}

function nullable({ name, type, metadata }: Field): Field {
  return new Field(name, type, true, metadata);
}

/** Null where no type holds all values of both. */
function commonField(a: Field, b: Field): Field | DataType | null {
  if (duckdbTypeOf(a) === duckdbTypeOf(b)) return a;
  if (castsLosslessly(a, b) && !isTextBesides(a, b)) return b;
  if (castsLosslessly(b, a) && !isTextBesides(b, a)) return a;
  if (!isNumber(a.type) || !isNumber(b.type)) return null;
  const signed = [new Int8(), new Int16(), new Int32(), new Int64()];
  const wide = signed.find((type) =>
    [a, b].every((field) => castsLosslessly(field, new Field(field.name, type))),
  );
  // As everywhere in SQL a mix of integers and floats is a float, exact or not.
  return wide ?? new Float64();
}

/** A number is written as a text without loss, but files that differ so are not alike. */
function isTextBesides(found: Field, wanted: Field): boolean {
  const alike = isText(found.type) || DataType.isDictionary(found.type);
  return isText(wanted.type) && !alike && !DataType.isNull(found.type);
}

function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}
