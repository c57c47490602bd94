/**
 * The labels a student learns. Rows of the data: the true label and the teacher's answer, mixed
 * (Hinton, Vinyals & Dean 2015, §2, with the mix in the labels and not in two losses, which for
 * cross-entropy and squared error is the same gradient). Augmented rows: the teacher's answer.
 */

import { hasClasses, outputCount, type Task, typeOf } from "../tasks/index.ts";

export interface StudentLabels {
  /**
   * One a row: the value, or the index of the class; of augmented rows the teacher's value, or the
   * class it finds most likely.
   */
  readonly target: Float64Array;
  /** The same with the teacher's values mixed in (regression); else equal to `target`. */
  readonly fitTarget: Float64Array;
  /** Row-major, rows × outputs, as `FitContext.softTarget`; null for regression. */
  readonly softTarget: Float64Array | null;
}

/**
 * @param truth one a row of the data
 * @param answers row-major over the data's rows and the augmented ones below
 * @param teacherWeight 0 … 1
 */
export function studentLabels(
  task: Task,
  truth: Float64Array,
  answers: Float64Array,
  teacherWeight: number,
): StudentLabels {
  const outputs = outputCount(task);
  const rows = answers.length / outputs;
  const target = new Float64Array(rows);
  for (let row = 0; row < rows; row++) {
    target[row] = row < truth.length ? truth[row] : decided(task, answers, row * outputs, outputs);
  }
  const mixed = answers.slice();
  const ofEach = typeOf(task).link === "log_softmax";
  for (let row = 0; row < truth.length; row++) {
    for (let k = 0; k < outputs; k++) {
      const own = ofEach ? Number(truth[row] === k) : truth[row];
      const at = row * outputs + k;
      mixed[at] = (1 - teacherWeight) * own + teacherWeight * answers[at];
    }
  }
  return hasClasses(task)
    ? { target, fitTarget: target, softTarget: mixed }
    : { target, fitTarget: mixed, softTarget: null };
}

function decided(task: Task, answers: Float64Array, start: number, outputs: number): number {
  const { decision } = typeOf(task);
  if (decision === null) return answers[start];
  if (decision === "threshold") return answers[start] > 0.5 ? 1 : 0;
  let best = 0;
  for (let k = 1; k < outputs; k++) if (answers[start + k] > answers[start + best]) best = k;
  return best;
}
