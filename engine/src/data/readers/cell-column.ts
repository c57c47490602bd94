/**
 * A column of text cells (CSV) under construction, guessing as it goes.
 *
 * Numbers and times go straight into typed arrays. Should a later cell disprove the guess, the
 * cells so far are written back as text: numbers as they stood (their decimals are kept, and
 * other spellings such as +7 or 1e5 each once, up to a bound), times in ISO 8601. Numbers that would
 * lose what tells them apart disprove it, too (`numbers-kept.ts`).
 */

import { shown } from "../shown.ts";
import {
  type CategoricalColumn,
  type Column,
  type ColumnKind,
  DataError,
  type NumericColumn,
} from "../table.ts";
import type { CellSpool } from "./cell-spool.ts";
import {
  FINE_TEXTS,
  type FineRows,
  fineWarnings,
  hasMicroseconds,
  isFar,
  isFinerText,
} from "./fine-times.ts";
import { Growing } from "./growing.ts";
import { LargeIntegers, LEAST_ROUNDED, largeInteger, losesDecimals } from "./large-integers.ts";
import { isMissingBytes } from "./missing.ts";
import {
  isCodeBytes,
  LARGE_INTEGER,
  lastNumber,
  ODD_FORM,
  parseNumberBytes,
} from "./number-text.ts";
import { inexactWarnings, numbersKept, roundedWarnings } from "./numbers-kept.ts";
import type { ReadBudget } from "./read-limits.ts";
import type { BuiltColumn, DataWarning } from "./reading.ts";
import { StringColumnBuilder } from "./string-column.ts";
import { formatTimestamp, lastTime, parseTimestampBytes } from "./timestamp-text.ts";
import { differing, MOST_SPELLINGS } from "./written-cells.ts";

