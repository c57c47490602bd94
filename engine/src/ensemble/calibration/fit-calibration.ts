/**
 * Choosing a trial's calibration: of none, a temperature and isotonic curves, the one of least
 * log-loss on rows that it was not fitted on.
 */

import {
  type CrossFit,
  type LabelledRows,
  pickPredictions,
  pickRows,
  placePredictions,
} from "../labelled-rows.ts";
import { type Calibration, calibrate } from "./calibration.ts";
import { fitIsotonic } from "./isotonic.ts";
import { fitTemperature } from "./temperature.ts";

/**
 * What a method must bring: rows of the rarest class (a curve of fewer follows single rows) and a
 * gain in log-loss of so many of its standard errors. One or two numbers hardly overfit; curves do.
 */
const METHODS: readonly Method[] = [
  { fit: fitTemperature, leastRows: 5, standingOut: 0 },
  { fit: fitIsotonic, leastRows: 50, standingOut: 1 },
];
const EPSILON = 1e-15;

export interface FittedCalibration {
  /** Fitted on all rows; null where none is better. */
  readonly calibration: Calibration | null;
  /** Each row by a calibration that was fitted without it. */
  readonly crossFitted: Float64Array;
}

type Fit = (probabilities: Float64Array, rows: LabelledRows) => Calibration;

interface Method {
  readonly fit: Fit;
  readonly leastRows: number;
  readonly standingOut: number;
}

/** @param probabilities out-of-fold ones of the rows, row-major */
export function fitCalibration(
  probabilities: Float64Array,
  rows: LabelledRows,
  folds: readonly CrossFit[],
): FittedCalibration {
  const none: FittedCalibration = { calibration: null, crossFitted: probabilities };
  const rarest = rowsOfRarestClass(rows);
  let best = none;
  let bestLosses = rowLosses(probabilities, rows);
  for (const { fit, leastRows, standingOut } of METHODS) {
    if (rarest < leastRows) continue;
    const crossFitted = crossFit(fit, probabilities, rows, folds);
    const losses = rowLosses(crossFitted, rows);
    if (!standsOut(bestLosses, losses, rows.weights, standingOut)) continue;
    best = { calibration: fit(probabilities, rows), crossFitted };
    bestLosses = losses;
  }
  return best;
}

function crossFit(
  fit: Fit,
  probabilities: Float64Array,
  rows: LabelledRows,
  folds: readonly CrossFit[],
): Float64Array {
  const { outputs } = rows;
  const calibrated = new Float64Array(probabilities.length);
  for (const fold of folds) {
    const calibration = fit(
      pickPredictions(probabilities, outputs, fold.fit),
      pickRows(rows, fold.fit),
    );
    const applied = calibrate(
      calibration,
      pickPredictions(probabilities, outputs, fold.apply),
      outputs,
    );
    placePredictions(applied, outputs, fold.apply, calibrated);
  }
  return calibrated;
}

function rowsOfRarestClass({ target, weights, outputs }: LabelledRows): number {
  const counts = new Float64Array(outputs === 1 ? 2 : outputs);
  for (let i = 0; i < target.length; i++) if (weights?.[i] !== 0) counts[target[i]]++;
  return Math.min(...counts);
}

function rowLosses(probabilities: Float64Array, { target, outputs }: LabelledRows): Float64Array {
  return target.map((y, i) => {
    const p =
      outputs > 1
        ? probabilities[i * outputs + y]
        : y === 1
          ? probabilities[i]
          : 1 - probabilities[i];
    return -Math.log(Math.max(EPSILON, p));
  });
}

/** Whether the mean of the paired gains exceeds so many of its standard errors. */
function standsOut(
  before: Float64Array,
  after: Float64Array,
  weights: Float64Array | null,
  standingOut: number,
): boolean {
  let [total, sum, squares, weightSquares] = [0, 0, 0, 0];
  for (let i = 0; i < before.length; i++) {
    const weight = weights === null ? 1 : weights[i];
    const gain = before[i] - after[i];
    total += weight;
    weightSquares += weight * weight;
    sum += weight * gain;
    squares += weight * gain * gain;
  }
  if (!(total > 0)) return false;
  const mean = sum / total;
  const variance = Math.max(0, squares / total - mean * mean);
  return mean > standingOut * Math.sqrt((variance * weightSquares) / (total * total));
}
