/** Explanations of predictions that a kind of task puts in order, such as quantiles that crossed. */

import { outputCount, type Task, typeOf } from "../tasks/index.ts";
import type { Explanation } from "./family.ts";

/**
 * By how much the order moved an output is shared among the features, in proportion to the size of
 * their contributions to it (equally where they have none), so that base and contributions add up to
 * what is predicted. Elsewhere the explanation stays as it is.
 */
export function arrangedExplanation(task: Task, explanation: Explanation): Explanation {
  const { margins: fitted } = explanation;
  const outputs = outputCount(task);
  const margins = typeOf(task).arrange(fitted.slice(), outputs);
  const features = explanation.contributions.length / fitted.length;
  if (features === 0 || margins.every((value, at) => value === fitted[at])) return explanation;
  const contributions = explanation.contributions.slice();
  for (let at = 0; at < margins.length; at++) {
    const moved = margins[at] - fitted[at];
    if (moved !== 0) shareOut(moved, contributions, at, features, outputs);
  }
  return { ...explanation, margins, contributions };
}

/**
 * Adds an amount to the contributions to one output of a row, in proportion to their sizes; equally
 * where all are 0.
 *
 * @param contributions row-major, rows × features × outputs
 * @param at the output's place among rows × outputs
 */
export function shareOut(
  amount: number,
  contributions: Float64Array,
  at: number,
  features: number,
  outputs: number,
): void {
  const start = Math.floor(at / outputs) * features * outputs + (at % outputs);
  let size = 0;
  for (let f = 0; f < features; f++) size += Math.abs(contributions[start + f * outputs]);
  for (let f = 0; f < features; f++) {
    const own = start + f * outputs;
    contributions[own] += amount * (size > 0 ? Math.abs(contributions[own]) / size : 1 / features);
  }
}
