/**
 * Columns of delimited text whose values SQL's own casts do not read: dates as 13/1/2024 or 13.1.2024
 * and numbers with a decimal comma, told from a sample of the rows.
 */

import { DataError } from "../table.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";
import { isMissingText } from "./missing.ts";
import { parseCommaNumber } from "./number-text.ts";
import { parseTimestamp } from "./timestamp-text.ts";

export type ColumnForm =
  | { readonly kind: "comma-number" }
  | {
      readonly kind: "date" | "timestamp";
      /** Whether all values can be read so; where both can, nothing tells which is meant. */
      readonly monthFirst: boolean;
      readonly dayFirst: boolean;
    };

export interface SampledForms {
  readonly forms: readonly (ColumnForm | null)[];
  readonly fault: string | null;
}

const DATE = /^\d{1,2}([/.])\d{1,2}\1\d{4}(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$/;

/**
 * @param text UTF-8, whole records
 * @param rows that are looked at
 * @returns a form for each field of the first record (null = written as usual, or in several forms), and
 *   what is wrong with the first record that is damaged or has not as many fields
 */
export function columnForms(
  text: Uint8Array,
  dialect: CsvDialect,
  hasHeader: boolean,
  rows: number,
): SampledForms {
  const decoder = new TextDecoder();
  let columns: FormOfColumn[] | null = null;
  let left = rows;
  let row = hasHeader ? 0 : 1;
  let fault: string | null = null;
  const scanner = new CsvScanner(dialect, (bytes, starts, ends, fields) => {
    if (columns === null) {
      columns = Array.from({ length: fields }, () => new FormOfColumn(dialect.delimiter !== ","));
      if (hasHeader) return left > 0;
    }
    if (hasHeader) row++;
    if (fields !== columns.length) {
      fault ??= `row ${row} has ${fields} ${fields === 1 ? "field" : "fields"}, and there are ${columns.length} columns`;
    }
    if (!hasHeader) row++;
    for (let field = 0; field < Math.min(fields, columns.length); field++) {
      const column = columns[field];
      if (column.isUsual) continue;
      column.add(decoder.decode(bytes.subarray(starts[field], ends[field])));
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
  const found: readonly FormOfColumn[] = columns ?? [];
  return { forms: found.map((column) => column.form()), fault };
}

class FormOfColumn {
  #commas: boolean;
  #hasComma = false;
  #monthFirst = true;
  #dayFirst = true;
  #hasTime = false;
  #values = 0;

  constructor(commas: boolean) {
    this.#commas = commas;
  }

  get isUsual(): boolean {
    return !this.#commas && !this.#monthFirst && !this.#dayFirst;
  }

  add(text: string): void {
    if (isMissingText(text)) return;
    this.#values++;
    this.#hasComma ||= text.includes(",");
    this.#commas &&= !Number.isNaN(parseCommaNumber(text));
    const match = DATE.exec(text);
    // Dates with points have the day first wherever they are written.
    this.#monthFirst &&= match?.[1] === "/" && !Number.isNaN(parseTimestamp(text, "month-first"));
    this.#dayFirst &&= match !== null && !Number.isNaN(parseTimestamp(text, "day-first"));
    this.#hasTime ||= text.includes(":");
  }

  form(): ColumnForm | null {
    if (this.#values === 0) return null;
    if (this.#commas) return this.#hasComma ? { kind: "comma-number" } : null;
    if (!this.#monthFirst && !this.#dayFirst) return null;
    return {
      kind: this.#hasTime ? "timestamp" : "date",
      monthFirst: this.#monthFirst,
      dayFirst: this.#dayFirst,
    };
  }
}
