/**
 * One schema of several files: columns by name in any case, in the order in which they first come, with the
 * narrowest type that all their values cast to. Where there is none, texts take it in formats that
 * hold only texts; in typed formats it is an error.
 */

import {
  DataType,
  Field,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Map_,
  Schema,
  Struct,
  Utf8,
} from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { castsLosslessly, isText } from "../lossless-cast.ts";
import { COLUMN_WARNING, ScanError } from "../scan.ts";
import { checkNames } from "./fit-schema.ts";

export interface FileSchema {
  readonly key: string;
  readonly schema: Schema;
}

/** @throws ScanError naming both files, the column and its types, or two columns of one name */
export function mergeSchemas(
  table: string,
  files: readonly FileSchema[],
  elseText: boolean,
): Schema {
  // By the name in lower case, as SQL tells columns apart.
  const columns = new Map<string, { field: Field; readonly key: string }>();
  for (const { key, schema } of files) {
    checkNames(table, schema.fields, key);
    for (const field of schema.fields) {
      const column = columns.get(field.name.toLowerCase());
      if (column === undefined) {
        columns.set(field.name.toLowerCase(), { field: nullable(field), key });
        continue;
      }
      const common =
        commonType(column.field, field, elseText) ??
        (elseText ? asText(column, { field, key }) : null);
      if (common === null) {
        throw new ScanError(
          `${table}: the column ${field.name} is ${arrowTypeName(column.field.type)} in ${column.key} and ${arrowTypeName(field.type)} in ${key}; a snapshot's fileSchema would say which is meant`,
        );
      }
      column.field = warned(named(column.field.name, common), [column.field, field]);
    }
  }
  return new Schema([...columns.values()].map(({ field }) => field));
}

/** A column that is one of texts in a file is so for what was said of it there. */
function warned(field: Field, files: readonly Field[]): Field {
  const warning = files.map(({ metadata }) => metadata.get(COLUMN_WARNING)).find(Boolean);
  if (warning === undefined || !isText(field.type)) return field;
  const metadata = new Map([...field.metadata, [COLUMN_WARNING, warning]]);
  return new Field(field.name, field.type, true, metadata);
}

interface Keyed {
  readonly field: Field;
  readonly key: string;
}

function asText(one: Keyed, other: Keyed): Field {
  const { name } = one.field;
  const types = [one, other].map(({ field, key }) => `${arrowTypeName(field.type)} in ${key}`);
  const warning = `the column ${name} is read as texts, as it is ${types.join(" and ")}; a snapshot's fileSchema says what is meant`;
  const known = [one, other].map(({ field }) => field.metadata.get(COLUMN_WARNING)).find(Boolean);
  return new Field(name, new Utf8(), true, new Map([[COLUMN_WARNING, known ?? warning]]));
}

/** A type, or a field where its metadata tells more of the type. */
type CommonType = DataType | Field;

function named(name: string, common: CommonType): Field {
  return common instanceof Field
    ? new Field(name, common.type, true, common.metadata)
    : new Field(name, common, true);
}

function nullable(field: Field): Field {
  return named(field.name, field);
}

/**
 * Null where no type holds all values of both.
 *
 * @param isJson whether members of structs are read by their exact names
 */
function commonType(a: Field, b: Field, isJson: boolean): CommonType | null {
  if (duckdbTypeOf(a) === duckdbTypeOf(b)) return a;
  if (DataType.isStruct(a.type) && DataType.isStruct(b.type)) {
    return commonStruct(a.type, b.type, isJson);
  }
  if (DataType.isList(a.type) && DataType.isList(b.type)) {
    const item = commonType(a.type.children[0]!, b.type.children[0]!, isJson);
    return item === null ? null : new List(named("item", item));
  }
  if (DataType.isMap(a.type) && DataType.isMap(b.type)) return commonMap(a.type, b.type, isJson);
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

/** All members of both, in the order in which they first come: structs grow as their writers do. */
function commonStruct(a: Struct, b: Struct, isJson: boolean): Struct | null {
  const members = new Map(a.children.map((child) => [child.name.toLowerCase(), nullable(child)]));
  let shared = 0;
  for (const child of b.children) {
    const met = members.get(child.name.toLowerCase());
    if (met !== undefined) shared++;
    if (isJson && met !== undefined && met.name !== child.name) return null;
    const common = met === undefined ? child : commonType(met, child, isJson);
    if (common === null) return null;
    members.set(child.name.toLowerCase(), named(met?.name ?? child.name, common));
  }
  // Structs without a common member are no versions of one.
  return shared === 0 ? null : new Struct([...members.values()]);
}

/** Of equal keys alone: two that become one would be one entry. */
function commonMap(a: Map_, b: Map_, isJson: boolean): Map_ | null {
  const [key, value] = a.children[0]?.type.children ?? [];
  const [otherKey, otherValue] = b.children[0]?.type.children ?? [];
  if (!key || !value || !otherKey || !otherValue) return null;
  if (duckdbTypeOf(key) !== duckdbTypeOf(otherKey)) return null;
  const common = commonType(value, otherValue, isJson);
  if (common === null) return null;
  const pair = new Struct<{ key: DataType; value: DataType }>([key, named(value.name, common)]);
  return new Map_(new Field("entries", pair, false));
}

/** A number is written as a text without loss, but files that differ so are not alike. */
function isTextBesides(found: Field, wanted: Field): boolean {
  const alike = isText(found.type) || DataType.isDictionary(found.type);
  return isText(wanted.type) && !alike && !DataType.isNull(found.type);
}

function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}
