/**
 * Whole numbers and decimals of typed files in a column of doubles, as folders have them whose files differ:
 * types tell not whether a double holds them all, so that a value which it does not stops the query with its
 * table, file and column.
 */

import { DataType, type Field, Precision } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteText } from "../../sql-text.ts";
import { castsLosslessly } from "../lossless-cast.ts";

/** Whether each value of a column is looked at when it is read, as its type alone tells no loss. */
export function castsByValue(found: Field, { type }: Field): boolean {
  const isExact = DataType.isInt(found.type) || DataType.isDecimal(found.type);
  return isExact && DataType.isFloat(type) && type.precision === Precision.DOUBLE;
}

/**
 * Null where the two are no such columns, or doubles hold all values of the type.
 *
 * @param source the column, quoted
 * @param found the column as the file has it
 * @param place of the column, for messages
 */
export function castNumber(
  source: string,
  found: Field,
  wanted: Field,
  place: string,
): string | null {
  if (castsLosslessly(found, wanted) || !castsByValue(found, wanted)) return null;
  const double = `CAST(${source} AS DOUBLE)`;
  // Two values that one double is nearest to do not both come back; nor does what rounds beyond the type.
  const isLost = `TRY_CAST(${double} AS ${duckdbTypeOf(found)}) IS DISTINCT FROM ${source}`;
  const said = `, whose last digits are lost in ${arrowTypeName(wanted.type)}; a snapshot's fileSchema says what is meant, such as Utf8, which keeps them`;
  const lost = `error(${quoteText(`${place} has `)} || CAST(${source} AS VARCHAR) || ${quoteText(said)})`;
  return `CASE WHEN ${isLost} THEN ${lost} ELSE ${double} END`;
}
