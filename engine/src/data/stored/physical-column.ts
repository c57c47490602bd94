/**
 * A column in the narrowest Arrow type that holds its values exactly, so that what is read from the
 * file is what was written into it, bit by bit.
 */

import {
  Bool,
  type DataType,
  Dictionary,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  TimestampMicrosecond,
  TimestampMillisecond,
  Utf8,
} from "apache-arrow";
import type { Column } from "../table.ts";

/** Numbers as the buffers of a column have them, a row after the other. */
export type PhysicalValues =
  | Int8Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

export type PhysicalColumn =
  /** Missing numbers are NaN, where the type has it. */
  | { readonly layout: "fixed"; readonly type: DataType; readonly values: PhysicalValues }
  | { readonly layout: "bits"; readonly type: DataType; readonly values: Uint8Array }
  /** Of categories and texts: each is held once. */
  | {
      readonly layout: "dictionary";
      readonly type: Dictionary;
      readonly values: PhysicalValues;
      readonly dictionary: readonly string[];
    };

/** @param place of the column, which is the id of its dictionary */
export function physicalColumn(column: Column, place: number): PhysicalColumn {
  switch (column.kind) {
    case "numeric":
      return numbers(column.values);
    case "timestamp":
      return times(column.values);
    case "boolean":
      return { layout: "bits", type: new Bool(), values: column.values };
    case "categorical":
      return coded(column.codes, column.categories, place);
    case "text": {
      const numbers = new Map<string, number>();
      const codes = Int32Array.from(column.values, (text) => {
        if (text === null) return -1;
        const known = numbers.get(text);
        if (known !== undefined) return known;
        numbers.set(text, numbers.size);
        return numbers.size - 1;
      });
      return coded(codes, [...numbers.keys()], place);
    }
  }
}

function coded(codes: Int32Array, dictionary: readonly string[], place: number): PhysicalColumn {
  const [indices, make] = integersFor(0, dictionary.length);
  const values = make(codes);
  // A missing cell becomes 0, which its bit of validity hides.
  for (let i = 0; i < values.length; i++) if (values[i] < 0) values[i] = 0;
  const type = new Dictionary(new Utf8(), indices, place);
  return { layout: "dictionary", type, values, dictionary };
}

function numbers(values: Float64Array): PhysicalColumn {
  const range = wholeRange(values);
  if (range === null) {
    return areSingle(values)
      ? { layout: "fixed", type: new Float32(), values: new Float32Array(values) }
      : { layout: "fixed", type: new Float64(), values: owned(values) };
  }
  if (range.low < -(2 ** 31) || range.high >= 2 ** 31) {
    return { layout: "fixed", type: new Int64(), values: words(values, 1) };
  }
  const [type, make] = integersFor(range.low, range.high);
  return { layout: "fixed", type, values: make(values) };
}

/** From the least to the greatest, and 0; null where not all that are there are integers that doubles tell apart. */
function wholeRange(values: Float64Array): { readonly low: number; readonly high: number } | null {
  let [low, high] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) return null;
    if (value < low) low = value;
    else if (value > high) high = value;
  }
  return { low, high };
}

function areSingle(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Math.fround(value) !== value && !Number.isNaN(value)) return false;
  }
  return true;
}

/** Whole milliseconds, or microseconds, where that is exact; else doubles. */
function times(values: Float64Array): PhysicalColumn {
  for (const [type, scale] of [
    [new TimestampMillisecond(), 1],
    [new TimestampMicrosecond(), 1000],
  ] as const) {
    const whole = wholeTimes(values, scale);
    if (whole !== null) return { layout: "fixed", type, values: whole };
  }
  return { layout: "fixed", type: new Float64(), values: owned(values) };
}

function wholeTimes(values: Float64Array, scale: number): BigInt64Array<ArrayBuffer> | null {
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    const scaled = Math.round(value * scale);
    if (!Number.isSafeInteger(scaled) || !Object.is(scaled / scale + 0, value)) return null;
  }
  return words(values, scale);
}

/** Products that are safe integers, of 64 bits; missing ones are 0. */
function words(values: Float64Array, scale: number): BigInt64Array<ArrayBuffer> {
  const whole = new BigInt64Array(values.length);
  const halves = new Int32Array(whole.buffer);
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    const scaled = Math.round(values[i] * scale);
    const high = Math.floor(scaled / 2 ** 32);
    halves[2 * i] = scaled - high * 2 ** 32;
    halves[2 * i + 1] = high;
  }
  return whole;
}

/** Of numbers that are missing they make 0. */
function integersFor(low: number, high: number) {
  if (low >= -(2 ** 7) && high < 2 ** 7) {
    return [new Int8(), (values: ArrayLike<number>) => new Int8Array(values)] as const;
  }
  if (low >= -(2 ** 15) && high < 2 ** 15) {
    return [new Int16(), (values: ArrayLike<number>) => new Int16Array(values)] as const;
  }
  return [new Int32(), (values: ArrayLike<number>) => new Int32Array(values)] as const;
}

const owned = (values: Float64Array): Float64Array<ArrayBuffer> =>
  values.buffer instanceof ArrayBuffer
    ? new Float64Array(values.buffer, values.byteOffset, values.length)
    : Float64Array.from(values);
