/**
 * One column of Arrow data → one column of a table, a record batch at a time.
 *
 * Numbers of every width become f64; integers beyond ±2⁵³ that it would not tell apart make their column
 * one of texts, with a warning. Dates and timestamps become milliseconds, dictionaries of strings categories. Arrow holds
 * instants in UTC: of a zone it is kept that there was one. Nested and binary columns are refused by name.
 */

import { DataType, type Dictionary, TimeUnit, Type } from "apache-arrow";
import type { ArrowColumn, BytesColumn, DictionaryColumn } from "../arrow/column.ts";
import { inColumn } from "../arrow/file-error.ts";
import { coerceColumn } from "../coerce.ts";
import { shown } from "../shown.ts";
import { type ColumnKind, DataError } from "../table.ts";
import { type ColumnNumbers, numbersOf, typedValues } from "./arrow-numbers.ts";
import { type FineRows, fineWarnings, isFar } from "./fine-times.ts";
import { Growing } from "./growing.ts";
import { LargeIntegers } from "./large-integers.ts";
import { inexactWarnings, numbersKept, roundedWarnings } from "./numbers-kept.ts";
import type { ReadBudget } from "./read-limits.ts";
import { type BuiltColumn, type DataWarning, noValues } from "./reading.ts";
import { StringColumnBuilder } from "./string-column.ts";

/** Takes the batches of one column in order, then gives the column. */
export interface ArrowColumnBuilder {
  /**
   * @param rows of the column that are taken, from the first
   * @throws ArrowFileError where values are damaged
   */
  add(column: ArrowColumn, rows: number): void;
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
    case Type.Utf8View:
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
      return new NumberBuilder(name, kind, "timestamp", budget, [], isInstant(type));
    case Type.Int:
    case Type.Float:
    case Type.Decimal:
      return new NumberBuilder(name, kind, "numeric", budget);
    case Type.Time:
    case Type.Duration:
      return new NumberBuilder(name, kind, "numeric", budget, unitNote(name, type, kind));
    case Type.Binary:
    case Type.LargeBinary:
    case Type.FixedSizeBinary:
      throw new DataError(
        `Column ${shown(name)} is of the type ${type}, which holds bytes; leave it out, or write them as text, such as a UUID in its 36 characters.`,
        { column: name },
      );
    default:
      throw new DataError(
        `Column ${shown(name)} is of the type ${type}, which does not have one value per row; leave it out or flatten it first.`,
        { column: name },
      );
  }
}

/** Of a zone, which the values have nothing of: they count from an instant. */
function isInstant(type: DataType): boolean {
  const read = DataType.isDictionary(type) ? type.dictionary : type;
  return DataType.isTimestamp(read) && Boolean(read.timezone);
}

/** Times of day and durations are numbers of the unit that their file has, which Parquet's may differ in from Arrow's. */
function unitNote(name: string, type: DataType, kind: ColumnKind | undefined): DataWarning[] {
  if (kind !== undefined) return [];
  const read = DataType.isDictionary(type) ? type.dictionary : type;
  if (!DataType.isTime(read) && !DataType.isDuration(read)) return [];
  const unit = UNITS[read.unit];
  const what = DataType.isTime(read)
    ? `times of day, which are read as numbers: ${unit} since midnight`
    : `durations, which are read as numbers of ${unit}`;
  const message = `Column ${shown(name)} holds ${what}, the unit of the file. Files for predictions must have the same unit.`;
  return [{ message, column: name }];
}

const UNITS: Readonly<Record<TimeUnit, string>> = {
  [TimeUnit.SECOND]: "seconds",
  [TimeUnit.MILLISECOND]: "milliseconds",
  [TimeUnit.MICROSECOND]: "microseconds",
  [TimeUnit.NANOSECOND]: "nanoseconds",
};

class TextBuilder implements ArrowColumnBuilder {
  readonly #kind: ColumnKind | undefined;
  readonly #strings: StringColumnBuilder;
  readonly #name: string;
  /** Codes of the entries of the dictionary that was met last. */
  #codes: Int32Array | null = null;
  #dictionary: ArrowColumn | null = null;

  constructor(
    name: string,
    kind: ColumnKind | undefined,
    budget: ReadBudget,
    keepsWritten: boolean,
  ) {
    this.#name = name;
    this.#kind = kind;
    this.#strings = new StringColumnBuilder(name, budget, keepsWritten);
  }

