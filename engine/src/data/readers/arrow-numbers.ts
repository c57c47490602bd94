/** Arrow's values of a fixed width as numbers, and as digits where a number would lose some. */

import { DataType, DateUnit, type Decimal, Precision, TimeUnit } from "apache-arrow";
import type { ArrowColumn, FixedColumn } from "../arrow/column.ts";
import { losesDecimals } from "./large-integers.ts";

/** Readers of the values of a column, by row; a missing one is not to be read. */
export interface ColumnNumbers {
  readonly isNull: (row: number) => boolean;
  /** Times are milliseconds since 1970. */
  readonly value: (row: number) => number;
  /** All digits of a whole number; null where the value is none. Null for types without such numbers. */
  readonly digits: ((row: number) => string | null) | null;
  /** A decimal whose last places the number loses, as it would be written; null for all others. */
  readonly decimal: ((row: number) => string | null) | null;
  /** Whether a time is finer than a microsecond, which a double's milliseconds do not keep; null for all others. */
  readonly isFiner: ((row: number) => boolean) | null;
  /** Whether a time has microseconds beside milliseconds; null for all others. */
  readonly hasMicroseconds: ((row: number) => boolean) | null;
}

/** @param column of numbers, booleans or times */
export function numbersOf(column: ArrowColumn): ColumnNumbers {
  if (column.layout === "bool") {
    const { bits, validity } = column;
    const value = (row: number) => (bits[row >> 3] >> (row & 7)) & 1;
    return {
      isNull: (row) => validity.isNull(row),
      value,
      digits: null,
      decimal: null,
      isFiner: null,
      hasMicroseconds: null,
    };
  }
  if (column.layout !== "fixed") throw new TypeError(`a column of ${column.layout} has no numbers`);
  return {
    isNull: (row) => column.validity.isNull(row),
    value: valueReader(column),
    digits: digitsReader(column),
    decimal: roundedReader(column),
    ...fractionReaders(column),
  };
}

type TypedValues =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** The values as JavaScript has them; half floats are their bits. Not for decimals and intervals. */
export function typedValues({ type, values, width, length }: FixedColumn): TypedValues {
  const at = [values.buffer, values.byteOffset, length] as const;
  if (DataType.isFloat(type)) {
    if (type.precision === Precision.HALF) return new Uint16Array(...at);
    return type.precision === Precision.SINGLE ? new Float32Array(...at) : new Float64Array(...at);
  }
  const isSigned = !DataType.isInt(type) || type.isSigned;
  switch (width) {
    case 1:
      return isSigned ? new Int8Array(...at) : new Uint8Array(...at);
    case 2:
      return isSigned ? new Int16Array(...at) : new Uint16Array(...at);
    case 4:
      return isSigned ? new Int32Array(...at) : new Uint32Array(...at);
    default:
      return isSigned ? new BigInt64Array(...at) : new BigUint64Array(...at);
  }
}

function valueReader(column: FixedColumn): (row: number) => number {
  const { type } = column;
  if (DataType.isDecimal(type)) return decimalReader(column, type);
  const values = typedValues(column);
  if (DataType.isFloat(type) && type.precision === Precision.HALF)
    return (row) => halfFloat(Number(values[row]));
  if (DataType.isTimestamp(type)) {
    // Units: seconds, milliseconds, microseconds, nanoseconds.
    const scale = 1000 ** (type.unit - 1);
    return (row) => Number(values[row]) / scale;
  }
  if (DataType.isDate(type) && type.unit === DateUnit.DAY)
    return (row) => Number(values[row]) * 86_400_000;
  return (row) => Number(values[row]);
}

/** Reads whole numbers of types that have more digits than doubles; null where another type is read. */
function digitsReader(column: FixedColumn): ((row: number) => string | null) | null {
  const { type } = column;
  if (DataType.isInt(type)) {
    const values = typedValues(column);
    return (row) => String(values[row]);
  }
  if (!DataType.isDecimal(type)) return null;
  const { scale } = type;
  const unit = 10n ** BigInt(Math.abs(scale));
  const integer = integerReader(column);
  return (row) => {
    const value = integer(row);
    if (scale <= 0) return String(value * unit);
    return value % unit === 0n ? String(value / unit) : null;
  };
}

function fractionReaders(column: FixedColumn): Pick<ColumnNumbers, "isFiner" | "hasMicroseconds"> {
  const { type } = column;
  if (!DataType.isTimestamp(type) || type.unit < TimeUnit.MICROSECOND) {
    return { isFiner: null, hasMicroseconds: null };
  }
  const values = typedValues(column);
  const isBeyond = (unit: bigint) => (row: number) => BigInt(values[row] ?? 0) % unit !== 0n;
  return type.unit === TimeUnit.NANOSECOND
    ? { isFiner: isBeyond(1000n), hasMicroseconds: isBeyond(1_000_000n) }
    : { isFiner: null, hasMicroseconds: isBeyond(1000n) };
}

function roundedReader(column: FixedColumn): ((row: number) => string | null) | null {
  const { type } = column;
  if (!DataType.isDecimal(type) || type.scale <= 0) return null;
  const { scale } = type;
  const integer = integerReader(column);
  return (row) => {
    const digits = integer(row);
    if (digits >= -SAFE && digits <= SAFE) return null;
    const written = decimalText(digits, scale);
    return losesDecimals(written, Number(written)) ? written : null;
  };
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function decimalText(digits: bigint, scale: number): string {
  const sign = digits < 0n ? "-" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** IEEE 754 binary16. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The integers that decimals are, times 10^scale: two's complement of 32 to 256 bits. */
function integerReader({ values, width }: FixedColumn): (row: number) => bigint {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  if (width === 4) return (row) => BigInt(view.getInt32(4 * row, true));
  return (row) => {
    let integer = view.getBigInt64(width * (row + 1) - 8, true);
    for (let word = width - 16; word >= 0; word -= 8)
      integer = (integer << 64n) | view.getBigUint64(width * row + word, true);
    return integer;
  };
}

function decimalReader(column: FixedColumn, { scale }: Decimal): (row: number) => number {
  const read = integerReader(column);
  return (row) => {
    const integer = read(row);
    if (scale <= 0) return Number(integer) * 10 ** -scale;
    // Through text, so that the nearest double is taken however many digits there are.
    return Number(`${integer}e-${scale}`);
  };
}
