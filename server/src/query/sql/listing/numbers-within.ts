/** Numbers, and other values, in the structs, lists and maps of JSON columns: where they stand, and their texts. */

import { DataType, Field, List, Map_, Struct } from "apache-arrow";
import { quoteText } from "../../sql-text.ts";

export interface Place {
  /** As JSON paths write it, from the column's value: `$."a"[*]`; `$` = the value itself. */
  readonly path: string;
  /** Of the value there. */
  readonly field: Field;
  /** Whether the value may hold several there, or none. */
  readonly isMany: boolean;
}

const isNumber = (type: DataType): boolean =>
  DataType.isFloat(type) || DataType.isInt(type) || DataType.isDecimal(type);

/** The fields directly within one, with what leads there. */
function within({ type }: Field): readonly { readonly step: string; readonly field: Field }[] {
  if (DataType.isStruct(type)) {
    return type.children.map((field) => ({ step: `.${JSON.stringify(field.name)}`, field }));
  }
  const item = DataType.isList(type) ? type.children[0] : undefined;
  if (item !== undefined) return [{ step: "[*]", field: item }];
  // A map's entries are structs of a key and a value.
  const value = DataType.isMap(type) ? type.children[0]?.type.children[1] : undefined;
  return value === undefined ? [] : [{ step: ".*", field: value }];
}

/** A struct, list or map with the fields directly within it made anew; any other field as it is. */
export function withInner(field: Field, made: (inner: Field, step: string) => Field): Field {
  const { name, type, metadata } = field;
  const inner = within(field).map((one) => made(one.field, one.step));
  const [only] = inner;
  if (only === undefined) return field;
  const changed = (to: DataType) => new Field(name, to, true, metadata);
  if (DataType.isStruct(type)) return changed(new Struct(inner));
  if (!DataType.isMap(type)) return changed(new List(only));
  const entries = type.children[0]!;
  const pair = new Struct<{ key: DataType; value: DataType }>([entries.type.children[0], only]);
  return changed(new Map_(new Field(entries.name, pair, false), type.keysSorted));
}

/** Of a column, the numbers that it is or holds. */
export const numberPlaces = (field: Field): Place[] => placesOf(field, isNumber);

/** Of a column, the values of some types that it is or holds. */
export function placesOf(
  field: Field,
  is: (type: DataType) => boolean,
  path = "$",
  isMany = false,
): Place[] {
  if (is(field.type)) return [{ path, field, isMany }];
  const hasMany = isMany || !DataType.isStruct(field.type);
  return within(field).flatMap(({ step, field: inner }) =>
    placesOf(inner, is, path + step, hasMany),
  );
}

/** A column, and all that it holds: members, items and values of maps, each behind what it is in. */
export function allPlaces(field: Field, path = "$", isMany = false): Place[] {
  const hasMany = isMany || !DataType.isStruct(field.type);
  return [
    { path, field, isMany },
    ...within(field).flatMap((inner) => allPlaces(inner.field, path + inner.step, hasMany)),
  ];
}

/** In any case, as columns and members are matched. */
export const placeKey = (column: string, path: string): string =>
  JSON.stringify([column, path]).toLowerCase();

/** A list of texts, NULL or 'null' where there is no value. @param source JSON values, quoted */
export function textsAt(source: string, { path, isMany }: Place): string {
  const found = `json_extract(${source}, ${quoteText(path)})`;
  return `CAST(${isMany ? found : `[${found}]`} AS VARCHAR[])`;
}
