import { numbersAt, rowNumbers, rowsWhere, valuesAt } from "../compute/row-lists.ts";
import type { ValueBounds } from "../data/series-history.ts";

/** Rows with predictions of models that did not learn from them, and their truth. */
export interface OutOfFold {
  /** One a row: the value, or the index of the class. */
  readonly target: Float64Array;
  /** Row-major, rows × outputs (see `outputCount`). */
  readonly predictions: Float64Array;
  readonly outputs: number;
  /** Non-negative, one a row; null = all 1. */
  readonly weights: Float64Array | null;
  /**
   * Of two classes, where a threshold was tuned: the label that each row is given by one tuned without
   * it, 0 or 1. Absent: the labels of the model's own threshold, which saw no row.
   */
  readonly labels?: Float64Array | null;
  /** Where rows to come are of other groups than these: the group of each row. */
  readonly groups?: Uint32Array | null;
  /** The part of each row (see `partsOf`): what the others say is measured on a part. */
  readonly parts: Uint32Array;
  /** Of forecasts. */
  readonly places?: BacktestPlaces;
}

/** Where forecasts stand, beside their values. */
export interface ForecastPlaces {
  /** Of each, the scale of its series' past, positive: that which the part says. */
  readonly scale: Float64Array;
  /** Of each, its step from 0 on. */
  readonly step: Uint32Array;
  /** Of each, between which its value lies. */
  readonly bounds: readonly ValueBounds[];
}

/** The same of forecasts of a backtest. */
export interface BacktestPlaces extends ForecastPlaces {
  /** Of each, the number of its window, oldest first. */
  readonly window: Uint32Array;
}

/** Cross-fitting over more parts says the same at a higher price. */
const MOST_PARTS = 5;

/**
 * A part for each row of folds that lie one after the other: whole folds, or where there is but
 * one, every fifth row of it.
 *
 * @param sizes rows of each fold
 */
export function partsOf(sizes: readonly number[]): Uint32Array {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length === 1) return rowNumbers(rows).map((row) => row % MOST_PARTS);
  const parts = new Uint32Array(rows);
  let offset = 0;
  for (const [fold, size] of sizes.entries()) {
    parts.fill(fold % MOST_PARTS, offset, offset + size);
    offset += size;
  }
  return parts;
}

/** The parts, or where all rows are of one part, five dealt out of it. */
export function crossFitParts(parts: Uint32Array): Uint32Array {
  return parts.every((part) => part === parts[0]) ? partsOf([parts.length]) : parts;
}

/** Rows that count. */
export function rowsOfWeight({ target, weights }: OutOfFold): number {
  return weights === null ? target.length : weights.filter((weight) => weight > 0).length;
}

/** How many groups there are, where there are any. */
export function groupsOf({ groups, weights }: OutOfFold): { readonly groups?: number } {
  if (!groups) return {};
  const counted = weights === null ? groups : groups.filter((_, row) => weights[row] > 0);
  return { groups: new Set(counted).size };
}

/** The rows of these indices. */
export function pick(rows: OutOfFold, indices: Uint32Array): OutOfFold {
  const { outputs, weights, places } = rows;
  const predictions = new Float64Array(indices.length * outputs);
  for (let i = 0; i < indices.length; i++) {
    for (let k = 0; k < outputs; k++) {
      predictions[i * outputs + k] = rows.predictions[indices[i] * outputs + k];
    }
  }
  return {
    target: valuesAt(rows.target, indices),
    predictions,
    outputs,
    weights: weights && valuesAt(weights, indices),
    groups: rows.groups ? numbersAt(rows.groups, indices) : null,
    labels: rows.labels ? valuesAt(rows.labels, indices) : null,
    parts: numbersAt(rows.parts, indices),
    ...(places && {
      places: {
        scale: valuesAt(places.scale, indices),
        step: numbersAt(places.step, indices),
        bounds: Array.from(indices, (i) => places.bounds[i]),
        window: numbersAt(places.window, indices),
      },
    }),
  };
}

/** The rows of each part with all others. */
export function* eachPart(
  rows: OutOfFold,
): Generator<{ readonly others: OutOfFold; readonly part: OutOfFold }> {
  const all = rowNumbers(rows.parts.length);
  for (const part of new Set(rows.parts)) {
    yield {
      others: pick(
        rows,
        rowsWhere(all, (i) => rows.parts[i] !== part),
      ),
      part: pick(
        rows,
        rowsWhere(all, (i) => rows.parts[i] === part),
      ),
    };
  }
}
