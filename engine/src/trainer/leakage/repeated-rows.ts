/**
 * Rows that are validated although an equal one was learned from: scores then reward memory. Rows
 * are compared by 53 bits of hashes of their cells (multiply and mix, after MurmurHash3's final
 * avalanche); that two different rows agree in all is beyond what a count would show. Fractions are compared in
 * single precision: copies that went through other formats, or that noise was added to, are copies.
 */

import type { Column } from "../../data/table.ts";
import type { Fold } from "../../validation/fold.ts";

export interface Repeats {
  /** Rows that are validated in some fold. */
  readonly validated: number;
  /** Of them, those that equal a row which that fold learns from. */
  readonly repeated: number;
}

/**
 * @param groups of rows that equal each other, in the numbers of the folds
 */
export function repeatedRows(groups: EqualRows, folds: readonly Fold[]): Repeats {
  let [validated, repeated] = [0, 0];
  // The fold that last learned from a row of the group.
  const learned = new Int32Array(groups.count).fill(-1);
  for (const [index, { train, valid }] of folds.entries()) {
    for (const row of train) learned[groups.of[row]] = index;
    validated += valid.length;
    for (const row of valid) if (learned[groups.of[row]] === index) repeated++;
  }
  return { validated, repeated };
}

/** Rows by what they equal each other in. */
export interface EqualRows {
  /** The number of its group, one a row. */
  readonly of: Uint32Array;
  readonly count: number;
}

/** Takes the columns that make rows equal, one after another: the features and the label. */
export class RowHashes {
  readonly #rows: Uint32Array | null;
  readonly #first: Uint32Array;
  readonly #second: Uint32Array;
  #hasMeasured = false;

  /** Whether a column has fractions or texts, in which different cases are hardly ever equal. */
  get hasMeasured(): boolean {
    return this.#hasMeasured;
  }

  /**
   * @param rows of the table; null = all
   * @param count of the rows
   */
  constructor(rows: Uint32Array | null, count: number) {
    this.#rows = rows;
    this.#first = new Uint32Array(count).fill(0x9e3779b9);
    this.#second = new Uint32Array(count).fill(0x85ebca6b);
  }

  add(column: Column): void {
    const [rows, first, second] = [this.#rows, this.#first, this.#second];
    /** Takes a cell's two words into its row's hashes. */
    const add = (i: number, low: number, high: number): void => {
      first[i] = mix(first[i] ^ low, high);
      second[i] = mix(second[i] ^ high, low + 0x7f4a7c15);
    };
    if (column.kind === "numeric" || column.kind === "timestamp") {
      const { values } = column;
      const value = new Float64Array(1);
      const words = new Uint32Array(value.buffer);
      for (let i = 0; i < first.length; i++) {
        const cell = values[rows === null ? i : rows[i]];
        // Adding 0 makes one zero of two, and there is one NaN.
        if (Number.isNaN(cell)) value[0] = Number.NaN;
        else if (Number.isInteger(cell)) value[0] = cell + 0;
        else {
          value[0] = Math.fround(cell) + 0;
          this.#hasMeasured = true;
        }
        add(i, words[0], words[1]);
      }
      return;
    }
    if (column.kind === "text") this.#hasMeasured = true;
    const codes = codesOf(column);
    for (let i = 0; i < first.length; i++) add(i, codes[rows === null ? i : rows[i]], 0);
  }

  /** Nothing is added afterwards. */
  groups(): EqualRows {
    for (let i = 0; i < this.#second.length; i++) this.#second[i] &= 0x1fffff;
    return grouped(this.#first, this.#second);
  }
}

/** Numbers of equal pairs of words, by open addressing with linear probing. */
function grouped(low: Uint32Array, high: Uint32Array): EqualRows {
  const rows = low.length;
  const mask = 2 ** Math.ceil(Math.log2(2 * rows + 1)) - 1;
  /** The first row of each group, where its pair leads to; -1 = none. */
  const slots = new Int32Array(mask + 1).fill(-1);
  const of = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    for (let slot = low[row] & mask; ; slot = (slot + 1) & mask) {
      const first = slots[slot];
      if (first < 0) {
        slots[slot] = row;
        of[row] = count++;
        break;
      }
      if (low[first] !== low[row] || high[first] !== high[row]) continue;
      of[row] = of[first];
      break;
    }
  }
  return { of, count };
}

function mix(state: number, word: number): number {
  let h = Math.imul(state ^ (word >>> 15), 0x85ebca6b) + Math.imul(word, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number a cell, equal for equal cells. */
function codesOf(column: Exclude<Column, { kind: "numeric" | "timestamp" }>): ArrayLike<number> {
  if (column.kind === "categorical") return column.codes;
  if (column.kind === "boolean") return column.values;
  const numbers = new Map<string | null, number>();
  return Uint32Array.from(column.values, (text) => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  });
}
