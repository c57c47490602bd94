/**
 * One column of Arrow data → one column of a table, a record batch at a time.
 *
 * Numbers of every width become f64; integers beyond ±2⁵³ that it would not tell apart make their column
 * one of texts, with a warning. Dates and timestamps become milliseconds, dictionaries of strings categories. Zones need no care: Arrow
 * holds instants in UTC. Nested and binary columns are refused by name.
 */

import {
  type Bool,
  type Data,
  type DataType,
  type Decimal,
  type Dictionary,
  type Float,
  type Timestamp,
  Type,
  type Utf8,
  type Vector,
} from "apache-arrow";
import { coerceColumn } from "../coerce.ts";
import { shown } from "../shown.ts";
import { type ColumnKind, DataError } from "../table.ts";
import { Growing } from "./growing.ts";
import { LargeIntegers } from "./large-integers.ts";
import { inexactWarnings, numbersKept } from "./numbers-kept.ts";
import type { ReadBudget } from "./read-limits.ts";
import type { BuiltColumn, DataWarning } from "./reading.ts";
import { StringColumnBuilder } from "./string-column.ts";

/** Takes the batches of one column in order, then gives the column. */
export interface ArrowColumnBuilder {
  add(data: Data): void;
  finish(): BuiltColumn;
}

export function arrowColumn(
  name: string,
  type: DataType,
  kind: ColumnKind | undefined,
  budget: ReadBudget,
  keepsWritten = false,
): ArrowColumnBuilder {
  const id = type.typeId === Type.Dictionary ? (type as Dictionary).dictionary.typeId : type.typeId;
  switch (id) {
    case Type.Utf8:
    case Type.LargeUtf8:
      return new TextBuilder(
        name,
        kind ?? (id === type.typeId ? undefined : "categorical"),
        budget,
        keepsWritten,
      );
    case Type.Null:
      return new NumberBuilder(name, kind, "numeric", budget);
    case Type.Bool:
      return new NumberBuilder(name, kind, "boolean", budget);
    case Type.Date:
    case Type.Timestamp:
      return new NumberBuilder(name, kind, "timestamp", budget);
    case Type.Int:
    case Type.Float:
    case Type.Decimal:
    case Type.Time:
    case Type.Duration:
      return new NumberBuilder(name, kind, "numeric", budget);
    default:
      throw new DataError(
        `Column ${shown(name)} is of the type ${type}, which is no single value a row; leave it out or flatten it first.`,
        { column: name },
      );
  }
}

class TextBuilder implements ArrowColumnBuilder {
  readonly #kind: ColumnKind | undefined;
  readonly #strings: StringColumnBuilder;
  /** Codes of the entries of the dictionary that was met last. */
  #codes: Int32Array | null = null;
  #dictionary: Vector | null = null;

  constructor(
    name: string,
    kind: ColumnKind | undefined,
    budget: ReadBudget,
    keepsWritten: boolean,
  ) {
    this.#kind = kind;
    this.#strings = new StringColumnBuilder(name, budget, keepsWritten);
  }

  add(data: Data): void {
    if (data.typeId === Type.Dictionary) this.#addCodes(data as Data<Dictionary>);
    else this.#addTexts(data as Data<Utf8>);
  }

  finish(): BuiltColumn {
    return this.#strings.finish(this.#kind, false);
  }

  #addTexts(data: Data<Utf8>): void {
    const { values, valueOffsets } = data;
    for (let i = 0; i < data.length; i++) {
      if (!data.getValid(i)) this.#strings.addMissing();
      else {
        this.#strings.addBytes(values, Number(valueOffsets[i]), Number(valueOffsets[i + 1]));
      }
    }
  }

  #addCodes(data: Data<Dictionary>): void {
    const dictionary = data.dictionary as Vector;
    if (this.#codes === null || this.#dictionary !== dictionary) {
      this.#dictionary = dictionary;
      this.#codes = Int32Array.from({ length: dictionary.length }, (_, entry) => {
        const text: unknown = dictionary.get(entry);
        return typeof text === "string" ? this.#strings.intern(text) : -1;
      });
    }
    const indices = data.values as ArrayLike<number | bigint>;
    for (let i = 0; i < data.length; i++) {
      if (!data.getValid(i)) this.#strings.addMissing();
      else this.#strings.addCode(this.#codes[Number(indices[i])]);
    }
  }
}

