/** How true a selected student is to its teacher, out of fold, beside a linear model's predictions. */

import { deriveKey } from "../../compute/random.ts";
import { valuesAt } from "../../compute/row-lists.ts";
import { type Fidelity, fidelityOf } from "../../distill/fidelity.ts";
import { modelTeacher } from "../../distill/model-teacher.ts";
import type { TeacherSamples } from "../../distill/teacher.ts";
import { baselineFamily } from "../../families/index.ts";
import { loadModel } from "../../model/load.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { outputCount } from "../../tasks/index.ts";
import { dataOfFold, type PreparedRun } from "../plan/prepared.ts";
import { outOfFoldRows } from "./select.ts";

export interface BaselineInput {
  readonly run: PreparedRun;
  readonly randomState: number;
}

/**
 * A linear model (of sequences, one of simple features of them) of each fold, with its defaults, of the true labels of the data's own rows: what
 * can be had without a teacher and without a search.
 *
 * @returns row-major over the out-of-fold rows
 */
export function baseline({ run, randomState }: BaselineInput): Float64Array {
  const own = run.plan.rows;
  const family = baselineFamily(run.task.kind);
  const parts = run.folds.map(({ train, valid }, fold) => {
    const data = dataOfFold(run, fold);
    const trainRows = train.filter((row) => row < own);
    const shape = { rows: trainRows.length, task: run.task, features: data.features };
    const context = {
      task: run.task,
      data,
      target: run.target,
      softTarget: null,
      weights: run.weights,
      trainRows,
      validRows: null,
      key: deriveKey(randomState, "baseline", fold),
      monotone: {},
    };
    return family.fit(context, family.defaults(shape)).predict(data, valid);
  });
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

export interface FidelityTaskInput {
  readonly run: PreparedRun;
  /** Row-major over the out-of-fold rows, as is the baseline's. */
  readonly student: Float64Array;
  readonly baseline: Float64Array;
  readonly randomState: number;
}

export function fidelity(input: FidelityTaskInput): Fidelity {
  const { run, student, randomState } = input;
  const { taught, weights } = run;
  if (!taught) throw new Error("A run without a teacher has no fidelity.");
  const outputs = outputCount(run.task);
  const rows = outOfFoldRows(run);
  const teacher = new Float64Array(rows.length * outputs);
  rows.forEach((row, i) => {
    teacher.set(taught.answers.subarray(row * outputs, (row + 1) * outputs), i * outputs);
  });
  const { tableRows } = run;
  return fidelityOf({
    task: run.task,
    rows: tableRows ? rows.map((row) => tableRows[row]) : rows,
    target: valuesAt(run.target, rows),
    weights: weights ? valuesAt(weights, rows) : null,
    student,
    teacher,
    baseline: input.baseline,
    metric: metricOf(run.task, run.plan.metrics[0]),
    key: deriveKey(randomState, "fidelity"),
  });
}

export interface TimingInput {
  /** Of a model's directory, by path. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly samples: TeacherSamples;
}

/** Seconds that a model needs to predict the rows, reading their cells included. */
export async function timeModel({ files, samples }: TimingInput): Promise<number> {
  const model = modelTeacher(await loadModel(async (path) => files[path]));
  const started = performance.now();
  await model.predict(samples, new AbortController().signal);
  return (performance.now() - started) / 1000;
}
