/**
 * Hyper-parameter search on real models as a function to minimise: the mean validation loss over
 * folds of one family on one data set. Rows, folds and random keys are fixed, so that every
 * search strategy is asked about the same function.
 */

import { deriveKey } from "../../../engine/src/compute/random.ts";
import type { EncodedData } from "../../../engine/src/data/encoded.ts";
import type { DataShape, Family } from "../../../engine/src/families/family.ts";
import { toLoss } from "../../../engine/src/metrics/index.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import { defaultMetric } from "../../../engine/src/tasks/fitting-metrics.ts";
import { outputCount, type Task } from "../../../engine/src/tasks/index.ts";
import { type Fold, makeFolds } from "../../../engine/src/validation/index.ts";
import { type BenchData, encodeBenchData } from "../bench-data.ts";

export interface Objective {
  readonly name: string;
  readonly task: Task;
  readonly shape: DataShape;
  /** One loss a fold, of the task's default metric; null where a fit failed or diverged. */
  evaluate(family: Family, parameters: Parameters): readonly number[] | null;
}

export interface ObjectiveOptions {
  readonly mostRows: number;
  /** The number of folds that are made, and how many of them are fitted. */
  readonly folds: number;
  readonly fitted: number;
  readonly seed: number;
}

/** @throws DataError where the classes are too rare for the folds */
export function makeObjective(data: BenchData, options: ObjectiveOptions): Objective {
  const { seed } = options;
  const rows = Uint32Array.from([...data.train, ...data.test].sort((a, b) => a - b));
  const chosen = spread(rows, options.mostRows);
  const folds = makeFolds({
    task: data.task,
    target: data.target,
    rows: chosen,
    nSplits: options.folds,
    key: deriveKey(seed, "bench", "folds"),
  }).slice(0, options.fitted);
  const encoded = encodeBenchData({ ...data, train: chosen }, true);
  const shape = { rows: chosen.length, task: data.task, features: encoded.features };
  return {
    name: data.name,
    task: data.task,
    shape,
    evaluate(family, parameters) {
      const losses: number[] = [];
      for (const [index, fold] of folds.entries()) {
        const loss = foldLoss(
          data,
          encoded,
          family,
          { ...family.defaults(shape), ...parameters },
          {
            fold,
            index,
            seed,
          },
        );
        if (loss === null) return null;
        losses.push(loss);
      }
      return losses;
    },
  };
}

/** Of more than `most` rows, as many at even distances. */
function spread(rows: Uint32Array, most: number): Uint32Array {
  if (rows.length <= most) return rows;
  return Uint32Array.from({ length: most }, (_, i) => rows[Math.floor((i * rows.length) / most)]);
}

function foldLoss(
  data: BenchData,
  encoded: EncodedData,
  family: Family,
  parameters: Parameters,
  { fold, index, seed }: { readonly fold: Fold; readonly index: number; readonly seed: number },
): number | null {
  const model = family.fit(
    {
      task: data.task,
      data: encoded,
      target: data.target,
      softTarget: null,
      weights: null,
      trainRows: fold.train,
      validRows: fold.valid,
      key: deriveKey(seed, "bench", "fit", index),
      monotone: {},
    },
    parameters,
  );
  const metric = defaultMetric(data.task.kind);
  const score = metric.score({
    target: Float64Array.from(fold.valid, (row) => data.target[row]),
    predictions: model.predict(encoded, fold.valid),
    outputs: outputCount(data.task),
    weights: null,
  });
  return Number.isFinite(score) ? toLoss(metric, score) : null;
}
