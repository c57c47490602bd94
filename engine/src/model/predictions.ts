/** What a model says of some rows: the choice of those that were asked for, and the classes. */

import type { Intervals, Sets } from "../conformal/index.ts";
import type { AnswerKey } from "../tasks/framing.ts";

/** A model's predictions of some rows. */
export interface ModelPredictions {
  /** Row-major, rows × outputs: values, or probabilities (see `outputCount`). */
  readonly values: Float64Array;
  readonly outputs: number;
  /** Regression: around each value; null for classifiers, and for models of versions without intervals. */
  readonly intervals: Intervals | null;
  /** Classifiers: the classes that may be true; null for regression and such models. */
  readonly sets: Sets | null;
  /** Forecasts: row-major, rows × the task's levels; null: too few rows to have any. */
  readonly quantiles?: Float64Array | null;
  /** Which each is of, where the rows of the table are not predicted one by one; else null. */
  readonly keys: readonly AnswerKey[] | null;
  /** What was odd about the rows, e.g. a column that was absent. */
  readonly warnings: readonly string[];
}

/** How sure the predictions are. */
export type Uncertainty = Pick<ModelPredictions, "intervals" | "quantiles" | "sets" | "warnings">;

type Predicted = Pick<ModelPredictions, "values"> & Uncertainty;

/** Of predictions of one output those that were asked for. */
export function answersOf(all: Predicted, places: Uint32Array | null): Predicted {
  if (places === null) return all;
  const { values, intervals, quantiles } = all;
  const taken = (list: Float64Array): Float64Array => Float64Array.from(places, (at) => list[at]);
  const bounds = intervals?.bounds;
  const levels = (quantiles?.length ?? 0) / values.length;
  return {
    ...all,
    values: taken(values),
    intervals: intervals && {
      ...intervals,
      bounds: bounds ? { lower: taken(bounds.lower), upper: taken(bounds.upper) } : null,
    },
    ...(quantiles && {
      quantiles: Float64Array.from(
        { length: places.length * levels },
        (_, i) => quantiles[places[Math.floor(i / levels)] * levels + (i % levels)],
      ),
    }),
  };
}

/**
 * From probabilities to the predicted class: with one output the second class from the threshold on; else the most probable class, the last of
 * equals.
 *
 * @param probabilities row-major, rows × outputs (see `outputCount`)
 * @param threshold of two classes; not read with more
 * @returns the index of the class, one per row
 */
export function decide(
  probabilities: Float64Array,
  outputs: number,
  threshold: number | null,
): Uint32Array {
  const rows = probabilities.length / outputs;
  if (outputs === 1) {
    return Uint32Array.from(probabilities, (p) => (p >= (threshold ?? 0.5) ? 1 : 0));
  }
  const labels = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * outputs;
    for (let k = 1; k < outputs; k++) {
      if (probabilities[from + k] >= probabilities[from + labels[row]]) labels[row] = k;
    }
  }
  return labels;
}
