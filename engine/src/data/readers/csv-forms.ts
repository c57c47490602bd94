/**
 * What a sample of delimited text tells of its columns: those whose values SQL's own casts do not read
 * (dates as 13/1/2024 or 13.1.2024, numbers with a decimal comma), and which values keep a column from
 * being one of numbers or dates.
 */

import { DataError } from "../table.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";
import {
  type DecimalMark,
  type DoubtfulPoints,
  decimalMark,
  isThousands,
  PointDoubt,
} from "./decimal-marks.ts";
import { LargeIntegers, largeInteger } from "./large-integers.ts";
import { isMissingText } from "./missing.ts";
import { isCode, parseCommaNumber, parseNumber } from "./number-text.ts";
import { parseTimestamp } from "./timestamp-text.ts";

/** A value, with its row from 1. */
export interface SampledValue {
  readonly text: string;
  readonly row: number;
}

export type ColumnForm =
  | {
      readonly kind: "comma-number";
      /** Null = none is in doubt. */
      readonly doubt: DoubtfulPoints | null;
    }
  | {
      readonly kind: "date" | "timestamp";
      /** Whether all values can be read so; where both can, nothing tells which is meant. */
      readonly monthFirst: boolean;
      readonly dayFirst: boolean;
      readonly first: SampledValue;
    };

/** Values that are numbers, and what keeps them from being read as such. */
export interface SampledNumbers {
  readonly values: number;
  /** Values that are no numbers, and the first of them. */
  readonly others: number;
  readonly other: SampledValue | null;
  /** The first with zeros before its digits. */
  readonly code: SampledValue | null;
  /** The first integer whose last digits a double loses. */
  readonly lost: SampledValue | null;
  /** Digits of the longest value; 0 where one is no whole number. */
  readonly wholeDigits: number;
}

export interface MarkedNumbers {
  readonly first: SampledValue;
  readonly cells: number;
}

export interface SampledColumn {
  /** Null = written as usual, or in several forms. */
  readonly form: ColumnForm | null;
  /** A date with the day first, and one with the month first, where no order reads both. */
  readonly contrary: { readonly dayFirst: SampledValue; readonly monthFirst: SampledValue } | null;
  /** The numbers with a decimal comma and those with a decimal point; null where there are none. */
  readonly marks: Readonly<Record<DecimalMark, MarkedNumbers | null>>;
  /** Null where there are no values. */
  readonly numbers: SampledNumbers | null;
  /** The first time that is finer than a microsecond, where there is one. */
  readonly fine: SampledValue | null;
  /** The first time before 1678 or after 2261, of which 64 bits hold no nanoseconds. */
  readonly far: SampledValue | null;
}

export interface Sampled {
  readonly columns: readonly SampledColumn[];
  readonly fault: string | null;
}

