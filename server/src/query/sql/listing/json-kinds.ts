/**
 * Values of JSON that are of another kind than their column, or than its members and items: casts of DuckDB make
 * a boolean of any number, 1 of true, and NULL of what they cannot read within a struct, list or map.
 */

import { DataType, type Field } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteText } from "../../sql-text.ts";
import { isText } from "../lossless-cast.ts";
import { allPlaces, type Place } from "./numbers-within.ts";

export interface OtherKind {
  readonly place: Place;
  /** Never NULL. */
  readonly when: string;
}

/** @param source a column of JSON values, quoted @returns what to look for, a place */
export function otherKinds(source: string, field: Field): OtherKind[] {
  const places = allPlaces(field).filter(({ field: { type } }) => !isAny(type));
  // All kinds that are looked at are found by one reading of the value.
  const single = places.filter(({ isMany }) => !isMany);
  const kinds = `json_type(${source}, [${single.map(({ path }) => quoteText(path)).join(", ")}])`;
  return places.map((place) => {
    const { path, isMany } = place;
    const found = `json_extract(${source}, ${quoteText(path)})`;
    const isOther = isMany
      ? `list_bool_or(list_transform(${found}, lambda x: ${isOtherKind(place, "x", "json_type(x)")}))`
      : isOtherKind(place, found, `${kinds}[${single.indexOf(place) + 1}]`);
    return { place, when: `coalesce(${isOther}, false)` };
  });
}

const isAny = (type: DataType): boolean => DataType.isNull(type) || isText(type);

const isNested = (type: DataType): boolean =>
  DataType.isStruct(type) || DataType.isList(type) || DataType.isMap(type);

/** @param value JSON @param kind what it is */
function isOtherKind({ field, path }: Place, value: string, kind: string): string {
  const test = kindTest(field.type, kind);
  // The value itself is cast by itself, and NULL where it cannot be.
  if (path === "$" || isNested(field.type)) return test ?? "false";
  const isUnread = `(${kind} <> 'NULL' AND TRY_CAST(${value} AS ${duckdbTypeOf(field)}) IS NULL)`;
  return test === null ? isUnread : `(${test} OR ${isUnread})`;
}

/** Null where any kind may be read. */
function kindTest(type: DataType, kind: string): string | null {
  if (DataType.isStruct(type) || DataType.isMap(type)) return `${kind} NOT IN ('OBJECT', 'NULL')`;
  if (DataType.isList(type)) return `${kind} NOT IN ('ARRAY', 'NULL')`;
  if (DataType.isBool(type)) return `${kind} NOT IN ('BOOLEAN', 'VARCHAR', 'NULL')`;
  const isNumber = DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
  return isNumber ? `${kind} IN ('BOOLEAN', 'ARRAY', 'OBJECT')` : null;
}
