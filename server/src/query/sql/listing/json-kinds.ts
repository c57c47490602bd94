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

export interface OtherKinds {
  /** Whether there is any; never NULL. */
  readonly any: string;
  /** A place each. */
  readonly each: readonly OtherKind[];
}

/** @param source a column of JSON values, quoted */
export function otherKinds(source: string, field: Field): OtherKinds {
  const places = allPlaces(field).filter(({ field: { type } }) => !isAny(type));
  const each = places.map((place) => {
    const found = `json_extract(${source}, ${quoteText(place.path)})`;
    const isOther = place.isMany
      ? `list_bool_or(list_transform(${found}, lambda x: ${isOtherKind(place, "x")}))`
      : isOtherKind(place, found);
    return { place, when: `coalesce(${isOther}, false)` };
  });
  const told = each.filter(({ place }) => usualKinds(place.field.type) !== null);
  const others = each.filter((one) => !told.includes(one)).map(({ when }) => when);
  if (told.length === 0) return { any: others.join(" OR ") || "false", each };
  // Nearly all values are told apart by their kinds, which are found by one reading of them.
  const usual = usualOf(
    source,
    told.map(({ place }) => place),
  ).join(" AND ");
  const any = told.map(({ when }) => when).join(" OR ");
  return { any: [`CASE WHEN ${usual} THEN false ELSE ${any} END`, ...others].join(" OR "), each };
}

function usualOf(source: string, places: readonly Place[]): string[] {
  const pattern = ({ field }: Place): string => `(${usualKinds(field.type)})`;
  const matches = (kinds: string, expected: string): string =>
    `regexp_full_match(CAST(${kinds} AS VARCHAR), '\\[${expected}\\]')`;
  const single = places.filter(({ isMany }) => !isMany);
  const paths = single.map(({ path }) => quoteText(path)).join(", ");
  return [
    ...(single.length === 0
      ? []
      : [matches(`json_type(${source}, [${paths}])`, single.map(pattern).join(", "))]),
    ...places
      .filter(({ isMany }) => isMany)
      .map((place) =>
        matches(`json_type(${source}, ${quoteText(place.path)})`, `(${pattern(place)}(, )?)*`),
      ),
  ];
}

/** What is read without a look at it; null where all values are looked at. */
function usualKinds(type: DataType): string | null {
  if (DataType.isStruct(type) || DataType.isMap(type)) return "OBJECT|NULL";
  if (DataType.isList(type)) return "ARRAY|NULL";
  if (DataType.isBool(type)) return "BOOLEAN|NULL";
  return DataType.isInt(type) || DataType.isFloat(type) ? "U?BIGINT|U?HUGEINT|DOUBLE|NULL" : null;
}

const isAny = (type: DataType): boolean => DataType.isNull(type) || isText(type);

const isNested = (type: DataType): boolean =>
  DataType.isStruct(type) || DataType.isList(type) || DataType.isMap(type);

/** @param value JSON */
function isOtherKind({ field, path }: Place, value: string): string {
  const kind = `json_type(${value})`;
  const test = kindTest(field.type, kind);
  // The value itself is cast by itself, and NULL where it cannot be.
  if (path === "$" || isNested(field.type)) return test ?? "false";
  const isUnread = `CASE WHEN ${mayBeUnread(field.type, kind)} THEN TRY_CAST(${value} AS ${duckdbTypeOf(field)}) IS NULL ELSE false END`;
  return test === null ? isUnread : `(${test} OR ${isUnread})`;
}

/** Casts are seen to one after another, and most values need none: integers too large for theirs are told as numbers. */
function mayBeUnread(type: DataType, kind: string): string {
  const isRead = DataType.isBool(type) || DataType.isInt(type) || DataType.isFloat(type);
  return isRead ? `${kind} = 'VARCHAR'` : `${kind} <> 'NULL'`;
}

/** Null where any kind may be read. */
function kindTest(type: DataType, kind: string): string | null {
  if (DataType.isStruct(type) || DataType.isMap(type)) return `${kind} NOT IN ('OBJECT', 'NULL')`;
  if (DataType.isList(type)) return `${kind} NOT IN ('ARRAY', 'NULL')`;
  if (DataType.isBool(type)) return `${kind} NOT IN ('BOOLEAN', 'VARCHAR', 'NULL')`;
  const isNumber = DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
  return isNumber ? `${kind} IN ('BOOLEAN', 'ARRAY', 'OBJECT')` : null;
}
