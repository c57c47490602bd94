/** How many folds a run has, and which rows are in them. */

import { DataError } from "../../data/table.ts";
import { hasClasses, outputCount, type Task, taskType } from "../../tasks/index.ts";
import { type FoldRequest, makeFolds } from "../../validation/index.ts";
import { foldsFollowClasses, foldsFollowRows, type RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";

/** Of few rows: each fit then learns from seven of eight, where five folds would leave it four of five. */
const MORE_FOLDS = 8;
/** So many rows are few. */
export const FEW_ROWS = 2000;
/** Rows × columns × outputs for each second of the budget: beyond it, trials are dear as it is. */
const CELLS_A_SECOND = 10_000;

/**
 * Of few rows, the share that fewer folds must save where their number was not asked for, of rows in classes that are in too few
 * for more: a model never predicts a class that is left out (`docs/decisions/sequences.md`).
 */
const WORTH_FEWER_FOLDS = 0.02;
/** For two folds, where members keep the fits of their folds: each of them learns from half of the rows. */
const WORTH_HALVES = 0.1;

export interface FoldedRows {
  readonly task: Task;
  readonly target: Float64Array;
  /** Features. */
  readonly columns: number;
}

/** Folds that are sure, before the rows are known; null: one holdout split. */
export function leastFolds({
  nCvSplits,
  task,
}: Pick<RunConfig, "nCvSplits" | "task">): number | null {
  return nCvSplits === undefined ? taskType(task.taskKind).defaultFolds : nCvSplits;
}

/**
 * Folds that are sure of classes with so many rows; those with fewer are left out. Of few rows in small classes these are
 * fewer than the task's default where their number is left to the rows: sets of four examples a class had no run at all.
 */
export function foldsOfClasses(
  config: Pick<RunConfig, "nCvSplits" | "rareClasses" | "task">,
  classCounts: readonly number[],
): number | null {
  const { nCvSplits } = config;
  const least = leastFolds(config);
  const all = classCounts.reduce((sum, count) => sum + count, 0);
  if (least === null || nCvSplits !== undefined || !foldsFollowClasses(config) || all > FEW_ROWS)
    return least;
  const lost = (folds: number): number =>
    classCounts.reduce((sum, count) => sum + (count >= 2 && count < folds ? count : 0), 0);
  const halves = all > taskType(config.task.taskKind).refitsUpTo ? WORTH_HALVES : WORTH_FEWER_FOLDS;
  let folds = least;
  for (let fewer = least - 1; fewer >= 2; fewer--) {
    const worth = fewer === 2 ? halves : WORTH_FEWER_FOLDS;
    if (lost(folds) - lost(fewer) > worth * all) folds = fewer;
  }
  return folds;
}

/**
 * The folds of a run. Where its configuration leaves their number to the rows: eight of few rows, though
 * not more than the rarest class has of them, else the task's default, or less where classes were kept that have less.
 */
export function foldCount(config: RunConfig, { task, target, columns }: FoldedRows): number | null {
  const usual = leastFolds(config);
  const { nCvSplits, timeBudgetS } = config;
  if (nCvSplits !== undefined || usual === null) return usual;
  const least = foldsFollowClasses(config) ? Math.min(usual, Math.max(2, rarest(target))) : usual;
  if (!foldsFollowRows(config) || target.length > FEW_ROWS) return least;
  const cells = target.length * columns * outputCount(task);
  if (timeBudgetS != null && cells > CELLS_A_SECOND * timeBudgetS) return least;
  return Math.max(least, Math.min(MORE_FOLDS, hasClasses(task) ? rarest(target) : MORE_FOLDS));
}

function rarest(target: Float64Array): number {
  const counts = new Map<number, number>();
  for (const label of target) counts.set(label, (counts.get(label) ?? 0) + 1);
  return Math.min(...counts.values());
}

/** Rows that do not allow the folds: other folds might do. A fault of one row is the row's. */
export function foldsOf(request: FoldRequest): ReturnType<typeof makeFolds> {
  try {
    return makeFolds(request);
  } catch (error) {
    if (!(error instanceof DataError) || error.row !== undefined) throw error;
    throw new ConfigError(["nCvSplits"], error.message, error);
  }
}

/** For people. @param count of folds; null: one holdout split */
export function describeSplitter({ task }: Pick<RunConfig, "task">, count: number | null): string {
  const { taskKind, groupColumn, timeColumn } = task;
  const kind = [
    timeColumn ? `ordered by ${timeColumn}` : "",
    groupColumn ? `grouped by ${groupColumn}` : "",
    !timeColumn && taskType(taskKind).folds === "stratified" ? "stratified" : "",
  ].filter((part) => part !== "");
  const split = count === null ? "one holdout split" : `${count} folds`;
  return [split, ...kind].join(", ");
}
