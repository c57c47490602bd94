/**
 * Trino's types as Arrow's, and how a value of each becomes a CSV field:
 *
 *   boolean                          Bool
 *   tinyint … bigint                 Int8 … Int64; bigint is asked for as text, JSON's numbers end at 2^53
 *   real, double                     Float32, Float64
 *   decimal(p,s)                     Decimal(p,s)
 *   varchar                          Utf8
 *   char(n)                          Utf8 without the blanks that pad it
 *   varbinary                        Binary
 *   date                             Date32
 *   time(p), p up to 6               Time64 in microseconds
 *   timestamp(p)                     Timestamp in microseconds up to 6, nanoseconds up to 9 (the years
 *                                    1677 to 2262, as DuckDB has them)
 *   timestamp(p) with time zone      Timestamp in microseconds with the zone UTC, up to 6
 *   array, map, row                  Utf8, JSON: a map or a row as an object
 *   all else                         Utf8, as Trino writes it: json, uuid, ipaddress, intervals,
 *                                    times of more digits or with a zone
 */

import * as arrow from "apache-arrow";
import type { TypeSignature } from "./type-signature.ts";

export interface ValueType {
  readonly arrow: arrow.DataType;
  /** The expression that is selected, over the quoted name. */
  readonly select: (column: string) => string;
  /** The field's text, of a value that is not null. */
  readonly text: (value: unknown) => string;
  /** Whether its JSON may hold integers beyond 2^53. */
  readonly nested: boolean;
  /** Whether the text may be empty or hold what CSV must quote. */
  readonly free: boolean;
}

const MICROSECOND_DIGITS = 6;
const NANOSECOND_DIGITS = 9;

const asItIs = (column: string): string => column;

export function valueType(type: TypeSignature): ValueType {
  const digits = type.numbers[0] ?? 3;
  switch (type.name) {
    case "boolean":
      return plain(new arrow.Bool());
    case "tinyint":
      return plain(new arrow.Int8());
    case "smallint":
      return plain(new arrow.Int16());
    case "integer":
      return plain(new arrow.Int32());
    case "bigint":
      return {
        ...plain(new arrow.Int64()),
        select: (column) => `CAST(${column} AS varchar)`,
      };
    case "real":
      return { ...plain(new arrow.Float32()), text: floatText };
    case "double":
      return { ...plain(new arrow.Float64()), text: floatText };
    case "decimal":
      return plain(new arrow.Decimal(type.numbers[1] ?? 0, type.numbers[0] ?? 38, 128));
    case "char":
      return { ...plain(new arrow.Utf8()), text: (value) => String(value).replace(/ +$/, "") };
    case "varbinary":
      return { ...plain(new arrow.Binary()), text: hex };
    case "date":
      return { ...plain(new arrow.DateDay()), text: (value) => dated(String(value)) };
    case "time":
      return plain(digits <= MICROSECOND_DIGITS ? new arrow.TimeMicrosecond() : new arrow.Utf8());
    case "timestamp":
      if (digits > NANOSECOND_DIGITS) return plain(new arrow.Utf8());
      return {
        ...plain(
          digits <= MICROSECOND_DIGITS
            ? new arrow.TimestampMicrosecond()
            : new arrow.TimestampNanosecond(),
        ),
        text: (value) => dated(String(value)),
      };
    case "timestamp with time zone":
      if (digits > MICROSECOND_DIGITS) return plain(new arrow.Utf8());
      return {
        ...plain(new arrow.TimestampMicrosecond("UTC")),
        select: (column) => `${column} AT TIME ZONE 'UTC'`,
        text: (value) => dated(atUtc(String(value))),
      };
    case "array":
    case "map":
    case "row":
      return {
        ...plain(new arrow.Utf8()),
        text: (value) => JSON.stringify(nestedValue(value, type)),
        nested: true,
      };
    default:
      return plain(new arrow.Utf8());
  }
}

function plain(type: arrow.DataType): ValueType {
  const free = arrow.DataType.isUtf8(type) || arrow.DataType.isBinary(type);
  return { arrow: type, select: asItIs, text: String, nested: false, free };
}

/** `String` takes the sign of a negative zero away; NaN and the infinities come as texts. */
const floatText = (value: unknown): string => (Object.is(value, -0) ? "-0.0" : String(value));

const hex = (value: unknown): string => Buffer.from(String(value), "base64").toString("hex");

const atUtc = (text: string): string =>
  text.endsWith(" UTC") ? `${text.slice(0, -" UTC".length)}+00` : text;

/** Java's years have a sign beyond 9999 and count 1 BC as 0; DuckDB writes `0001-01-01 (BC)`. */
function dated(text: string): string {
  if (text[4] === "-" && text[0] !== "-" && !text.startsWith("0000")) return text;
  const match = /^([+-]?)(\d{4,})(-\d\d-\d\d)(.*)$/.exec(text);
  if (match === null) return text;
  const [, sign, digits, monthAndDay, rest] = match;
  const year = Number(digits);
  if (sign !== "-" && year > 0) return sign === "+" ? text.slice(1) : text;
  return `${String(year + 1).padStart(4, "0")}${monthAndDay} (BC)${rest}`;
}

/** What JSON says of a nested value: members by their names, bytes in hex. */
function nestedValue(value: unknown, type: TypeSignature): unknown {
  if (value === null || value === undefined) return null;
  switch (type.name) {
    case "array":
      return Array.isArray(value) ? value.map((item) => nestedValue(item, type.types[0]!)) : value;
    case "row":
      return Array.isArray(value)
        ? objectOf(
            type.members.map(({ name, type: member }, index) => [
              name ?? `field${index}`,
              nestedValue(value[index], member),
            ]),
          )
        : value;
    case "map":
      return typeof value === "object"
        ? objectOf(
            Object.entries(value).map(([key, one]) => [key, nestedValue(one, type.types[1]!)]),
          )
        : value;
    case "varbinary":
      return hex(value);
    case "char":
      return String(value).replace(/ +$/, "");
    default:
      return value;
  }
}

/** Without a prototype's members, so that any key is one. */
function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}