/** Milliseconds of the last day that ECMAScript dates have, far beyond the last that is meant. */
const MAX_TIME = 8.64e15;

class NumberBuilder implements ArrowColumnBuilder {
  readonly #name: string;
  readonly #wanted: ColumnKind | undefined;
  readonly #kind: "numeric" | "boolean" | "timestamp";
  readonly #values = Growing.float64();
  readonly #budget: ReadBudget;
  readonly #large = new LargeIntegers();
  /** Once numbers would lose digits. */
  #strings: StringColumnBuilder | null = null;
  #inexactRow = 0;
  #timelessRow = 0;
  #hasValues = false;

  constructor(
    name: string,
    wanted: ColumnKind | undefined,
    kind: "numeric" | "boolean" | "timestamp",
    budget: ReadBudget,
  ) {
    this.#name = name;
    this.#wanted = wanted;
    this.#kind = kind;
    this.#budget = budget;
  }

  add(data: Data): void {
    if (data.typeId === Type.Null) {
      this.#values.fill(Number.NaN, data.length);
      return;
    }
    if (data.typeId === Type.Dictionary) {
      const { dictionary, values } = data as Data<Dictionary>;
      const indices = values as ArrayLike<number | bigint>;
      const entries: number[] = [];
      const digits: (string | null)[] = [];
      for (const chunk of (dictionary as Vector).data) {
        const read = numberReader(chunk);
        const readDigits = digitsReader(chunk);
        for (let i = 0; i < chunk.length; i++) {
          const isValid = chunk.getValid(i);
          entries.push(isValid ? read(i) : Number.NaN);
          digits.push(isValid && readDigits ? readDigits(i) : null);
        }
      }
      this.#addEach(
        data,
        (i) => entries[Number(indices[i])],
        (i) => digits[Number(indices[i])],
      );
      return;
    }
    const { values } = data;
    if (
      data.nullCount === 0 &&
      (values instanceof Float64Array || values instanceof Float32Array)
    ) {
      this.#hasValues ||= data.length > 0;
      this.#values.append(values.subarray(0, data.length));
    } else this.#addEach(data, numberReader(data), digitsReader(data));
  }

  finish(): BuiltColumn {
    const name = this.#name;
    const warnings: DataWarning[] = [];
    if (!this.#hasValues) {
      warnings.push({ message: `Column ${shown(name)} has no values.`, column: name });
    }
    if (this.#strings !== null) return this.#finishStrings(this.#strings, warnings);
    warnings.push(...inexactWarnings(name, this.#inexactRow));
    if (this.#timelessRow > 0) {
      warnings.push({
        message: `Column ${shown(name)} has times that no calendar holds, such as infinity, first in row ${this.#timelessRow}; they are read as missing.`,
        column: name,
        row: this.#timelessRow,
      });
    }
    const values = this.#values.finish();
    const column =
      this.#kind === "boolean"
        ? {
            kind: this.#kind,
            name,
            values: Uint8Array.from(values, (value) => (Number.isNaN(value) ? 255 : value)),
          }
        : { kind: this.#kind, name, values };
    return { column: this.#wanted ? coerceColumn(column, this.#wanted) : column, warnings };
  }

  #finishStrings(strings: StringColumnBuilder, warnings: DataWarning[]): BuiltColumn {
    const built = strings.finish(this.#wanted, false);
    const kept = this.#wanted === undefined ? numbersKept(built.column, false) : null;
    return { ...built, warnings: [...warnings, ...built.warnings, ...(kept ? [kept] : [])] };
  }

  /** @param digits of a whole number beyond 2^53; null where the column has none */
  #addEach(
    data: Data,
    read: (index: number) => number,
    digits: ((index: number) => string | null) | null,
  ): void {
    const times = data.typeId === Type.Timestamp || data.typeId === Type.Date;
    for (let i = 0; i < data.length; i++) {
      if (!data.getValid(i)) {
        if (this.#strings) this.#strings.addMissing();
        else this.#values.push(Number.NaN);
        continue;
      }
      const value = read(i);
      const isLarge = digits !== null && Math.abs(value) > Number.MAX_SAFE_INTEGER;
      const large = isLarge ? digits(i) : null;
      if (large !== null && this.#strings === null) this.#addLarge(large, value);
      if (this.#strings) {
        this.#hasValues = true;
        this.#strings.addText(large ?? String(value));
        continue;
      }
      if (times && Math.abs(value) > MAX_TIME) {
        this.#timelessRow ||= this.#values.length + 1;
        this.#values.push(Number.NaN);
        continue;
      }
      this.#hasValues = true;
      this.#values.push(value);
    }
  }

  #addLarge(digits: string, value: number): void {
    const areApart = this.#large.add(digits, value);
    if (this.#wanted === "numeric") {
      if (!areApart) this.#inexactRow ||= this.#values.length + 1;
    } else if (!areApart || this.#wanted === "categorical" || this.#wanted === "text") {
      const strings = new StringColumnBuilder(this.#name, this.#budget);
      for (const number of this.#values.finish()) {
        if (Number.isNaN(number)) strings.addMissing();
        else if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) strings.addText(String(number));
        else strings.addText(this.#large.digitsOf(number));
      }
      this.#strings = strings;
    }
  }
}

/** Reads the value at an index of `data` as a number; its validity is not looked at. */
function numberReader(data: Data): (index: number) => number {
  const type: DataType = data.type;
  switch (type.typeId) {
    case Type.Bool: {
      const { values, offset } = data as Data<Bool>;
      return (i) => (values[(offset + i) >> 3] >> ((offset + i) & 7)) & 1;
    }
    case Type.Float: {
      const { values } = data as Data<Float>;
      return values instanceof Uint16Array ? (i) => halfFloat(values[i]) : (i) => values[i];
    }
    case Type.Decimal:
      return decimalReader(data as Data<Decimal>);
    case Type.Timestamp: {
      // Units: seconds, milliseconds, microseconds, nanoseconds.
      const unit = (type as Timestamp).unit;
      const values = data.values as ArrayLike<number | bigint>;
      const scale = 1000 ** (unit - 1);
      return (i) => Number(values[i]) / scale;
    }
    case Type.Date: {
      const values = data.values as ArrayLike<number | bigint>;
      const day = (type as { unit?: number }).unit === 0;
      return day ? (i) => Number(values[i]) * 86_400_000 : (i) => Number(values[i]);
    }
    default: {
      const values = data.values as ArrayLike<number | bigint>;
      return (i) => Number(values[i]);
    }
  }
}

/** Reads whole numbers of types that have more digits than doubles; null where another type is read. */
function digitsReader(data: Data): ((index: number) => string | null) | null {
  if (data.typeId === Type.Int) {
    const values = data.values as ArrayLike<number | bigint>;
    return (i) => String(values[i]);
  }
  if (data.typeId !== Type.Decimal) return null;
  const decimals = data as Data<Decimal>;
  const { scale } = decimals.type;
  const unit = 10n ** BigInt(Math.abs(scale));
  const integer = integerReader(decimals);
  return (i) => {
    const value = integer(i);
    if (scale <= 0) return String(value * unit);
    return value % unit === 0n ? String(value / unit) : null;
  };
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

/** The integers that decimals are, divided by 10^scale: two's complement of 128 or 256 bits. */
function integerReader(data: Data<Decimal>): (index: number) => bigint {
  const { bitWidth } = data.type;
  const words = bitWidth / 32;
  const values = data.values;
  return (i) => {
    let integer = 0n;
    for (let word = words - 1; word >= 0; word--) {
      integer = (integer << 32n) | BigInt(values[i * words + word]);
    }
    return BigInt.asIntN(bitWidth, integer);
  };
}

function decimalReader(data: Data<Decimal>): (index: number) => number {
  const { scale } = data.type;
  const read = integerReader(data);
  return (i) => {
    const integer = read(i);
    if (scale <= 0) return Number(integer) * 10 ** -scale;
    // Through text, so that the nearest double is taken however many digits there are.
    return Number(`${integer}e-${scale}`);
  };
}
