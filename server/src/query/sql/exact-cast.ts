/** Texts as numbers without rounding, which a cast of DuckDB's alone does. */

import { DataType, type Field } from "apache-arrow";
import { duckdbTypeOf } from "../arrow/duckdb-type.ts";

/**
 * NULL where the text is no value of the field's type.
 *
 * @param source a column of texts or JSON values, quoted
 */
export function exactCast(source: string, field: Field): string {
  const cast = `TRY_CAST(${source} AS ${duckdbTypeOf(field)})`;
  // 2.5 is no whole number; 2.0 is one, as files of mixed columns have them.
  if (DataType.isInt(field.type)) {
    return `CASE WHEN (contains(${source}, '.') OR contains(${source}, 'e-') OR contains(${source}, 'E-')) AND TRY_CAST(${source} AS DOUBLE) <> ${cast} THEN NULL ELSE ${cast} END`;
  }
  if (!DataType.isDecimal(field.type)) return cast;
  // Nor has 1.250 more than two decimals.
  const finer = `\\.[0-9]{${Math.max(0, field.type.scale)}}[0-9]*[1-9]`;
  return `CASE WHEN regexp_matches(${source}, '${finer}') THEN NULL ELSE ${cast} END`;
}

/**
 * Whether a text is a whole number whose last digits the double nearest to it loses: one that is neither
 * exactly a double nor the shortest decimal of one. Never NULL.
 *
 * @param source a text
 */
export function losesDigits(source: string): string {
  const double = `TRY_CAST(${source} AS DOUBLE)`;
  const isExact = `coalesce(TRY_CAST(${double} AS HUGEINT) = TRY_CAST(${source} AS HUGEINT), false)`;
  const digits = (text: string): string => `trim(regexp_replace(${text}, '[^0-9]', '', 'g'), '0')`;
  const shortest = digits(`split_part(CAST(${double} AS VARCHAR), 'e', 1)`);
  const written = digits(`split_part(${source}, '.', 1)`);
  const isLong = `length(${source}) > 15 AND regexp_full_match(${source}, '[+-]?[0-9]{16,}([.]0*)?')`;
  return `coalesce(${isLong} AND NOT ${isExact} AND ${shortest} <> ${written}, false)`;
}

/**
 * Whether a text is a number that its type has no room for, which casts make infinite. Never NULL.
 *
 * @param source a text, or JSON
 * @param type DOUBLE or FLOAT
 */
export function isBeyond(source: string, type: string): string {
  return `coalesce(isinf(TRY_CAST(${source} AS ${type})) AND regexp_matches(CAST(${source} AS VARCHAR), '[0-9]'), false)`;
}
