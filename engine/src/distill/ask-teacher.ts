/**
 * Asks the teacher for every row, a batch at a time. Each batch's answers are kept as an artifact
 * of the run under the hash of its question, so that a run that goes on asks only what is new.
 */

import { createHash } from "node:crypto";
import type { Table } from "../data/table.ts";
import { packModel, unpackModel } from "../model/packed.ts";
import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import { questionSize, samplesOf } from "./samples.ts";
import { type Teacher, TeacherError, type TeacherSamples } from "./teacher.ts";

/** Artifacts under this prefix are what the teacher answered. */
export const TEACHER = "teacher/";

const BATCH_ROWS = 1000;

/** Where answers are kept; a `RunStore` is one. */
export interface AnswerStore {
  putArtifact(name: string, bytes: Uint8Array): Promise<void>;
  findArtifact(name: string): Promise<Uint8Array | null>;
}

export interface AskInput {
  readonly teacher: Teacher;
  readonly task: Task;
  /** The teacher's columns, in the order that it is asked in. */
  readonly table: Table;
  /** Of sequences, whose steps are the table's rows: the place of each one's first, and of the end. */
  readonly offsets?: Uint32Array | null;
  readonly store: AnswerStore;
  readonly signal: AbortSignal;
}

/**
 * @returns row-major, rows × outputs
 * @throws TeacherError, or the signal's reason
 */
export async function askTeacher(input: AskInput): Promise<Float64Array> {
  const { teacher, task, table, offsets = null, store, signal } = input;
  const outputs = outputCount(task);
  const rows = offsets ? offsets.length - 1 : table.rows;
  const all = new Float64Array(rows * outputs);
  const size = Math.max(1, teacher.batchRows ?? BATCH_ROWS);
  for (let first = 0, batch = 0, count = 0; first < rows; first += count, batch++) {
    signal.throwIfAborted();
    count = questionSize(first, rows, size, offsets);
    const samples = samplesOf(task, table, first, count, offsets);
    const name = `${TEACHER}${String(batch).padStart(5, "0")}`;
    const question = hashOf(teacher, samples);
    const kept = readKept(await store.findArtifact(name), name, question);
    const answers =
      kept ??
      checkAnswers(await teacher.predict(samples, signal), count, task, teacher.name, first);
    if (!kept) {
      await store.putArtifact(name, packModel({ header: { question }, tensors: { answers } }));
    }
    all.set(answers, first * outputs);
  }
  return all;
}

/** Of the teacher's name and the whole question. */
function hashOf(teacher: Teacher, samples: TeacherSamples): string {
  const { task, featureNames, kinds, rows } = samples;
  const question = [teacher.name, task.kind, task.classes, featureNames, kinds, rows];
  return createHash("sha256").update(JSON.stringify(question)).digest("hex");
}

/** The answers, where they are to this question. */
function readKept(bytes: Uint8Array | null, name: string, question: string): Float64Array | null {
  if (bytes === null) return null;
  const { header, tensors } = unpackModel(bytes, name);
  const same =
    typeof header === "object" &&
    header !== null &&
    "question" in header &&
    header.question === question;
  return same && tensors["answers"] instanceof Float64Array ? tensors["answers"] : null;
}

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
  if (!(answers instanceof Float64Array)) return fail("answers with something other than numbers.");
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
        fail(`answers with ${value} in row ${row}, which is not a probability.`);
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