  add(column: ArrowColumn, rows: number): void {
    inColumn(this.#name, () => {
      if (column.layout === "bytes") this.#addTexts(column, rows);
      else if (column.layout === "dictionary" && column.values.layout === "bytes")
        this.#addCodes(column, column.values, rows);
      else this.#strings.addMissing(rows);
    });
  }

  finish(): BuiltColumn {
    return this.#strings.finish(this.#kind, false);
  }

  #addTexts({ rows: texts, validity }: BytesColumn, rows: number): void {
    if (texts.layout === "offsets") {
      const { data, offsets } = texts;
      for (let i = 0; i < rows; i++) {
        if (validity.isNull(i)) this.#strings.addMissing();
        else this.#strings.addBytes(data, offsets[i], offsets[i + 1]);
      }
      return;
    }
    for (let i = 0; i < rows; i++) {
      if (validity.isNull(i)) {
        this.#strings.addMissing();
        continue;
      }
      const bytes = texts.bytes(i);
      this.#strings.addBytes(bytes, 0, bytes.length);
    }
  }

  #addCodes(column: DictionaryColumn, values: BytesColumn, rows: number): void {
    if (this.#codes === null || this.#dictionary !== values) {
      this.#dictionary = values;
      this.#codes = Int32Array.from({ length: values.length }, (_, entry) =>
        values.validity.isNull(entry) ? -1 : this.#strings.internBytes(values.rows.bytes(entry)),
      );
    }
    for (let i = 0; i < rows; i++) {
      const index = column.indexAt(i);
      if (index < 0) this.#strings.addMissing();
      else this.#strings.addCode(this.#codes[index]);
    }
  }
}

const FINE_NUMBERS = "Send them as texts or whole numbers, too, if they must be told apart.";

/** Milliseconds of the last day that ECMAScript dates have, far beyond the last that is meant. */
const MAX_TIME = 8.64e15;

class NumberBuilder implements ArrowColumnBuilder {
  readonly #name: string;
  readonly #wanted: ColumnKind | undefined;
  readonly #kind: "numeric" | "boolean" | "timestamp";
  readonly #cells: Growing<Float64Array<ArrayBuffer>>;
  /** Of the first batch, where it lies, as long as there are no others. */
  #first: Float64Array | null = null;
  readonly #holdsFirst: boolean;
  readonly #budget: ReadBudget;
  readonly #notes: readonly DataWarning[];
  readonly #zoned: boolean;
  readonly #large = new LargeIntegers();
  /** Once numbers would lose digits. */
  #strings: StringColumnBuilder | null = null;
  #inexactRow = 0;
  #roundedRow = 0;
  #timelessRow = 0;
  readonly #fine: FineRows = { finer: 0, far: 0 };
  #hasValues = false;

  constructor(
    name: string,
    wanted: ColumnKind | undefined,
    kind: "numeric" | "boolean" | "timestamp",
    budget: ReadBudget,
    notes: readonly DataWarning[] = [],
    zoned = false,
  ) {
    this.#name = name;
    this.#wanted = wanted;
    this.#kind = kind;
    this.#budget = budget;
    this.#notes = notes;
    this.#zoned = zoned;
    this.#cells = Growing.float64(budget.spool);
    this.#holdsFirst = budget.spool === null;
  }

