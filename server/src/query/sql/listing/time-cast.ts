/**
 * Times of typed files in another unit than theirs: units are not told apart where types are compared, so
 * that a value which the wanted unit cuts or has no room for stops the query with its table, file and column.
 */

import { DataType, type Field, TimeUnit } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteText } from "../../sql-text.ts";
import { isUnzonedTime } from "../lossless-cast.ts";

/** The first and last whole second of DuckDB's TIMESTAMP_NS and of its TIMESTAMP. */
const NANOSECONDS = ["1677-09-21 00:12:44", "2262-04-11 23:47:16"] as const;
const MICROSECONDS = ["290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54"] as const;

/**
 * Null where the two are no such times, or of one unit.
 *
 * @param source the column, quoted
 * @param found the column as the file has it
 * @param place of the column, for messages
 */
export function castTime(
  source: string,
  found: Field,
  wanted: Field,
  place: string,
): string | null {
  const [from, to] = [duckdbTypeOf(found), duckdbTypeOf(wanted)];
  if (from === to || !isUnzonedTime(wanted.type)) return null;
  const isTime = isUnzonedTime(found.type);
  if (!isTime && !DataType.isDate(found.type)) return null;
  // DuckDB casts units to one another through microseconds, or not at all.
  const micros = `CAST(${source} AS TIMESTAMP)`;
  const cast = `CAST(${micros} AS ${to})`;
  const type = arrowTypeName(wanted.type);
  const reasons: { readonly when: string; readonly said: string }[] = [];
  const within = (value: string, [first, last]: readonly [string, string], as: string): void => {
    const bound = (text: string): string => `CAST(TIMESTAMP ${quoteText(text)} AS ${as})`;
    const when = `${value} NOT BETWEEN ${bound(first)} AND ${bound(last)}`;
    reasons.push({ when, said: `beyond what ${type} holds here` });
  };
  if (!isTime || found.type.unit < TimeUnit.MICROSECOND) within(source, MICROSECONDS, from);
  if (wanted.type.unit === TimeUnit.NANOSECOND) within(micros, NANOSECONDS, "TIMESTAMP");
  if (isTime && wanted.type.unit < found.type.unit) {
    // In the files' own unit, which has room for what came of it.
    reasons.push({ when: `CAST(${cast} AS ${from}) <> ${source}`, said: `finer than ${type}` });
  }
  const cases = reasons.map(
    ({ when, said }) => `WHEN ${when} THEN error(${quoteText(`${place} has times ${said}`)})`,
  );
  return `CASE ${cases.join(" ")} ELSE ${cast} END`;
}
