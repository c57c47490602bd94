/** Arrow values that DuckDB lays out differently; see `duckdb-type.ts` for the types. */

import { ArrowFileError } from "@distillery/engine/arrow";
import { DataType, type Decimal, IntervalUnit, TimeUnit, util } from "apache-arrow";
import { decimalShapeOf } from "../duckdb-type.ts";

/** Writes the value of a row at a byte of the target. */
type ValueConverter = (row: number, target: DataView, at: number) => void;

interface Conversion {
  /** Bytes of a value in DuckDB. */
  readonly targetBytes: number;
  /** @param source the column's values */
  readonly over: (source: DataView) => ValueConverter;
}

/** How values of a type are laid out anew; null where they have the same bytes in DuckDB. */
export function conversionOf(type: DataType): Conversion | null {
  if (DataType.isFloat(type)) return type.precision === 0 ? HALF_FLOATS : null;
  if (DataType.isDecimal(type)) return decimalsOf(type);
  if (DataType.isDate(type)) return type.unit === 0 ? null : LONG_DATES;
  if (DataType.isTime(type)) return timesOf(type.unit);
  if (DataType.isTimestamp(type)) return type.timezone ? zonedTimestampsOf(type.unit) : null;
  if (DataType.isDuration(type)) return durationsOf(type.unit);
  if (DataType.isInterval(type)) return intervalsOf(type.unit);
  return null;
}

const INT64_LIMIT = 1n << 63n;
const MICROSECONDS_PER_DAY = 86_400_000_000n;

/** Microseconds are value × multiply / divide, rounded down. */
const MICROSECONDS = [
  { multiply: 1_000_000n, divide: 1n },
  { multiply: 1000n, divide: 1n },
  { multiply: 1n, divide: 1n },
  { multiply: 1n, divide: 1000n },
] as const;

function toMicroseconds(value: bigint, unit: TimeUnit, what: string): bigint {
  const { multiply, divide } = MICROSECONDS[unit];
  if (divide !== 1n) return (value - (((value % divide) + divide) % divide)) / divide;
  const microseconds = value * multiply;
  if (microseconds >= INT64_LIMIT || microseconds < -INT64_LIMIT)
    throw new ArrowFileError(
      `the ${what} ${value} (${TimeUnit[unit]}) is beyond what SQL can represent`,
    );
  return microseconds;
}

const HALF_FLOATS: Conversion = {
  targetBytes: 4,
  over: (source) => (row, target, at) =>
    target.setFloat32(at, util.uint16ToFloat64(source.getUint16(2 * row, true)), true),
};

const MILLISECONDS_PER_DAY = 86_400_000n;

/** Milliseconds as days. */
const LONG_DATES: Conversion = {
  targetBytes: 4,
  over: (source) => (row, target, at) => {
    const value = source.getBigInt64(8 * row, true);
    const inDay = ((value % MILLISECONDS_PER_DAY) + MILLISECONDS_PER_DAY) % MILLISECONDS_PER_DAY;
    const days = (value - inDay) / MILLISECONDS_PER_DAY;
    if (days !== BigInt.asIntN(32, days))
      throw new ArrowFileError(`the date ${value} (MILLISECOND) is beyond what SQL can represent`);
    target.setInt32(at, Number(days), true);
  },
};

/** Times of day in microseconds, those in nanoseconds as they are. */
function timesOf(unit: TimeUnit): Conversion {
  const isShort = unit === TimeUnit.SECOND || unit === TimeUnit.MILLISECOND;
  const limit = MICROSECONDS_PER_DAY * (unit === TimeUnit.NANOSECOND ? 1000n : 1n);
  return {
    targetBytes: 8,
    over: (source) => (row, target, at) => {
      const value = isShort
        ? BigInt(source.getInt32(4 * row, true))
        : source.getBigInt64(8 * row, true);
      const time = isShort ? value * MICROSECONDS[unit].multiply : value;
      if (time < 0n || time > limit)
        throw new ArrowFileError(
          `the time of day ${value} (${TimeUnit[unit]}) is not within a day`,
        );
      target.setBigInt64(at, time, true);
    },
  };
}