  add(column: ArrowColumn, rows: number): void {
    inColumn(this.#name, () => this.#add(column, rows));
  }

  finish(): BuiltColumn {
    const name = this.#name;
    const warnings: DataWarning[] = [...this.#notes];
    if (!this.#hasValues) {
      warnings.push({ message: noValues(name), column: name });
    }
    if (this.#strings !== null) return this.#finishStrings(this.#strings, warnings);
    warnings.push(...inexactWarnings(name, this.#inexactRow));
    warnings.push(...roundedWarnings(name, this.#roundedRow));
    warnings.push(...fineWarnings(name, this.#fine, FINE_NUMBERS));
    if (this.#timelessRow > 0) {
      warnings.push({
        message: `Column ${shown(name)} has times that are not on any calendar, such as infinity, first in row ${this.#timelessRow}; they are read as missing.`,
        column: name,
        row: this.#timelessRow,
      });
    }
    const values = this.#first ?? this.#cells.finish();
    const column =
      this.#kind === "boolean"
        ? {
            kind: this.#kind,
            name,
            values: Uint8Array.from(values, (value) => (Number.isNaN(value) ? 255 : value)),
          }
        : { kind: this.#kind, name, values, ...(this.#zoned && { zoned: true }) };
    return { column: this.#wanted ? coerceColumn(column, this.#wanted) : column, warnings };
  }

  #finishStrings(strings: StringColumnBuilder, warnings: DataWarning[]): BuiltColumn {
    const built = strings.finish(this.#wanted, false);
    const kept = this.#wanted === undefined ? numbersKept(built.column, false) : null;
    // Those that came before the column was one of texts.
    warnings.push(...roundedWarnings(this.#name, this.#roundedRow));
    return { ...built, warnings: [...warnings, ...built.warnings, ...(kept ? [kept] : [])] };
  }

  #add(column: ArrowColumn, rows: number): void {
    if (column.layout === "null") {
      this.#addMissing(rows);
      return;
    }
    if (column.layout === "dictionary") {
      const { values } = column;
      if (values.layout === "null") {
        this.#addMissing(rows);
        return;
      }
      const numbers = numbersOf(values);
      for (let i = 0; i < rows; i++) {
        const index = column.indexAt(i);
        if (index < 0 || numbers.isNull(index)) this.#addMissing();
        else this.#addNumber(numbers, index);
      }
      return;
    }
    const plain = this.#plainFloats(column, rows);
    if (plain !== null) {
      this.#hasValues ||= rows > 0;
      if (this.#holdsFirst && this.#length === 0 && plain instanceof Float64Array)
        this.#first = plain;
      else this.#values.append(plain);
      return;
    }
    const numbers = numbersOf(column);
    for (let i = 0; i < rows; i++) {
      if (numbers.isNull(i)) this.#addMissing();
      else this.#addNumber(numbers, i);
    }
  }

  get #length(): number {
    return this.#first?.length ?? this.#cells.length;
  }

  /** All cells, to add to. */
  get #values(): Growing<Float64Array<ArrayBuffer>> {
    const first = this.#first;
    if (first !== null) {
      this.#first = null;
      this.#cells.append(first);
    }
    return this.#cells;
  }

  /** Floats none of which is missing, which need no look at each. */
  #plainFloats(column: ArrowColumn, rows: number): Float64Array | Float32Array | null {
    if (column.layout !== "fixed" || column.validity.bitmap !== null) return null;
    const values = typedValues(column);
    return values instanceof Float64Array || values instanceof Float32Array
      ? values.subarray(0, rows)
      : null;
  }

  #addMissing(count = 1): void {
    if (this.#strings) this.#strings.addMissing(count);
    else if (count === 1) this.#values.push(Number.NaN);
    else this.#values.fill(Number.NaN, count);
  }

  #addNumber(
    { value: valueAt, digits, decimal, isFiner, hasMicroseconds }: ColumnNumbers,
    index: number,
  ): void {
    const value = valueAt(index);
    if (this.#fine.finer === 0 && isFiner?.(index)) this.#fine.finer = this.#values.length + 1;
    if (this.#fine.far === 0 && isFar(value) && hasMicroseconds?.(index)) {
      this.#fine.far = this.#values.length + 1;
    }
    const isLarge = digits !== null && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    const large = isLarge ? digits(index) : null;
    if (large !== null && this.#strings === null) this.#addLarge(large, value);
    const rounded = decimal !== null && large === null ? decimal(index) : null;
    if (rounded !== null && this.#strings === null) this.#addRounded();
    if (this.#strings) {
      this.#hasValues = true;
      this.#strings.addText(large ?? rounded ?? String(value));
      return;
    }
    if (this.#kind === "timestamp" && Math.abs(value) > MAX_TIME) {
      this.#timelessRow ||= this.#values.length + 1;
      this.#values.push(Number.NaN);
      return;
    }
    this.#hasValues = true;
    this.#values.push(value);
  }

  #addLarge(digits: string, value: number): void {
    const areApart = this.#large.add(digits, value);
    if (this.#wanted === "numeric") {
      if (!areApart) this.#inexactRow ||= this.#values.length + 1;
    } else if (!areApart || this.#wanted === "categorical" || this.#wanted === "text") {
      this.#toStrings();
    }
  }

  #addRounded(): void {
    if (this.#wanted === "categorical" || this.#wanted === "text") this.#toStrings();
    else this.#roundedRow ||= this.#values.length + 1;
  }

  #toStrings(): void {
    const strings = new StringColumnBuilder(this.#name, this.#budget);
    for (const number of this.#values.finish()) {
      if (Number.isNaN(number)) strings.addMissing();
      else if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) strings.addText(String(number));
      else strings.addText(this.#large.digitsOf(number));
    }
    this.#strings = strings;
  }
}
