/** One split where a request asks for no folds: a fifth of the rows is held out. */

import type { CounterRandom } from "../compute/random.ts";
import { rowNumbers } from "../compute/row-lists.ts";
import type { Fold } from "./fold.ts";
import { type GroupIndex, groupKFold } from "./group-k-fold.ts";
import { stratifiedGroupKFold } from "./stratified-group-k-fold.ts";
import { rowsByClass } from "./stratified-k-fold.ts";
import { expandingWindows } from "./time-ordered.ts";

const HOLDOUT_SHARE = 0.2;

/** A fifth of `count`, at least one and not all. */
function heldOut(count: number): number {
  return Math.min(count - 1, Math.max(1, Math.round(count * HOLDOUT_SHARE)));
}

/** A random fifth of the rows. @returns 0 for the rows held out, 1 for the others */
export function plainHoldout(rows: number, random: CounterRandom): Int32Array {
  const order = random.shuffle(rowNumbers(rows));
  const foldOf = new Int32Array(rows).fill(1);
  for (const i of order.subarray(0, heldOut(rows))) foldOf[i] = 0;
  return foldOf;
}

/** A random fifth of each class. @returns 0 for the rows held out, 1 for the others */
export function stratifiedHoldout(
  classOf: Float64Array,
  classes: number,
  random: CounterRandom,
): Int32Array {
  const foldOf = new Int32Array(classOf.length).fill(1);
  for (const rows of rowsByClass(classOf, classes)) {
    if (rows.length === 0) continue;
    for (const i of random.shuffle(rows).subarray(0, heldOut(rows.length))) foldOf[i] = 0;
  }
  return foldOf;
}

/**
 * Whole groups that hold as near to a fifth of the rows as one fold of a grouped five-fold does
 * (of fewer folds where there are fewer groups). @returns 0 for the rows held out
 */
export function groupHoldout(
  groups: GroupIndex,
  classOf: Float64Array | null,
  classes: number,
  random: CounterRandom,
): Int32Array {
  const folds = Math.min(Math.round(1 / HOLDOUT_SHARE), groups.count);
  const foldOf =
    classOf === null
      ? groupKFold(groups, folds, random)
      : stratifiedGroupKFold(groups, classOf, classes, folds, random);
  const sizes = new Float64Array(folds);
  for (const fold of foldOf) sizes[fold]++;
  const distance = sizes.map((size) => Math.abs(size - foldOf.length * HOLDOUT_SHARE));
  const chosen = distance.indexOf(Math.min(...distance));
  return foldOf.map((fold) => (fold === chosen ? 0 : 1));
}

/** The last fifth in time; null where all times are equal. */
export function lastHoldout(times: Float64Array): readonly Fold[] | null {
  return expandingWindows(times, 1, 1 - HOLDOUT_SHARE);
}