/** Different ones. */
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
  readonly #values: Growing<Float64Array<ArrayBuffer>>;
  readonly #decimals: Growing<Uint8Array<ArrayBuffer>>;
  #oddForms: OddForms;
  readonly #large = new LargeIntegers();
  #inexactRow = 0;
  #roundedRow = 0;
  readonly #fine: FineRows = { finer: 0, far: 0 };
  #strings: StringColumnBuilder;
  #formsLost = false;
  /** Of times: whether each so far has named its zone. */
  #areZoned = true;
  /** Times were written back as texts, in another form perhaps. */
  #timesRewritten = false;
  #missing = 0;

  /** Where no comma is a delimiter: the first number whose point may stand between thousands, and what others there are. */
  #firstPoint = 0;
  #hasSmallNumbers = false;
  #hasOtherNumbers = false;

  readonly #spool: CellSpool | null;
  readonly #commas: boolean;
  readonly #keepsWritten: boolean;
  /** Whether numbers may have to be given back as they were written. */
  readonly #keepsForms: boolean;

  constructor(
    name: string,
    kind: ColumnKind | undefined,
    budget: ReadBudget,
    { commas = false, keepsWritten = false }: CellOptions = {},
  ) {
    this.name = name;
    this.#kind = kind;
    this.#commas = commas;
    this.#keepsWritten = keepsWritten;
    this.#keepsForms = keepsWritten || kind === undefined;
    this.#spool = budget.spool;
    this.#values = Growing.float64(budget.spool);
    this.#decimals = Growing.uint8(budget.spool);
    this.#oddForms = new OddForms(budget.spool);
    this.#strings = new StringColumnBuilder(name, budget, keepsWritten);
    // The cells alone tell whether their numbers have commas.
    if (kind === "numeric" && !commas) this.#mode = "number";
    else if (kind !== undefined) this.#mode = "string";
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#mode === "number") this.#addNumber(bytes, start, end);
    else if (this.#mode === "string") this.#addString(bytes, start, end);
    else if (this.#mode === "time") this.#addTime(bytes, start, end);
    else this.#addFirst(bytes, start, end);
  }

  /** Whether its cells are numbers that show decimal commas. */
  get showsCommas(): boolean {
    return this.#commas && this.#mode === "string" && this.#strings.showsCommas;
  }

  /** @param isAmongCommas whether a column of the file shows decimal commas */
  finish(isAmongCommas = false): BuiltColumn {
    const { name } = this;
    const mayBeThousands =
      this.#mode === "number" && this.#firstPoint > 0 && !this.#hasOtherNumbers;
    if (mayBeThousands && isAmongCommas) this.#numbersToStrings();
    if (this.#mode === "number") {
      const column: NumericColumn = { kind: "numeric", name, values: this.#values.finish() };
      const warnings = [
        ...inexactWarnings(name, this.#inexactRow),
        ...roundedWarnings(name, this.#roundedRow),
        ...(mayBeThousands && this.#hasSmallNumbers ? [this.#pointsWarning(column)] : []),
      ];
      return this.#keepsWritten
        ? { column, warnings, written: this.#written(column) }
        : { column, warnings };
    }
    if (this.#mode === "time") {
      return {
        column: {
          kind: "timestamp",
          name,
          values: this.#values.finish(),
          ...(this.#areZoned && { zoned: true }),
        },
        warnings: fineWarnings(name, this.#fine, FINE_TEXTS),
      };
    }
    if (this.#mode === "empty") this.#strings.addMissing(this.#missing);
    const commas = !this.#commas ? "none" : isAmongCommas ? "elsewhere" : "possible";
    const built = this.#strings.finish(this.#kind, true, commas);
    if (this.#kind === undefined) {
      const kept = numbersKept(built.column, this.#commas);
      if (kept) return { ...built, warnings: [...built.warnings, kept] };
    }
    if (this.#timesRewritten) return { ...built, isRewritten: true };
    if (!this.#formsLost) return built;
    const message = `Column ${shown(name)} changed from numbers to other values late in the file; numbers written in unusual ways (like +7 or 1e5) before that are read as ${shown("7")} and ${shown("100000")}. Declare its kind to keep them as they are.`;
    return {
      ...built,
      warnings: [...built.warnings, { message, column: name, of: "rewriting" }],
      isRewritten: true,
    };
  }

  #addFirst(bytes: Uint8Array, start: number, end: number): void {
    if (isMissingBytes(bytes, start, end)) {
      this.#missing++;
      return;
    }
    if (!Number.isNaN(parseNumberBytes(bytes, start, end))) {
      const isCode = isCodeBytes(bytes[start], bytes[start + 1]) && end - start > 1;
      this.#mode = isCode ? "string" : "number";
    } else if (!Number.isNaN(parseTimestampBytes(bytes, start, end))) this.#mode = "time";
    else this.#mode = "string";
    if (this.#mode === "string") this.#strings.addMissing(this.#missing);
    else this.#values.fill(Number.NaN, this.#missing);
    if (this.#mode === "number") this.#decimals.fill(0, this.#missing);
    this.add(bytes, start, end);
  }

  #addNumber(bytes: Uint8Array, start: number, end: number): void {
    const value = start === end ? Number.NaN : parseNumberBytes(bytes, start, end);
    if (Number.isNaN(value)) {
      if (isMissingBytes(bytes, start, end)) {
        this.#values.push(Number.NaN);
        if (this.#keepsForms) this.#decimals.push(0);
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
    let { decimals } = lastNumber;
    if (this.#kind === undefined) {
      const isCode = end - start > 1 && isCodeBytes(bytes[start], bytes[start + 1]);
      if (isLost || isCode) {
        this.#numbersToStrings();
        this.#addString(bytes, start, end);
        return;
      }
    } else if (isLost) {
      this.#inexactRow ||= this.#values.length + 1;
      decimals = ODD_FORM;
    }
    const mayRound = decimals === ODD_FORM && this.#roundedRow === 0;
    if (mayRound && Math.abs(value) >= LEAST_ROUNDED) {
      if (losesDecimals(latin(bytes, start, end), value)) {
        this.#roundedRow = this.#values.length + 1;
      }
    }
    if (this.#commas) this.#notePoint(value, decimals);
    if (this.#keepsForms) {
      if (decimals === ODD_FORM) this.#addOddForm(bytes, start, end);
      this.#decimals.push(decimals);
    }
    this.#values.push(value);
  }

  /** Of the next row. */
  #notePoint(value: number, decimals: number): void {
    const size = Math.abs(value);
    if (size >= 1000 || (decimals !== 0 && (decimals !== 3 || size < 1))) {
      this.#hasOtherNumbers = true;
    } else if (decimals === 0) this.#hasSmallNumbers = true;
    else this.#firstPoint ||= this.#values.length + 1;
  }

  /** Numbers with a point and three digits behind, beside whole ones of up to three: `12.345` and `7`. */
  #pointsWarning({ values }: NumericColumn): DataWarning {
    const { name } = this;
    const row = this.#firstPoint;
    const text = values[row - 1].toFixed(3);
    const message = `Column ${shown(name)} has numbers with a point before three digits, first ${shown(text)} in row ${row}, which is read as ${text}; if the point stands between thousands, write ${text.replace(".", "")}.`;
    return { message, column: name, row };
  }

  #addTime(bytes: Uint8Array, start: number, end: number): void {
    const value = parseTimestampBytes(bytes, start, end);
    const isTime = !Number.isNaN(value);
    if (isTime && !lastTime.hasZone) this.#areZoned = false;
    if (isTime || isMissingBytes(bytes, start, end)) {
      this.#values.push(value);
      const row = this.#values.length;
      if (this.#fine.finer === 0 && isFinerText(bytes, start, end)) this.#fine.finer = row;
      if (this.#fine.far === 0 && isFar(value) && hasMicroseconds(bytes, start, end)) {
        this.#fine.far = row;
      }
      return;
    }
    this.#timesRewritten = this.#values.length > 0;
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

  #addOddForm(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#oddForms.add(this.#values.length, latin(bytes, start, end))) this.#formsLost = true;
  }

  #numbersToStrings(): void {
    const values = this.#values.finish();
    const decimals = this.#decimals.finish();
    const oddForm = this.#oddForms.reader();
    for (let row = 0; row < values.length; row++) {
      if (Number.isNaN(values[row])) this.#strings.addMissing();
      else this.#strings.addText(this.#textOf(values[row], decimals[row], row, oddForm));
    }
    this.#oddForms = new OddForms(this.#spool);
    this.#mode = "string";
  }

  /** A number as it was written. */
  #textOf(
    value: number,
    decimals: number,
    row: number,
    oddForm: (row: number) => string | null,
  ): string {
    if (decimals === LARGE_INTEGER) return this.#large.digitsOf(value);
    if (decimals !== ODD_FORM) return value.toFixed(decimals);
    return oddForm(row) ?? String(value);
  }

  /** Undefined where the numbers are written as they are shown, or in too many ways to keep. */
  #written(column: Extract<Column, { kind: "numeric" }>): CategoricalColumn | undefined {
    const { values } = column;
    const decimals = this.#decimals.finish();
    if (this.#formsLost || decimals.every((count) => count === 0)) return undefined;
    const oddForm = this.#oddForms.reader();
    const codes = new Int32Array(values.length);
    const texts = new Map<string, number>();
    /** Codes of numbers, by their decimals: most texts need not be made. */
    const known: Map<number, number>[] = [];
    for (let row = 0; row < values.length; row++) {
      const [value, form] = [values[row], decimals[row]];
      if (Number.isNaN(value)) {
        codes[row] = -1;
        continue;
      }
      let ofForm = known[form];
      if (ofForm === undefined) known[form] = ofForm = new Map();
      let code = form === ODD_FORM ? undefined : ofForm.get(value);
      if (code === undefined) {
        const text = this.#textOf(value, form, row, oddForm);
        code = texts.get(text) ?? texts.size;
        texts.set(text, code);
        if (texts.size > MOST_SPELLINGS) return undefined;
        ofForm.set(value, code);
      }
      codes[row] = code;
    }
    return differing(column, {
      kind: "categorical",
      name: this.name,
      codes,
      categories: [...texts.keys()],
    });
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

/** Numbers that are written in ways which `toFixed` does not give back, by their rows. */
class OddForms {
  readonly #rows: Growing<Int32Array<ArrayBuffer>>;
  readonly #codes: Growing<Int32Array<ArrayBuffer>>;
  readonly #texts = new Map<string, number>();

  constructor(spool: CellSpool | null) {
    this.#rows = Growing.int32(spool);
    this.#codes = Growing.int32(spool);
  }

  /** False where there are too many different ones. @param row above those before */
  add(row: number, text: string): boolean {
    const code = this.#texts.get(text) ?? this.#texts.size;
    if (code === MAX_ODD_FORMS) return false;
    this.#texts.set(text, code);
    this.#rows.push(row);
    this.#codes.push(code);
    return true;
  }

  /** Gives the form of a row, asked in ascending order; nothing is added afterwards. */
  reader(): (row: number) => string | null {
    const [rows, codes, texts] = [
      this.#rows.finish(),
      this.#codes.finish(),
      [...this.#texts.keys()],
    ];
    let at = 0;
    return (row) => {
      while (at < rows.length && rows[at] < row) at++;
      return rows[at] === row ? texts[codes[at]] : null;
    };
  }
}
