/** Rows that are validated although an equal one was learned from: scores then reward memory. */

import { type EqualRows, equalRows, RowHashes } from "../../../data/row-hashes.ts";
import type { Column } from "../../../data/table.ts";
import type { Fold } from "../../../validation/fold.ts";

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
  const learned = new Int32Array(groups.first.length).fill(-1);
  for (const [index, { train, valid }] of folds.entries()) {
    for (const row of train) learned[groups.of[row]] = index;
    validated += valid.length;
    for (const row of valid) if (learned[groups.of[row]] === index) repeated++;
  }
  return { validated, repeated };
}

/** How often rows have equal cells where each column is drawn by itself, as often as its cells are there. */
export class ChanceOfRepeats {
  readonly #rows: Uint32Array | null;
  /** One a row: the logarithm of the share of rows that would have its cells. */
  readonly #logShares: Float64Array;

  /**
   * @param rows of the table; null = all
   * @param count of the rows
   */
  constructor(rows: Uint32Array | null, count: number) {
    this.#rows = rows;
    this.#logShares = new Float64Array(count);
  }

  add(column: Column): void {
    const hashes = new RowHashes(this.#rows, this.#logShares.length);
    hashes.add(column);
    this.#addHashed(hashes);
  }

  /** The label as a run learns it. @param target one a row */
  addLabel(target: Float64Array): void {
    const hashes = new RowHashes(null, this.#logShares.length);
    hashes.addLabel("", target, []);
    this.#addHashed(hashes);
  }

  /** Rows that would be validated although an equal one was learned from. */
  expected(folds: readonly Fold[]): number {
    let sum = 0;
    for (const { train, valid } of folds) {
      for (const row of valid) {
        sum -= Math.expm1(train.length * Math.log1p(-Math.exp(this.#logShares[row])));
      }
    }
    return sum;
  }

  #addHashed(hashes: RowHashes): void {
    const { of, first } = equalRows(hashes);
    const counts = new Uint32Array(first.length);
    for (const group of of) counts[group]++;
    for (let i = 0; i < of.length; i++) this.#logShares[i] += Math.log(counts[of[i]] / of.length);
  }
}
