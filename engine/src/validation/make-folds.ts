/** Chooses the way to split by what is known of the rows, and refuses what cannot be split. */

import { CounterRandom, type RandomKey } from "../compute/random.ts";
import { rowNumbers, valuesAt } from "../compute/row-lists.ts";
import { DataError } from "../data/table.ts";
import { type Task, typeOf } from "../tasks/index.ts";
import type { Fold } from "./fold.ts";
import { type GroupIndex, groupKFold, indexGroups } from "./group-k-fold.ts";
import { groupHoldout, lastHoldout, plainHoldout, stratifiedHoldout } from "./holdout.ts";
import { stratifiedGroupKFold } from "./stratified-group-k-fold.ts";
import { stratifiedKFold } from "./stratified-k-fold.ts";
import { distinctTimes, expandingWindows } from "./time-ordered.ts";

export interface FoldRequest {
  readonly task: Task;
  /** One number a row of the data: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Ascending rows to split; absent = all. Only these are looked at and only these come back. */
  readonly rows?: Uint32Array;
  /** One id a row of the data; rows of one id are never on both sides. Negative = none. */
  readonly groups?: Int32Array | null;
  /** One time a row of the data; no row is validated with rows of its own time or later learned. */
  readonly time?: Float64Array | null;
  /** At least 2; null = one split with a fifth of the rows held out. */
  readonly nSplits: number | null;
  readonly key: RandomKey;
}

/**
 * The splits of a run. Time-ordered where times are given (with groups too: rows of a group that is
 * validated are then not learned from); else by group where groups are given; stratified for
 * classes. A function of its argument alone.
 *
 * @throws DataError where the rows cannot be split so: it says what was counted and what would do
 */
export function makeFolds(request: FoldRequest): readonly Fold[] {
  const { task, target, groups: ids, time, nSplits } = request;
  if (nSplits !== null && !(Number.isInteger(nSplits) && nSplits >= 2)) {
    throw new DataError(
      `The number of folds must be a whole number of at least 2, not ${nSplits}; null asks for one holdout split.`,
    );
  }
  const rows = request.rows ?? rowNumbers(target.length);
  const needed = nSplits ?? 2;
  if (rows.length < needed) {
    throw new DataError(
      `${rows.length} ${rows.length === 1 ? "row is" : "rows are"} too few for the ${describe(nSplits)}: at least ${needed} are needed.`,
    );
  }
  const stratified = typeOf(task).folds === "stratified";
  const classOf = stratified ? valuesAt(target, rows) : null;
  if (classOf !== null && !time) checkClassCounts(classOf, task, nSplits);
  const groups = ids ? indexGroups(Int32Array.from(rows, (row) => ids[row])) : null;
  if (groups !== null && groups.count < needed) {
    throw new DataError(
      `${groups.count} ${groups.count === 1 ? "group is" : "groups are"} too few for the ${describe(nSplits)}: at least ${needed} are needed, since the rows of a group stay together.`,
    );
  }
  const folds = time
    ? timeFolds(valuesAt(time, rows), rows, groups, nSplits)
    : foldsFromAssignment(rows, assign(request, rows.length, classOf, groups), nSplits ?? 1);
  if (classOf !== null) checkTrainingClasses(folds, request);
  return folds;
}

function describe(nSplits: number | null): string {
  return nSplits === null ? "two sides of a holdout split" : `${nSplits} folds`;
}

function assign(
  { task, nSplits, key }: FoldRequest,
  rows: number,
  classOf: Float64Array | null,
  groups: GroupIndex | null,
): Int32Array {
  const random = new CounterRandom(key);
  const classes = task.classes.length;
  if (groups !== null) {
    if (nSplits === null) return groupHoldout(groups, classOf, classes, random);
    return classOf === null
      ? groupKFold(groups, nSplits, random)
      : stratifiedGroupKFold(groups, classOf, classes, nSplits, random);
  }
  if (classOf !== null) {
    return nSplits === null
      ? stratifiedHoldout(classOf, classes, random)
      : stratifiedKFold(classOf, classes, nSplits, random);
  }
  return nSplits === null ? plainHoldout(rows, random) : kFold(rows, nSplits, random);
}

