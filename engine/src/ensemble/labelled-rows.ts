/** Predictions of some rows beside their truth: what everything in this room is fitted on. */

import { pickSeries, type SeriesRows } from "../metrics/metric.ts";

export interface LabelledRows {
  /** One a row: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Non-negative, one a row; null = all 1. */
  readonly weights: Float64Array | null;
  /** Numbers a row in every predictions array, row-major (see `outputCount`). */
  readonly outputs: number;
  /** Of forecasts. */
  readonly series?: SeriesRows | null | undefined;
}

/** The rows of these indices. */
export function pickRows(rows: LabelledRows, indices: Uint32Array): LabelledRows {
  const { target, weights, outputs, series } = rows;
  return {
    ...(series ? { series: pickSeries(series, indices) } : {}),
    target: pickPredictions(target, 1, indices),
    weights: weights && pickPredictions(weights, 1, indices),
    outputs,
  };
}

/** Their predictions. */
export function pickPredictions(
  predictions: Float64Array,
  outputs: number,
  indices: Uint32Array,
): Float64Array {
  const picked = new Float64Array(indices.length * outputs);
  if (outputs === 1) {
    for (let i = 0; i < indices.length; i++) picked[i] = predictions[indices[i]];
    return picked;
  }
  for (let i = 0; i < indices.length; i++) {
    const from = indices[i] * outputs;
    picked.set(predictions.subarray(from, from + outputs), i * outputs);
  }
  return picked;
}

/** Puts picked predictions back at their rows. */
export function placePredictions(
  picked: Float64Array,
  outputs: number,
  indices: Uint32Array,
  into: Float64Array,
): void {
  for (let i = 0; i < indices.length; i++) {
    for (let k = 0; k < outputs; k++) into[indices[i] * outputs + k] = picked[i * outputs + k];
  }
}

/** For cross-fitting: what is fitted on `fit` is applied to `apply`. Indices of rows, ascending. */
export interface CrossFit {
  readonly fit: Uint32Array;
  readonly apply: Uint32Array;
}

/** Parts that a single holdout is cut into, so that there is something to cross-fit. */
const HOLDOUT_PARTS = 5;

/**
 * The folds' blocks of rows, which lie one after the other, each against the rest. One block alone
 * is dealt out row by row to five parts. A row alone, as of a series of a few steps that is forecast one step ahead, has no
 * others, and is weighed by itself.
 *
 * @param sizes rows of each block
 */
export function crossFits(sizes: readonly number[]): CrossFit[] {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length > 1) {
    let end = 0;
    return sizes.map((size) => {
      const start = end;
      end += size;
      return fitWithout(rows, size, (row) => row >= start && row < start + size);
    });
  }
  if (rows === 1) return [{ fit: Uint32Array.of(0), apply: Uint32Array.of(0) }];
  const parts = Math.min(HOLDOUT_PARTS, rows);
  return Array.from({ length: parts }, (_, part) =>
    fitWithout(rows, Math.ceil((rows - part) / parts), (row) => row % parts === part),
  );
}

/** @param size how many rows are left out; the lists have that length, as of millions of rows copies would count */
function fitWithout(rows: number, size: number, isLeftOut: (row: number) => boolean): CrossFit {
  const fit = new Uint32Array(rows - size);
  const apply = new Uint32Array(size);
  let [known, left] = [0, 0];
  for (let row = 0; row < rows; row++) {
    if (isLeftOut(row)) apply[left++] = row;
    else fit[known++] = row;
  }
  return { fit, apply };
}

/**
 * Each row by what was fitted without it.
 *
 * @param fit on the known rows of the fold of this index; what it returns predicts others, row-major
 */
export function crossFit(
  folds: readonly CrossFit[],
  { target, outputs }: Pick<LabelledRows, "target" | "outputs">,
  fit: (known: Uint32Array, index: number) => (apply: Uint32Array) => Float64Array,
): Float64Array {
  const all = new Float64Array(target.length * outputs);
  for (const [index, fold] of folds.entries()) {
    placePredictions(fit(fold.fit, index)(fold.apply), outputs, fold.apply, all);
  }
  return all;
}
