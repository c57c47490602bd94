/**
 * PostgreSQL's types as Arrow's, and how a column of each leaves the server as CSV:
 *
 *   bool                            Bool
 *   int2, int4, int8, oid           Int16, Int32, Int64, Int64
 *   float4, float8                  Float32, Float64 (NaN and infinities stay)
 *   numeric(p,s), p and s up to 38  Decimal(p,s); NaN becomes NULL, which Arrow's decimal has none of
 *   numeric without or beyond that  Decimal(38,s), s by a sample of its values and 10 as a rule; Utf8
 *                                   where 38 digits do not hold the sample. What does not fit the type
 *                                   is an error of the query that reads it, and nothing is rounded
 *   money                           Decimal(19,2), all digits of its 64 bits where cents are its unit
 *   text, varchar, name, uuid       Utf8
 *   char(n)                         Utf8 without the blanks that pad it, which mean nothing there
 *   bytea                           Binary
 *   date                            Date32; years BC and the infinities stay
 *   time                            Time64 in microseconds
 *   timestamp, timestamptz          Timestamp in microseconds, without and with the zone UTC; BC and
 *                                   the infinities stay; DuckDB ends in the year 294247, 30 years sooner
 *   arrays and composites           Utf8, the text of their JSON
 *   all else                        Utf8, as PostgreSQL writes it: json, jsonb, xml, enums, citext,
 *                                   inet, timetz, interval, bit, ranges, geometry, …
 */

import * as arrow from "apache-arrow";
import type { SourceColumn } from "./source-column.ts";

/** How comparisons of a column's values are said at the server; see `filter.ts`. */
export type Comparability =
  | "boolean"
  | "integer"
  | "float"
  | "decimal"
  | "rounded-decimal"
  | "text"
  | "padded-text"
  | "cast-text"
  | "uuid"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "composite"
  | "none";

export interface ColumnType {
  readonly arrow: arrow.DataType;
  readonly comparability: Comparability;
  /** Values become NULL that are not NULL at the server. */
  readonly losesValues: boolean;
  /** The expression of its CSV field, over the quoted name. */
  readonly select: (column: string) => string;
}

const MAX_DIGITS = 38;
/** Of a numeric without bounds: it leaves 28 digits before the point. */
const USUAL_SCALE = 10;

const asItIs = (column: string): string => column;
const asJson = (column: string): string => `pg_catalog.to_json(${column})::text`;
const asText = (column: string): string => `${column}::text`;

/** `0044-03-15 BC` is `0044-03-15 (BC)` in DuckDB. */
const asDate = (column: string): string =>
  `CASE WHEN ${column} < '0001-01-01'::date THEN ` +
  `pg_catalog.replace(${column}::text, ' BC', ' (BC)') ELSE ${column}::text END`;

/** `0044-03-15 12:00:00+00 BC` is `0044-03-15 (BC) 12:00:00+00`. */
const asTimestamp =
  (type: string) =>
  (column: string): string =>
    `CASE WHEN ${column} < '0001-01-01 00:00:00+00'::${type} THEN pg_catalog.regexp_replace(` +
    `${column}::text, '^([^ ]+) (.*) BC$', '\\1 (BC) \\2') ELSE ${column}::text END`;

const TEXT: ColumnType = plain(new arrow.Utf8(), "none");

const BUILT_IN: Readonly<Record<string, ColumnType>> = {
  bool: plain(new arrow.Bool(), "boolean"),
  int2: plain(new arrow.Int16(), "integer"),
  int4: plain(new arrow.Int32(), "integer"),
  int8: plain(new arrow.Int64(), "integer"),
  oid: plain(new arrow.Int64(), "none"),
  float4: plain(new arrow.Float32(), "float"),
  float8: plain(new arrow.Float64(), "float"),
  money: {
    ...plain(new arrow.Decimal(2, 19, 128), "none"),
    select: (column) => `${column}::pg_catalog.numeric`,
  },
  text: plain(new arrow.Utf8(), "text"),
  varchar: plain(new arrow.Utf8(), "text"),
  name: plain(new arrow.Utf8(), "cast-text"),
  bpchar: { ...plain(new arrow.Utf8(), "padded-text"), select: asText },
  uuid: plain(new arrow.Utf8(), "uuid"),
  bytea: {
    ...plain(new arrow.Binary(), "none"),
    select: (column) => `pg_catalog.encode(${column}, 'hex')`,
  },
  date: { ...plain(new arrow.DateDay(), "date"), select: asDate },
  time: plain(new arrow.TimeMicrosecond(), "none"),
  timestamp: {
    ...plain(new arrow.TimestampMicrosecond(), "timestamp"),
    select: asTimestamp("timestamp"),
  },
  timestamptz: {
    ...plain(new arrow.TimestampMicrosecond("UTC"), "timestamptz"),
    select: asTimestamp("timestamptz"),
  },
};

/** @param asked as what it is read; null = as it is described */
export function columnType(column: SourceColumn, asked: arrow.DataType | null = null): ColumnType {
  if (column.isArray) return { ...TEXT, select: asJson };
  if (column.kind === "c") return { ...plain(new arrow.Utf8(), "composite"), select: asJson };
  if (column.kind === "e") return plain(new arrow.Utf8(), "cast-text");
  if (column.builtIn === "numeric") return numericType(column, asked);
  return (column.builtIn === null ? undefined : BUILT_IN[column.builtIn]) ?? TEXT;
}

/** Whether a numeric may have more digits than a decimal here, as its declaration says. */
export function isUnboundedNumeric(column: SourceColumn): boolean {
  if (column.isArray || column.builtIn !== "numeric") return false;
  const declared = declaredDigits(column.modifier);
  return declared === null || declared.digits > MAX_DIGITS;
}

function numericType(column: SourceColumn, asked: arrow.DataType | null): ColumnType {
  const declared = declaredDigits(column.modifier);
  if (declared !== null && declared.digits <= MAX_DIGITS) {
    return decimalType(declared.digits, declared.scale);
  }
  if (arrow.DataType.isDecimal(asked)) return decimalType(asked.precision, asked.scale);
  // A snapshot may ask for doubles, as for texts: its writer knows that they round.
  if (arrow.DataType.isFloat(asked)) return plain(new arrow.Float64(), "rounded-decimal");
  if (asked !== null) return plain(new arrow.Utf8(), "cast-text");
  const { whole, fraction } = column.sampledDigits ?? { whole: 0, fraction: 0 };
  const needed = declared?.scale ?? Math.max(fraction, Math.min(USUAL_SCALE, MAX_DIGITS - whole));
  return whole + needed > MAX_DIGITS
    ? plain(new arrow.Utf8(), "cast-text")
    : decimalType(MAX_DIGITS, needed);
}

function decimalType(precision: number, scale: number): ColumnType {
  return {
    arrow: new arrow.Decimal(scale, precision, 128),
    comparability: "decimal",
    losesValues: true,
    select: (column) => `nullif(${column}, 'NaN'::pg_catalog.numeric)`,
  };
}

/**
 * The modifier holds precision and scale; the scale is negative or beyond the precision at will. Null
 * where there is none.
 */
function declaredDigits(
  modifier: number,
): { readonly digits: number; readonly scale: number } | null {
  if (modifier < 4) return null;
  const precision = ((modifier - 4) >> 16) & 0xffff;
  const scale = (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
  const digits = scale < 0 ? precision - scale : Math.max(precision, scale);
  return { digits, scale: Math.max(scale, 0) };
}

function plain(type: arrow.DataType, comparability: Comparability): ColumnType {
  return { arrow: type, comparability, losesValues: false, select: asItIs };
}
