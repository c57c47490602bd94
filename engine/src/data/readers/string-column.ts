/**
 * A column of texts under construction: dictionary-coded bytes, of which `text-inference.ts` makes a
 * column in the end.
 */

import { shown } from "../shown.ts";
import { type ColumnKind, DataError } from "../table.ts";
import { ByteDictionary } from "./byte-dictionary.ts";
import { decimalMark } from "./decimal-marks.ts";
import type { Texts } from "./distinct-texts.ts";
import { Growing } from "./growing.ts";
import { isMissingText } from "./missing.ts";
import { parseCommaNumber } from "./number-text.ts";
import type { ReadBudget } from "./read-limits.ts";
import type { BuiltColumn } from "./reading.ts";
import { categorical, typed } from "./text-inference.ts";
import type { DecimalCommas } from "./texts-as-numbers.ts";
import { differing, mayDiffer } from "./written-cells.ts";

/** One for all columns: a table may have thousands. */
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();

export class StringColumnBuilder {
  readonly #name: string;
  readonly #dictionary = new ByteDictionary();
  readonly #codes: Growing<Int32Array<ArrayBuffer>>;
  readonly #budget: ReadBudget;
  readonly #keepsWritten: boolean;
  #scratch = new Uint8Array(0);

  /** @param keepsWritten whether the column comes with its cells as they were written */
  constructor(name: string, budget: ReadBudget, keepsWritten = false) {
    this.#name = name;
    this.#budget = budget;
    this.#codes = Growing.int32(budget.spool);
    this.#keepsWritten = keepsWritten;
  }

  get rows(): number {
    return this.#codes.length;
  }

  addMissing(count = 1): void {
    this.#codes.fill(-1, count);
  }

  addBytes(bytes: Uint8Array, start: number, end: number): void {
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(bytes, start, end);
    if (code === before) this.#check(bytes, start, end);
    this.#codes.push(code);
  }

  addText(text: string): void {
    this.#codes.push(this.intern(text));
  }

  /** The code of a text, for `addCode`. */
  intern(text: string): number {
    if (this.#scratch.length < text.length * 3) this.#scratch = new Uint8Array(text.length * 3);
    const { written } = ENCODER.encodeInto(text, this.#scratch);
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(this.#scratch, 0, written);
    if (code === before) this.#check(this.#scratch, 0, written);
    return code;
  }

  /** The code of a text in UTF-8, for `addCode`. */
  internBytes(bytes: Uint8Array): number {
    const before = this.#dictionary.size;
    const code = this.#dictionary.add(bytes, 0, bytes.length);
    if (code === before) this.#check(bytes, 0, bytes.length);
    return code;
  }

  addCode(code: number): void {
    this.#codes.push(code);
  }

  /**
   * @param kind what the column must be, or undefined to infer it
   * @param tokensAreMissing whether the texts of `MISSING_TOKENS` are missing values
   * @param commas whether numbers may have a decimal comma, and whether other columns do
   */
  finish(
    kind: ColumnKind | undefined,
    tokensAreMissing: boolean,
    commas: DecimalCommas = "none",
  ): BuiltColumn {
    const codes = this.#codes.finish();
    const texts: string[] = [];
    const live: boolean[] = [];
    const parsed = kind === "numeric" || kind === "boolean" || kind === "timestamp";
    for (let entry = 0; entry < this.#dictionary.size; entry++) {
      const text = DECODER.decode(this.#dictionary.bytes(entry));
      texts.push(text);
      live.push(!((tokensAreMissing || parsed) && isMissingText(text.trim())));
    }
    const context: Texts = { name: this.#name, codes, texts, live };
    const built = typed(context, kind, commas);
    if (!this.#keepsWritten || !mayDiffer(built.column)) return built;
    return { ...built, written: differing(built.column, categorical(context)) };
  }

  /** Whether all texts are numbers, one of which has a decimal comma that is no separator of thousands. */
  get showsCommas(): boolean {
    let hasComma = false;
    for (let entry = 0; entry < this.#dictionary.size; entry++) {
      const text = DECODER.decode(this.#dictionary.bytes(entry)).trim();
      if (isMissingText(text)) continue;
      if (Number.isNaN(parseCommaNumber(text))) return false;
      hasComma ||= decimalMark(text) === "comma";
    }
    return hasComma;
  }

  #check(bytes: Uint8Array, start: number, end: number): void {
    this.#budget.addText(end - start, this.#name, this.rows + 1);
    let ascii = true;
    for (let i = start; i < end; i++) {
      if (bytes[i] === 0) {
        throw new DataError(
          `Column ${shown(this.#name)} has a NUL byte in row ${this.rows + 1}, which no text of a dataset may have; the file is not text or is damaged, or the column holds bytes. SQL takes it out: replace(${shown(this.#name)}, chr(0), '').`,
          { column: this.#name, row: this.rows + 1 },
        );
      }
      if (bytes[i] > 127) ascii = false;
    }
    if (ascii) return;
    try {
      DECODER.decode(bytes.subarray(start, end));
    } catch (cause) {
      throw new DataError(
        `Column ${shown(this.#name)} is not valid UTF-8 in row ${this.rows + 1}; save the file as UTF-8.`,
        { column: this.#name, row: this.rows + 1, cause },
      );
    }
  }
}
