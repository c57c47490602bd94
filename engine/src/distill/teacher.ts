/**
 * What a student learns from: anything that predicts rows it is shown.
 *
 * A teacher sees raw cells, so that it may be a model with an encoding of its own, here or behind
 * a URL. It is asked in batches from the thread that prepares the run; what it answers is checked
 * (`answers.ts`) and kept with the run, so a run that goes on does not ask again.
 */

import type { ColumnKind } from "../data/table.ts";
import type { Task } from "../tasks/index.ts";

type Cell = number | string | boolean | null;
/**
 * A cell as JSON holds it; times are ISO 8601 texts; null is missing. Of a row that is a sequence: one a
 * step, in their order.
 */
export type TeacherCell = Cell | readonly Cell[];

/** The rows that a teacher is asked about. */
export interface TeacherSamples {
  /** The task of the student: what the answers must be of, and in which order of classes. */
  readonly task: Task;
  readonly featureNames: readonly string[];
  /** One a feature: what its cells are. */
  readonly kinds: readonly ColumnKind[];
  /** At least one; each has one cell a feature, or of sequences a list of cells, one a step. */
  readonly rows: readonly (readonly TeacherCell[])[];
}

/** Anything that predicts the rows that it is shown. */
export interface Teacher {
  /** For people: it stands in the plan and the card. Answers are kept under it. */
  readonly name: string;
  /** Columns of the table that it must see; absent = the features of the student. */
  readonly columns?: readonly string[];
  /** Most rows of one question; absent = 1,000. */
  readonly batchRows?: number;
  /** How large it is, where that is known: of its files. */
  readonly bytes?: number;
  /**
   * Predicts every row of the samples.
   *
   * @returns row-major, rows × outputs (see `outputCount`): the value; the probability of the
   * second of `samples.task.classes`; or one probability a class, in the order of these classes
   * @throws TeacherError where it cannot answer for a reason that another try would meet again
   */
  predict(samples: TeacherSamples, signal: AbortSignal): Promise<Float64Array>;
}

/** The teacher cannot teach this run, or answers what is no answer. Written for who named it. */
export class TeacherError extends Error {
  override readonly name = "TeacherError";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
