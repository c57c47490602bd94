/** Constants of a plan as exact values; null for types whose comparison elsewhere is not sure. */

import type { ScanValue } from "../../../sources/scan-filter.ts";
import { integerOf, type JsonObject, objectOf, textOf } from "./lossless-json.ts";

const DAY = 86_400_000;
/** Microseconds of 0001-01-01 and of the end of 9999: what every system writes in four digits. */
const FIRST_MICROSECOND = BigInt(Date.UTC(2001, 0, 1) - 2000 * 365.2425 * DAY) * 1000n;
const LAST_MICROSECOND = BigInt(Date.UTC(10_000, 0, 1)) * 1000n - 1n;

export function scanValueOf(constant: JsonObject): ScanValue | null {
  if (constant["is_null"] === true) return null;
  const type = objectOf(constant["type"]);
  const value = constant["value"];
  switch (textOf(type["id"])) {
    case "BOOLEAN":
      return typeof value === "boolean" ? { type: "boolean", value } : null;
    case "TINYINT":
    case "SMALLINT":
    case "INTEGER":
    case "BIGINT":
    case "UTINYINT":
    case "USMALLINT":
    case "UINTEGER":
    case "UBIGINT":
    case "HUGEINT":
    case "UHUGEINT": {
      const integer = wideIntegerOf(value);
      return integer === null ? null : { type: "number", value: String(integer) };
    }
    case "DECIMAL": {
      const scale = objectOf(type["type_info"])["scale"] ?? 0;
      const unscaled = wideIntegerOf(value);
      if (unscaled === null || typeof scale !== "number") return null;
      return { type: "number", value: decimalText(unscaled, scale) };
    }
    case "FLOAT":
    case "DOUBLE":
      return typeof value === "number" && Number.isFinite(value) ? { type: "double", value } : null;
    case "VARCHAR":
      // With a collation, equal texts need not be equal elsewhere.
      return typeof value === "string" && type["type_info"] === undefined
        ? { type: "text", value }
        : null;
    case "DATE": {
      const days = integerOf(value);
      if (days === null) return null;
      const text = isoMicroseconds(days * BigInt(DAY) * 1000n);
      return text === null ? null : { type: "date", value: text.slice(0, 10) };
    }
    case "TIMESTAMP": {
      const text = isoMicroseconds(integerOf(value));
      return text === null ? null : { type: "timestamp", value: text };
    }
    case "TIMESTAMP WITH TIME ZONE": {
      const text = isoMicroseconds(integerOf(value));
      return text === null ? null : { type: "timestamptz", value: `${text}Z` };
    }
    default:
      return null;
  }
}

/** Integers of 128 bits come in two halves. */
function wideIntegerOf(value: JsonObject[string] | undefined): bigint | null {
  const plain = integerOf(value);
  if (plain !== null) return plain;
  const { upper, lower } = objectOf(value);
  const high = integerOf(upper ?? 0);
  const low = integerOf(lower ?? 0);
  return high === null || low === null || (upper === undefined && lower === undefined)
    ? null
    : (high << 64n) + low;
}

function decimalText(unscaled: bigint, scale: number): string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  const sign = unscaled < 0n ? "-" : "";
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** `2024-02-29T10:05:00.000001`; null before year 1 and after 9999, and so for the infinities. */
function isoMicroseconds(microseconds: bigint | null): string | null {
  if (microseconds === null) return null;
  if (microseconds < FIRST_MICROSECOND || microseconds > LAST_MICROSECOND) return null;
  const within = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((microseconds - within) / 1000n)).toISOString().slice(0, 19);
  return within === 0n ? seconds : `${seconds}.${String(within).padStart(6, "0")}`;
}