function timeFolds(
  times: Float64Array,
  rows: Uint32Array,
  groups: GroupIndex | null,
  nSplits: number | null,
): readonly Fold[] {
  const missing = times.findIndex(Number.isNaN);
  if (missing >= 0) {
    throw new DataError(
      `Row ${rows[missing] + 1} has no time, so its place among the time-ordered folds is unknown. Filter out rows without a time.`,
      { row: rows[missing] + 1 },
    );
  }
  const windows = nSplits === null ? lastHoldout(times) : expandingWindows(times, nSplits);
  if (windows === null) {
    throw new DataError(
      `${describe(nSplits)[0].toUpperCase()}${describe(nSplits).slice(1)} in order of time need at least ${(nSplits ?? 1) + 1} different times; the rows have ${distinctTimes(times)}.`,
    );
  }
  return windows.map((window, index) => {
    const validated = new Set(groups ? Array.from(window.valid, (i) => groups.groupOf[i]) : []);
    const learned = groups
      ? window.train.filter((i) => !validated.has(groups.groupOf[i]))
      : window.train;
    if (learned.length === 0) {
      throw new DataError(
        `Fold ${index + 1} has nothing to learn from: every group before its validation rows occurs in them too. Leave out the group column or the time column.`,
      );
    }
    const last = learned.reduce((time, i) => Math.max(time, times[i]), Number.NEGATIVE_INFINITY);
    const rowsAt = (places: Uint32Array): Uint32Array => places.map((i) => rows[i]);
    return {
      train: rowsAt(learned),
      valid: rowsAt(window.valid),
      latest: rowsAt(learned.filter((i) => times[i] === last)),
    };
  });
}

/** Stratified folds need each class in each fold. */
function checkClassCounts(classOf: Float64Array, task: Task, nSplits: number | null): void {
  const counts = new Uint32Array(task.classes.length);
  for (const k of classOf) counts[k]++;
  const needed = nSplits ?? 2;
  const short = Array.from(counts.keys()).filter((k) => counts[k] > 0 && counts[k] < needed);
  if (short.length === 0) return;
  const named = short
    .slice(0, 5)
    .map((k) => `"${task.classes[k]}" (${counts[k]} ${counts[k] === 1 ? "row" : "rows"})`);
  if (short.length > 5) named.push(`${short.length - 5} more`);
  throw new DataError(
    `Too few rows for the ${describe(nSplits)} in ${short.length === 1 ? "class" : "classes"} ${named.join(", ")}: each class needs at least ${needed}. Use fewer folds, or let \`rareClasses\` be "drop" or "merge".`,
  );
}

function checkTrainingClasses(folds: readonly Fold[], { task, target }: FoldRequest): void {
  folds.forEach(({ train }, index) => {
    const first = target[train[0]];
    if (train.every((row) => target[row] === first)) {
      throw new DataError(
        `Fold ${index + 1} would learn from rows of class "${task.classes[first]}" alone. Use fewer folds, or another group or time column.`,
      );
    }
  });
}

/**
 * Plain K-fold: rows in random order, dealt one to each fold in turn. Fold sizes differ by at
 * most one.
 *
 * @returns the fold of each row
 */
function kFold(rows: number, folds: number, random: CounterRandom): Int32Array {
  const order = random.shuffle(rowNumbers(rows));
  const foldOf = new Int32Array(rows);
  for (let i = 0; i < rows; i++) foldOf[order[i]] = i % folds;
  return foldOf;
}

/**
 * One fold for each number in [0, folds): the rows dealt to it are its validation rows, all others
 * its training rows.
 *
 * @param rows ascending row numbers
 * @param foldOf the fold of `rows[i]`, or a number outside [0, folds) for "never validated"
 */
function foldsFromAssignment(
  rows: Uint32Array,
  foldOf: Int32Array,
  folds: number,
): readonly Fold[] {
  const sizes = new Uint32Array(folds);
  for (const fold of foldOf) if (fold >= 0 && fold < folds) sizes[fold]++;
  // By loops: a filter makes a list of the rows, which takes several times their memory.
  return Array.from({ length: folds }, (_, fold) => {
    const valid = new Uint32Array(sizes[fold]);
    const train = new Uint32Array(rows.length - valid.length);
    let [validated, learned] = [0, 0];
    for (let i = 0; i < rows.length; i++) {
      if (foldOf[i] === fold) valid[validated++] = rows[i];
      else train[learned++] = rows[i];
    }
    return { train, valid };
  });
}
