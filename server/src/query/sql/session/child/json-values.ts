/**
 * A result's values as JSON.
 *
 * - Integers and decimals are numbers where a double holds them exactly, else texts.
 * - NaN and the infinities are the texts "NaN", "Infinity" and "-Infinity".
 * - Dates and times are ISO 8601; instants (TIMESTAMPTZ) are in UTC with a Z; intervals are durations.
 *   Years before 0 and after 9999 have a sign and six digits at least, as ISO 8601 expands them: 1 BC is the
 *   year 0. Infinite dates and times are "infinity" and "-infinity", as SQL writes them.
 * - Bytes are base64. Lists are arrays, structs are objects, or arrays where their members have no names
 *   (ROW); a map is an object where its keys are texts, else an array of {"key", "value"}; a union is its value.
 */

import {
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalValue,
  type DuckDBIntervalValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from "@duckdb/node-api";

/** The JSON text of a value that is not NULL. */
export type JsonEncoder = (value: never) => string;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Any decimal of so many digits is the double that is written with them. */
const EXACT_DIGITS = 15;

const quoted = (value: { toString(): string }): string => JSON.stringify(value.toString());

/** Of a type without others in it, which `json-columns.ts` goes into. */
export function jsonEncoderOf(type: DuckDBType): (value: DuckDBValue) => string {
  // Each encoder takes values of its type, which the reader of the vectors gives by the same type.
  const encode = encoderOf(type) as (value: DuckDBValue) => string;
  return (value) => (value === null ? "null" : encode(value));
}

function encoderOf(type: DuckDBType): JsonEncoder {
  switch (type.typeId) {
    case DuckDBTypeId.SQLNULL:
      return () => "null";
    case DuckDBTypeId.BOOLEAN:
      return String;
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
      return String;
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.BIGNUM:
      return (value: bigint) =>
        value <= MAX_SAFE && value >= -MAX_SAFE ? String(value) : `"${value}"`;
    case DuckDBTypeId.DECIMAL:
      return (value: DuckDBDecimalValue) => decimal(value.toString());
    case DuckDBTypeId.FLOAT:
      return (value: number) => float(shortestFloat(value));
    case DuckDBTypeId.DOUBLE:
      return float;
    case DuckDBTypeId.VARCHAR:
      return (value: string) => JSON.stringify(value);
    case DuckDBTypeId.BLOB:
      return (value: DuckDBBlobValue) =>
        `"${Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.length).toString("base64")}"`;
    case DuckDBTypeId.DATE:
      return (value: DuckDBDateValue) => JSON.stringify(isoDate(value));
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
      return (value: TimestampValue) => JSON.stringify(isoTimestamp(value));
    case DuckDBTypeId.TIMESTAMP_TZ:
      return (value: { readonly micros: bigint }) => JSON.stringify(isoInstant(value.micros));
    case DuckDBTypeId.INTERVAL:
      return (value: DuckDBIntervalValue) => JSON.stringify(isoDuration(value));
    default:
      return (value: { toString(): string }) => quoted(value);
  }
}

/** Zeros at the end of a fraction are of the type, not of the value. */
function decimal(text: string): string {
  const value = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  const digits = value.replace(/[-.]/g, "").replace(/^0+/, "");
  if (digits.length > EXACT_DIGITS) return `"${text}"`;
  return text.length <= EXACT_DIGITS ? text : value;
}

function float(value: number): string {
  // JavaScript's text of it has no sign.
  if (Object.is(value, -0)) return "-0.0";
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

/** The fewest digits that name the single-precision number. */
function shortestFloat(value: number): number {
  if (value === 0) return value;
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}

/** DuckDB's infinities of dates are the last day that it has, and that day before year 1. */
const INFINITE_DAYS = 2 ** 31 - 1;

function isoDate(value: DuckDBDateValue): string {
  if (Math.abs(value.days) < INFINITE_DAYS) return isoText(value.toString());
  return value.days > 0 ? "infinity" : "-infinity";
}

const TIME = /^(\d+)(-\d\d-\d\d)( \(BC\))?(?: (\d\d:\d\d:\d\d)(\.\d+)?)?$/;

/** Of DuckDB's text of a date, or of a time without a zone. */
function isoText(text: string): string {
  const parts = TIME.exec(text);
  if (parts === null) return text;
  const [, digits, day, era, clock, decimals = ""] = parts;
  const year = era === undefined ? Number(digits) : 1 - Number(digits);
  const isPlain = year >= 0 && year <= 9999;
  const sign = isPlain ? "" : year < 0 ? "-" : "+";
  const date = `${sign}${String(Math.abs(year)).padStart(isPlain ? 4 : 6, "0")}${day}`;
  const fraction = decimals.replace(/\.?0+$/, "");
  return clock === undefined ? date : `${date}T${clock}${fraction}`;
}

type TimestampValue =
  | DuckDBTimestampValue
  | DuckDBTimestampSecondsValue
  | DuckDBTimestampMillisecondsValue
  | DuckDBTimestampNanosecondsValue;

function isoTimestamp(value: TimestampValue): string {
  return infinityOf(countOf(value)) ?? isoText(value.toString());
}

/** Units since 1970. */
function countOf(value: TimestampValue): bigint {
  if ("micros" in value) return value.micros;
  if ("seconds" in value) return value.seconds;
  return "millis" in value ? value.millis : value.nanos;
}

/** Of a time, whatever its unit. */
function infinityOf(count: bigint): string | null {
  if (count === LARGEST) return "infinity";
  return count === -LARGEST ? "-infinity" : null;
}

const LARGEST = (1n << 63n) - 1n;

function isoInstant(microseconds: bigint): string {
  const text = new DuckDBTimestampValue(microseconds).toString();
  return infinityOf(microseconds) ?? `${isoText(text)}Z`;
}

/** ISO 8601's duration: months, days and seconds, as DuckDB keeps them apart. */
function isoDuration({ months, days, micros }: DuckDBIntervalValue): string {
  const seconds = micros / 1_000_000n;
  const within = micros % 1_000_000n;
  const sign = micros < 0n ? "-" : "";
  const whole = seconds < 0n ? -seconds : seconds;
  const fraction = String(within < 0n ? -within : within)
    .padStart(6, "0")
    .replace(/0+$/, "");
  const date = `${months === 0 ? "" : `${months}M`}${days === 0 ? "" : `${days}D`}`;
  const time = micros === 0n ? "" : `T${sign}${whole}${fraction === "" ? "" : `.${fraction}`}S`;
  return date === "" && time === "" ? "PT0S" : `P${date}${time}`;
}