/** Timestamps with a zone, all in microseconds. */
function zonedTimestampsOf(unit: TimeUnit): Conversion {
  return {
    targetBytes: 8,
    over: (source) => (row, target, at) =>
      target.setBigInt64(
        at,
        toMicroseconds(source.getBigInt64(8 * row, true), unit, "timestamp"),
        true,
      ),
  };
}

/** Durations as intervals of microseconds. */
function durationsOf(unit: TimeUnit): Conversion {
  return {
    targetBytes: 16,
    over: (source) => (row, target, at) =>
      target.setBigInt64(
        at + 8,
        toMicroseconds(source.getBigInt64(8 * row, true), unit, "duration"),
        true,
      ),
  };
}

/** Months, days and microseconds, of what each unit of intervals has. */
function intervalsOf(unit: IntervalUnit): Conversion {
  switch (unit) {
    case IntervalUnit.YEAR_MONTH:
      return {
        targetBytes: 16,
        over: (source) => (row, target, at) =>
          target.setInt32(at, source.getInt32(4 * row, true), true),
      };
    case IntervalUnit.DAY_TIME:
      return {
        targetBytes: 16,
        over: (source) => (row, target, at) => {
          target.setInt32(at + 4, source.getInt32(8 * row, true), true);
          const milliseconds = BigInt(source.getInt32(8 * row + 4, true));
          target.setBigInt64(at + 8, milliseconds * 1000n, true);
        },
      };
    default:
      return {
        targetBytes: 16,
        over: (source) => (row, target, at) => {
          target.setInt32(at, source.getInt32(16 * row, true), true);
          target.setInt32(at + 4, source.getInt32(16 * row + 4, true), true);
          target.setBigInt64(at + 8, source.getBigInt64(16 * row + 8, true) / 1000n, true);
        },
      };
  }
}

/** Decimals in the narrowest integer that DuckDB has for their digits, or as DOUBLE. */
function decimalsOf(type: Decimal): Conversion {
  const bytes = type.bitWidth / 8;
  const shape = decimalShapeOf(type);
  if (shape === null)
    return {
      targetBytes: 8,
      // Through the text, which is rounded once.
      over: (source) => (row, target, at) =>
        target.setFloat64(at, Number(`${integerAt(source, row, bytes)}e${-type.scale}`), true),
    };
  const limit = 10n ** BigInt(type.precision);
  const zeros = type.scale < 0 ? 10n ** BigInt(-type.scale) : 1n;
  const targetBytes = shape.width > 18 ? 16 : shape.width > 9 ? 8 : shape.width > 4 ? 4 : 2;
  return {
    targetBytes,
    over: (source) => (row, target, at) => {
      const value = integerAt(source, row, bytes);
      if (value >= limit || value <= -limit)
        throw new ArrowFileError(`a decimal has more than its ${type.precision} digits`);
      putInteger(target, at, targetBytes, value * zeros);
    },
  };
}

function integerAt(source: DataView, row: number, bytes: number): bigint {
  if (bytes === 4) return BigInt(source.getInt32(4 * row, true));
  let value = source.getBigInt64(bytes * (row + 1) - 8, true);
  for (let word = bytes - 16; word >= 0; word -= 8)
    value = (value << 64n) | source.getBigUint64(bytes * row + word, true);
  return value;
}

function putInteger(target: DataView, at: number, bytes: number, value: bigint): void {
  if (bytes === 2) target.setInt16(at, Number(value), true);
  else if (bytes === 4) target.setInt32(at, Number(value), true);
  else target.setBigInt64(at, BigInt.asIntN(64, value), true);
  if (bytes === 16) target.setBigInt64(at + 8, value >> 64n, true);
}
