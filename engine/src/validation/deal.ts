/** From "which fold holds each row" to the lists of rows. */

import type { Fold } from "./fold.ts";

/**
 * One fold for each number in [0, folds): the rows dealt to it are its validation rows, all others
 * its training rows.
 *
 * @param rows ascending row numbers
 * @param foldOf the fold of `rows[i]`, or a number outside [0, folds) for "never validated"
 */
export function foldsFromAssignment(
  rows: Uint32Array,
  foldOf: Int32Array,
  folds: number,
): readonly Fold[] {
  return Array.from({ length: folds }, (_, fold) => ({
    train: rows.filter((_row, i) => foldOf[i] !== fold),
    valid: rows.filter((_row, i) => foldOf[i] === fold),
  }));
}