const WHOLE = /^[+-]?\d+$/;
const DATE = /^\d{1,2}([/.])\d{1,2}\1\d{4}(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$/;

/**
 * @param text UTF-8, whole records
 * @param rows that are looked at
 * @returns a column for each field of the first record, and what is wrong with the first record that is
 *   damaged or has not as many fields
 */
export function sampledColumns(
  text: Uint8Array,
  dialect: CsvDialect,
  hasHeader: boolean,
  rows: number,
): Sampled {
  const decoder = new TextDecoder();
  let columns: ColumnSample[] | null = null;
  let left = rows;
  let row = hasHeader ? 0 : 1;
  let fault: string | null = null;
  const scanner = new CsvScanner(dialect, (bytes, starts, ends, fields) => {
    if (columns === null) {
      columns = Array.from({ length: fields }, () => new ColumnSample(dialect.delimiter !== ","));
      if (hasHeader) return left > 0;
    }
    if (hasHeader) row++;
    if (fields !== columns.length) {
      fault ??= `row ${row} has ${fields} ${fields === 1 ? "field" : "fields"}, and there are ${columns.length} columns`;
    }
    if (!hasHeader) row++;
    const number = hasHeader ? row : row - 1;
    for (let field = 0; field < Math.min(fields, columns.length); field++) {
      columns[field].add(decoder.decode(bytes.subarray(starts[field], ends[field])), number);
    }
    return --left > 0;
  });
  // Scanning writes, and the slice of a Buffer is no copy.
  const copy = new Uint8Array(text);
  try {
    scanner.scan(copy, copy.length, true);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    fault ??= error.message;
  }
  const found: readonly ColumnSample[] = columns ?? [];
  const isAmongCommas = found.some((column) => column.showsCommas);
  return { columns: found.map((column) => column.finish(isAmongCommas)), fault };
}

const FINER_THAN_MICROSECONDS = /:\d{2}\.\d{6}\d*[1-9]/;
const YEAR = /^(\d{4,})-\d{2}-\d{2}/;
/** Years of which 64 bits hold all nanoseconds. */
const [FIRST_YEAR, LAST_YEAR] = [1678, 2261];

class ColumnSample {
  readonly #dates = new DateSample();
  readonly #numbers = new NumberSample();
  readonly #commaNumbers: CommaSample | null;
  readonly #marks: Record<DecimalMark, MarkedNumbers | null> = { comma: null, point: null };
  #fine: SampledValue | null = null;
  #far: SampledValue | null = null;
  #values = 0;

  constructor(commas: boolean) {
    this.#commaNumbers = commas ? new CommaSample() : null;
  }

  add(text: string, row: number): void {
    if (isMissingText(text)) return;
    this.#values++;
    this.#numbers.add(text, row);
    this.#dates.add(text, row);
    this.#commaNumbers?.add(text, row);
    this.#addTime(text, row);
    const mark = decimalMark(text.trim());
    if (mark === null) return;
    const { first, cells } = this.#marks[mark] ?? { first: { text, row }, cells: 0 };
    this.#marks[mark] = { first, cells: cells + 1 };
  }

  #addTime(text: string, row: number): void {
    if (this.#fine === null && FINER_THAN_MICROSECONDS.test(text)) this.#fine = { text, row };
    if (this.#far !== null) return;
    const year = Number(YEAR.exec(text)?.[1] ?? FIRST_YEAR);
    if (year < FIRST_YEAR || year > LAST_YEAR) this.#far = { text, row };
  }

  /** Whether its numbers have a comma that is no separator of thousands. */
  get showsCommas(): boolean {
    return this.#commaNumbers?.areAll === true && this.#marks.comma !== null;
  }

  /** @param isAmongCommas whether a column of the file shows decimal commas */
  finish(isAmongCommas: boolean): SampledColumn {
    const [marks, fine, far] = [this.#marks, this.#fine, this.#far];
    if (this.#values === 0) return { form: null, contrary: null, marks, numbers: null, fine, far };
    const { contrary } = this.#dates;
    const form = this.#commaNumbers?.areAll
      ? this.#commaNumbers.form(isAmongCommas)
      : this.#dates.form();
    return { form, contrary, marks, numbers: this.#numbers.finish(), fine, far };
  }
}

/** Numbers with a decimal comma, where no comma separates cells. */
class CommaSample {
  readonly #large = new LargeIntegers();
  readonly #points = new PointDoubt();
  areAll = true;
  hasComma = false;
  #hasPoint = false;
  #areThousands = true;

  /** Null = as usual. */
  form(isAmongCommas: boolean): ColumnForm | null {
    if (this.hasComma) return { kind: "comma-number", doubt: this.#points.finish() };
    if (!isAmongCommas || !this.#areThousands || !this.#hasPoint) return null;
    return { kind: "comma-number", doubt: this.#points.finish("file") };
  }

  add(text: string, row: number): void {
    if (!this.areAll) return;
    const value = parseCommaNumber(text);
    this.#points.add(text, row);
    this.hasComma ||= text.includes(",");
    this.#hasPoint ||= text.includes(".");
    this.#areThousands &&= isThousands(text);
    const digits = largeInteger(text.replaceAll(".", ""));
    this.areAll =
      !Number.isNaN(value) && !isCode(text) && (digits === null || this.#large.add(digits, value));
  }
}

class DateSample {
  #monthFirst = true;
  #dayFirst = true;
  #hasTime = false;
  #first: SampledValue | null = null;
  #onlyDayFirst: SampledValue | null = null;
  #onlyMonthFirst: SampledValue | null = null;

  add(text: string, row: number): void {
    const match = DATE.exec(text);
    if (match === null) {
      this.#monthFirst = false;
      this.#dayFirst = false;
      return;
    }
    // Dates with points have the day first wherever they are written.
    const isMonthFirst = match[1] === "/" && !Number.isNaN(parseTimestamp(text, "month-first"));
    const isDayFirst = !Number.isNaN(parseTimestamp(text, "day-first"));
    this.#monthFirst &&= isMonthFirst;
    this.#dayFirst &&= isDayFirst;
    this.#first ??= { text, row };
    if (isDayFirst && !isMonthFirst) this.#onlyDayFirst ??= { text, row };
    if (isMonthFirst && !isDayFirst) this.#onlyMonthFirst ??= { text, row };
    this.#hasTime ||= text.includes(":");
  }

  get contrary(): SampledColumn["contrary"] {
    const [dayFirst, monthFirst] = [this.#onlyDayFirst, this.#onlyMonthFirst];
    return dayFirst !== null && monthFirst !== null ? { dayFirst, monthFirst } : null;
  }

  form(): ColumnForm | null {
    if (this.#first === null || (!this.#monthFirst && !this.#dayFirst)) return null;
    return {
      kind: this.#hasTime ? "timestamp" : "date",
      monthFirst: this.#monthFirst,
      dayFirst: this.#dayFirst,
      first: this.#first,
    };
  }
}

class NumberSample {
  readonly #large = new LargeIntegers();
  #values = 0;
  #others = 0;
  #other: SampledValue | null = null;
  #code: SampledValue | null = null;
  #lost: SampledValue | null = null;
  #areWhole = true;
  #digits = 0;

  add(text: string, row: number): void {
    this.#values++;
    const value = parseNumber(text);
    if (Number.isNaN(value)) {
      this.#others++;
      this.#other ??= { text, row };
      return;
    }
    if (isCode(text)) this.#code ??= { text, row };
    this.#areWhole &&= WHOLE.test(text);
    this.#digits = Math.max(this.#digits, text.length);
    const digits = largeInteger(text);
    if (digits !== null && !this.#large.add(digits, value)) this.#lost ??= { text, row };
  }

  finish(): SampledNumbers {
    return {
      values: this.#values,
      others: this.#others,
      other: this.#other,
      code: this.#code,
      lost: this.#lost,
      wholeDigits: this.#areWhole && this.#others === 0 ? this.#digits : 0,
    };
  }
}
