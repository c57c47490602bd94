/** The labels of a fit as a network learns them, and how its outputs become values again. */

import { DataError } from "../../data/table.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { FitContext } from "../family.ts";

export interface NetworkTargets {
  /** Numbers of a row: one of a value or of two classes, else one a class. */
  readonly width: number;
  /** Row-major, rows of the data × width. */
  readonly values: Float64Array;
  /** A value is centre + factor · output; 0 and 1 of classes. */
  readonly centre: number;
  readonly factor: number;
}

/** @throws DataError where all training rows have weight 0 */
export function networkTargets(context: FitContext): NetworkTargets {
  const { task, target, softTarget } = context;
  const type = typeOf(task);
  if (type.target === "value") return scaledValues(context);
  if (type.link === "logit") {
    return { width: 1, values: softTarget ?? target, centre: 0, factor: 1 };
  }
  const width = outputCount(task);
  if (softTarget) return { width, values: softTarget, centre: 0, factor: 1 };
  const values = new Float64Array(target.length * width);
  for (let row = 0; row < target.length; row++) {
    const label = target[row];
    if (label >= 0 && label < width) values[row * width + label] = 1;
  }
  return { width, values, centre: 0, factor: 1 };
}

function scaledValues({ target, weights, trainRows }: FitContext): NetworkTargets {
  let size = 0;
  let total = 0;
  for (const row of trainRows) {
    size = Math.max(size, Math.abs(target[row]));
    total += weights?.[row] ?? 1;
  }
  requireWeight(total);
  const unit = size > 0 ? size : 1;
  let mean = 0;
  for (const row of trainRows) mean += ((weights?.[row] ?? 1) / total) * (target[row] / unit);
  let variance = 0;
  for (const row of trainRows) {
    variance += ((weights?.[row] ?? 1) / total) * (target[row] / unit - mean) ** 2;
  }
  const spread = Math.sqrt(variance);
  const deviation = spread > 1e-15 ? spread : 1;
  return {
    width: 1,
    values: target.map((value) => (value / unit - mean) / deviation),
    centre: mean * unit,
    factor: deviation * unit,
  };
}

/** Weights of rows of the data with mean 1 over the training rows; null = all 1. */
export function relativeWeights({ weights, trainRows }: FitContext): Float64Array | null {
  if (weights === null) return null;
  let total = 0;
  for (const row of trainRows) total += weights[row];
  requireWeight(total);
  const mean = total / trainRows.length;
  return weights.map((weight) => weight / mean);
}

function requireWeight(total: number): void {
  if (!(total > 0)) throw new DataError("All training rows have weight 0.");
}
