/**
 * Rows that are validated although an equal one was learned from: scores then reward memory. Rows
 * are compared by 53 bits of hashes of their cells (multiply and mix, after MurmurHash3's final
 * avalanche); that two different rows agree in all is beyond what a count would show.
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
 * @param columns what makes rows equal: the features and the label
 * @param rows of the table, in the numbers of the folds; null = all
 */
export function repeatedRows(
  columns: readonly Column[],
  rows: Uint32Array | null,
  count: number,
  folds: readonly Fold[],
): Repeats {
  const groups = groupsOf(columns, rows, count);
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

function groupsOf(
  columns: readonly Column[],
  rows: Uint32Array | null,
  count: number,
): { readonly of: Uint32Array; readonly count: number } {
  const first = new Uint32Array(count).fill(0x9e3779b9);
  const second = new Uint32Array(count).fill(0x85ebca6b);
  for (const column of columns) {
    const bits = bitsOf(column);
    for (let i = 0; i < count; i++) {
      const [low, high] = bits(rows?.[i] ?? i);
      first[i] = mix(first[i] ^ low, high);
      second[i] = mix(second[i] ^ high, low + 0x7f4a7c15);
    }
  }
  const numbers = new Map<number, number>();
  const of = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const key = (second[i] & 0x1fffff) * 0x1_0000_0000 + first[i];
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
    }
    of[i] = number;
  }
  return { of, count: numbers.size };
}

function mix(state: number, word: number): number {
  let h = Math.imul(state ^ (word >>> 15), 0x85ebca6b) + Math.imul(word, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Two words of a cell, equal for equal cells. The pair is the same array at each call. */
function bitsOf(column: Column): (row: number) => readonly [number, number] {
  const pair: [number, number] = [0, 0];
  switch (column.kind) {
    case "categorical":
      return (row) => {
        pair[0] = column.codes[row];
        return pair;
      };
    case "boolean":
      return (row) => {
        pair[0] = column.values[row];
        return pair;
      };
    case "text": {
      const numbers = new Map<string | null, number>();
      return (row) => {
        const text = column.values[row];
        let number = numbers.get(text);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(text, number);
        }
        pair[0] = number;
        return pair;
      };
    }
    default: {
      const value = new Float64Array(1);
      const words = new Uint32Array(value.buffer);
      return (row) => {
        // Adding 0 makes one zero of two.
        value[0] = Number.isNaN(column.values[row]) ? Number.NaN : column.values[row] + 0;
        pair[0] = words[0];
        pair[1] = words[1];
        return pair;
      };
    }
  }
}
