/** Rows that are validated although an equal one was learned from: scores then reward memory. */

import type { EqualRows } from "../../data/row-hashes.ts";
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
  const learned = new Int32Array(groups.first.length).fill(-1);
  for (const [index, { train, valid }] of folds.entries()) {
    for (const row of train) learned[groups.of[row]] = index;
    validated += valid.length;
    for (const row of valid) if (learned[groups.of[row]] === index) repeated++;
  }
  return { validated, repeated };
}
