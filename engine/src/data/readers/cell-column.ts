/**
 * A column of text cells (CSV) under construction, guessing as it goes.
 *
 * Numbers and times go straight into typed arrays. Should a later cell disprove the guess, the
 * cells so far are written back as text: numbers as they stood (their decimals are kept, and
 * other spellings such as +7 or 1e5 one by one up to a bound), times in ISO 8601. Numbers that would
 * lose what tells them apart disprove it, too (`numbers-kept.ts`).
 */

import { shown } from "../shown.ts";
import { type Column, type ColumnKind, DataError } from "../table.ts";
import { Growing } from "./growing.ts";
import { LargeIntegers, largeInteger } from "./large-integers.ts";
import { isMissingBytes } from "./missing.ts";
import {
  isCodeBytes,
  LARGE_INTEGER,
  lastNumber,
  ODD_FORM,
  parseNumberBytes,
} from "./number-text.ts";
import { inexactWarnings, numbersKept } from "./numbers-kept.ts";
import { ReadBudget } from "./read-limits.ts";
import type { BuiltColumn } from "./reading.ts";
import { StringColumnBuilder } from "./string-column.ts";
import { formatTimestamp, parseTimestampBytes } from "./timestamp-text.ts";

const MAX_ODD_FORMS = 20_000;

type Mode = "empty" | "number" | "time" | "string";

export interface CellOptions {
  /** Whether numbers may have a decimal comma: where no comma separates cells. */
  readonly commas?: boolean;
  readonly keepsWritten?: boolean;
}

export class CellColumnBuilder {
  readonly name: string;
  readonly #kind: ColumnKind | undefined;
  #mode: Mode = "empty";
  #values = Growing.float64();
  #decimals = Growing.uint8();
  #oddForms = new Map<number, string>();
  readonly #large = new LargeIntegers();
  #inexactRow = 0;
  /** Whether a number was met that is kept as a text. */
  #keepsNumbers = false;
  #strings: StringColumnBuilder;
  #formsLost = false;
  #missing = 0;

  readonly #commas: boolean;

  /** The cells as they were written, under a budget of their own; null where nobody asked. */
  readonly #written: StringColumnBuilder | null;

  constructor(
    name: string,
    kind: ColumnKind | undefined,
    budget: ReadBudget,
    { commas = false, keepsWritten = false }: CellOptions = {},
  ) {
    this.name = name;
    this.#kind = kind;
    this.#commas = commas;
    this.#written = keepsWritten
      ? new StringColumnBuilder(name, new ReadBudget(budget.limits), true)
      : null;
    this.#strings = new StringColumnBuilder(name, budget);
    // The cells alone tell whether their numbers have commas.
    if (kind === "numeric" && !commas) this.#mode = "number";
    else if (kind !== undefined) this.#mode = "string";
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#written?.addBytes(bytes, start, end);
    this.#add(bytes, start, end);
  }

