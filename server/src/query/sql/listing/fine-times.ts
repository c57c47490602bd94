/**
 * Times that are written finer than microseconds: of delimited text SQL infers microseconds, and its casts, those of
 * JSON too, cut what is behind the digits of their type.
 */

import {
  DataType,
  Field,
  type Time,
  TimeNanosecond,
  type Timestamp,
  TimestampNanosecond,
  TimeUnit,
  Utf8,
} from "apache-arrow";
import { COLUMN_WARNING } from "../scan.ts";
import { warned } from "./cut-times.ts";

const DIGITS: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

export const isTime = (type: DataType): type is Timestamp | Time =>
  DataType.isTimestamp(type) || DataType.isTime(type);

/**
 * A column of delimited text whose times were inferred, some of which are finer than microseconds: one of nanoseconds. Those with a
 * zone are read in microseconds all the same, which a warning says. Null where it is another column.
 *
 * @param fine one that is finer, as messages have it; null = none is
 * @param far one that nanoseconds have no room for, likewise
 */
export function fineTimes(field: Field, fine: string | null, far: string | null): Field | null {
  const { name, type, metadata } = field;
  if (fine === null || !isTime(type) || type.unit !== TimeUnit.MICROSECOND) return null;
  const as = (to: DataType): Field => new Field(name, to, true, metadata);
  if (DataType.isTime(type)) return as(new TimeNanosecond());
  const { timezone } = type;
  if (timezone) return warned(as(new TimestampNanosecond(timezone)));
  if (far === null) return as(new TimestampNanosecond());
  const warning = `the column ${name} is read as texts, as it has times finer than microseconds, such as ${fine}, and times that nanoseconds have no room for, such as ${far}; a snapshot's fileSchema says what is meant`;
  return new Field(name, new Utf8(), true, new Map([[COLUMN_WARNING, warning]]));
}

/**
 * Whether a text has a time with digits that a type cuts; null where the type is of no times, or a warning says that
 * it cuts them.
 *
 * @param text in the quotes of JSON or without
 */
export function isFiner(text: string, type: DataType): string | null {
  if (!isTime(type)) return null;
  if (DataType.isTimestamp(type) && type.unit === TimeUnit.NANOSECOND && type.timezone) return null;
  return `coalesce(regexp_matches(${text}, ':[0-9]{2}[.][0-9]{${DIGITS[type.unit]}}[0-9]*[1-9]'), false)`;
}

/** Whether a text or a JSON value is a time that nanoseconds have no room for. */
export const isTooFar = (source: string): string =>
  `(TRY_CAST(${source} AS TIMESTAMP) IS NOT NULL AND TRY_CAST(${source} AS TIMESTAMP_NS) IS NULL)`;

/**
 * What of a text a type of dates or times of day drops without a word: whether it has that, and what it is.
 *
 * @param text in the quotes of JSON or without
 */
export function droppedParts(text: string, type: DataType): { when: string; part: string }[] {
  const matches = (pattern: string): string =>
    `coalesce(regexp_matches(${text}, '${pattern}'), false)`;
  if (DataType.isDate(type)) {
    const midnight = matches('[T ]00:00(:00([.]0*)?)?Z?"?$');
    const when = `(${matches("[T ][0-9]{1,2}:[0-9]{2}")} AND NOT ${midnight})`;
    return [{ when, part: "time of day" }];
  }
  if (!DataType.isTime(type)) return [];
  const offset = matches(":[0-9]{2}([.][0-9]+)? ?[+-]");
  const isUtc = matches('[+-]00(:?00)?"?$');
  return [
    { when: matches("[0-9]-[0-9]{1,2}-[0-9]"), part: "date" },
    { when: `(${offset} AND NOT ${isUtc})`, part: "offset from UTC" },
  ];
}
