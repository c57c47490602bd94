/** What a teacher answers is somebody's output: it is believed only after a look. */

import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import { TeacherError } from "./teacher.ts";

/** How far a probability may lie outside 0 … 1, and a sum of them from 1: single precision's room. */
const TOLERANCE = 1e-3;

/**
 * The answers for some rows, as they are used: probabilities cut to 0 … 1 and summing to 1.
 *
 * @param firstRow number of the first row among all that are asked, for messages
 * @throws TeacherError
 */
export function checkAnswers(
  answers: unknown,
  rows: number,
  task: Task,
  teacher: string,
  firstRow: number,
): Float64Array {
  const outputs = outputCount(task);
  const fail = (what: string): never => {
    throw new TeacherError(`The teacher ${teacher} ${what}`);
  };
  if (!(answers instanceof Float64Array)) return fail("answers with something that is no numbers.");
  if (answers.length !== rows * outputs) {
    const expected = outputs === 1 ? `${rows}` : `${rows} × ${outputs}`;
    return fail(
      `answers with ${answers.length} numbers for ${rows} rows; ${expected} were expected.`,
    );
  }
  const checked = answers.slice();
  for (let i = 0; i < rows; i++) {
    const row = firstRow + i + 1;
    for (let k = 0; k < outputs; k++) {
      const at = i * outputs + k;
      const value = checked[at];
      if (!Number.isFinite(value)) fail(`answers with ${value} in row ${row}.`);
      if (!hasClasses(task)) continue;
      if (value < -TOLERANCE || value > 1 + TOLERANCE) {
        fail(`answers with ${value} in row ${row}, which is no probability.`);
      }
      checked[at] = Math.min(1, Math.max(0, value));
    }
    if (outputs > 1 && hasClasses(task)) normalise(checked, i * outputs, outputs, row, fail);
  }
  return checked;
}

function normalise(
  values: Float64Array,
  start: number,
  outputs: number,
  row: number,
  fail: (what: string) => never,
): void {
  let sum = 0;
  for (let k = 0; k < outputs; k++) sum += values[start + k];
  if (Math.abs(sum - 1) > TOLERANCE * Math.max(1, Math.sqrt(outputs))) {
    fail(`answers with probabilities that sum to ${sum} in row ${row}, not to 1.`);
  }
  for (let k = 0; k < outputs; k++) values[start + k] /= sum;
}
