/** The labels of a fit as numbers that can be averaged, hard or soft. */

import { typeOf } from "../tasks/index.ts";
import type { FitContext } from "./family.ts";

/**
 * One array an output, one number a row of the data: the value, the share of the second class
 * (0 and 1 where labels are hard), or the share of each class.
 *
 * @param of the classes, where there are several; absent: all
 */
export function labelChannels(
  { task, target, softTarget }: Pick<FitContext, "task" | "target" | "softTarget">,
  of: readonly number[] = [...task.classes.keys()],
): readonly Float64Array[] {
  if (typeOf(task).link !== "log_softmax") return [softTarget ?? target];
  const classes = task.classes.length;
  return of.map((k) =>
    target.map((value, row) => (softTarget ? softTarget[row * classes + k] : Number(value === k))),
  );
}