  finish(): BuiltColumn {
    const built = this.#finish();
    return this.#written
      ? { ...built, written: this.#written.finish("categorical", true).written }
      : built;
  }

  #add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#mode === "number") this.#addNumber(bytes, start, end);
    else if (this.#mode === "string") this.#addString(bytes, start, end);
    else if (this.#mode === "time") this.#addTime(bytes, start, end);
    else this.#addFirst(bytes, start, end);
  }

  #finish(): BuiltColumn {
    const { name } = this;
    if (this.#mode === "number") {
      const column: Column = { kind: "numeric", name, values: this.#values.finish() };
      return { column, warnings: inexactWarnings(name, this.#inexactRow) };
    }
    if (this.#mode === "time") {
      return { column: { kind: "timestamp", name, values: this.#values.finish() }, warnings: [] };
    }
    if (this.#mode === "empty") this.#strings.addMissing(this.#missing);
    const built = this.#strings.finish(this.#kind, true, this.#commas);
    if (this.#kind === undefined && (this.#keepsNumbers || this.#commas)) {
      const kept = numbersKept(built.column, this.#commas);
      if (kept) return { ...built, warnings: [...built.warnings, kept] };
    }
    if (!this.#formsLost) return built;
    const message = `Column ${shown(name)} changed from numbers to other values late in the file; numbers written in unusual ways (like +7 or 1e5) before that are read as ${shown("7")} and ${shown("100000")}. Declare its kind to keep them as they are.`;
    return { column: built.column, warnings: [...built.warnings, { message, column: name }] };
  }

  #addFirst(bytes: Uint8Array, start: number, end: number): void {
    if (isMissingBytes(bytes, start, end)) {
      this.#missing++;
      return;
    }
    if (!Number.isNaN(parseNumberBytes(bytes, start, end))) {
      this.#keepsNumbers = isCodeBytes(bytes[start], bytes[start + 1]) && end - start > 1;
      this.#mode = this.#keepsNumbers ? "string" : "number";
    } else if (!Number.isNaN(parseTimestampBytes(bytes, start, end))) this.#mode = "time";
    else this.#mode = "string";
    if (this.#mode === "string") this.#strings.addMissing(this.#missing);
    else this.#values.fill(Number.NaN, this.#missing);
    if (this.#mode === "number") this.#decimals.fill(0, this.#missing);
    this.#add(bytes, start, end);
  }

  #addNumber(bytes: Uint8Array, start: number, end: number): void {
    const value = start === end ? Number.NaN : parseNumberBytes(bytes, start, end);
    if (Number.isNaN(value)) {
      if (isMissingBytes(bytes, start, end)) {
        this.#values.push(Number.NaN);
        if (this.#kind === undefined) this.#decimals.push(0);
        return;
      }
      if (this.#kind === "numeric") this.#refuse(bytes, start, end);
      this.#numbersToStrings();
      this.#addString(bytes, start, end);
      return;
    }
    const isLost =
      Math.abs(value) > Number.MAX_SAFE_INTEGER &&
      lastNumber.decimals >= LARGE_INTEGER &&
      this.#isLost(latin(bytes, start, end), value);
    if (this.#kind === undefined) {
      const { decimals } = lastNumber;
      const isCode = end - start > 1 && isCodeBytes(bytes[start], bytes[start + 1]);
      if (isLost || isCode) {
        this.#keepsNumbers = true;
        this.#numbersToStrings();
        this.#addString(bytes, start, end);
        return;
      }
      if (decimals === ODD_FORM) {
        if (this.#oddForms.size < MAX_ODD_FORMS) {
          this.#oddForms.set(this.#values.length, latin(bytes, start, end));
        } else this.#formsLost = true;
      }
      this.#decimals.push(decimals);
    } else if (isLost) this.#inexactRow ||= this.#values.length + 1;
    this.#values.push(value);
  }

  #addTime(bytes: Uint8Array, start: number, end: number): void {
    const value = parseTimestampBytes(bytes, start, end);
    if (!Number.isNaN(value) || isMissingBytes(bytes, start, end)) {
      this.#values.push(value);
      return;
    }
    for (const time of this.#values.finish()) {
      if (Number.isNaN(time)) this.#strings.addMissing();
      else this.#strings.addText(formatTimestamp(time));
    }
    this.#mode = "string";
    this.#addString(bytes, start, end);
  }

  #addString(bytes: Uint8Array, start: number, end: number): void {
    if (start === end) this.#strings.addMissing();
    else this.#strings.addBytes(bytes, start, end);
  }

  #isLost(text: string, value: number): boolean {
    const digits = largeInteger(text);
    return digits !== null && !this.#large.add(digits, value);
  }

  #numbersToStrings(): void {
    const values = this.#values.finish();
    const decimals = this.#decimals.finish();
    for (let row = 0; row < values.length; row++) {
      if (Number.isNaN(values[row])) this.#strings.addMissing();
      else if (decimals[row] === LARGE_INTEGER) {
        this.#strings.addText(this.#large.digitsOf(values[row]));
      } else if (decimals[row] !== ODD_FORM) {
        this.#strings.addText(values[row].toFixed(decimals[row]));
      } else this.#strings.addText(this.#oddForms.get(row) ?? String(values[row]));
    }
    this.#oddForms = new Map();
    this.#mode = "string";
  }

  #refuse(bytes: Uint8Array, start: number, end: number): never {
    const row = this.#values.length + 1;
    const value = new TextDecoder().decode(bytes.subarray(start, end));
    throw new DataError(
      `Column ${shown(this.name)} should be numeric, but row ${row} holds ${shown(value)}.`,
      { column: this.name, row },
    );
  }
}

function latin(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}
