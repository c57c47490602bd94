/** What is predicted. */

export const TASK_KINDS = ["regression", "binclass", "multiclass"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** Kinds of the contract whose families are not there yet; asking for one is a clear error. */
export const PLANNED_TASK_KINDS = [
  "forecasting",
  "sequence_regression",
  "sequence_binclass",
  "sequence_multiclass",
] as const;

/**
 * A task whose label has been read.
 *
 * `classes` are the labels in their order (numeric if all are numbers, else by code unit); the
 * positive class of binclass is the second. Empty for regression.
 */
export interface Task {
  readonly kind: TaskKind;
  readonly classes: readonly string[];
}

/**
 * Numbers a model predicts for one row: regression 1 (the value), binclass 1 (probability of the
 * second class), multiclass one probability a class. A predictions array is row-major,
 * rows × outputs.
 */
export function outputCount(task: Task): number {
  return task.kind === "multiclass" ? task.classes.length : 1;
}
