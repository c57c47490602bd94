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
    return `CASE WHEN contains(${source}, '.') AND TRY_CAST(${source} AS DOUBLE) <> ${cast} THEN NULL ELSE ${cast} END`;
  }
  if (!DataType.isDecimal(field.type)) return cast;
  // Nor has 1.250 more than two decimals.
  const finer = `\\.[0-9]{${Math.max(0, field.type.scale)}}[0-9]*[1-9]`;
  return `CASE WHEN regexp_matches(${source}, '${finer}') THEN NULL ELSE ${cast} END`;
}
