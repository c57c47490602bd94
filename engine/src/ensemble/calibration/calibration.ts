/**
 * Calibration: a fitted map from a classifier's probabilities to better ones.
 *
 * - temperature: margins are divided by one number, and with two classes shifted by another (Guo et
 *   al. 2017, "On calibration of modern neural networks", §4.2; with the shift it is Platt 1999's).
 * - isotonic: a rising curve a class; with more than two classes one against the rest, then
 *   normalised (Zadrozny & Elkan 2002).
 */

import { interpolated } from "../../compute/interpolation.ts";
import { clippedProbability, logistic, logOdds, softmaxInto } from "../margins.ts";

export interface TemperatureCalibration {
  readonly kind: "temperature";
  /** The inverse of the temperature: what margins are multiplied by. Positive. */
  readonly scale: number;
  /** Added to the log-odds after; 0 with more than two classes. */
  readonly bias: number;
}

/** Straight lines between knots, level beyond the first and the last. */
export interface IsotonicCurve {
  /** Ascending. */
  readonly x: readonly number[];
  /** Not falling, inside (0, 1). */
  readonly y: readonly number[];
}

export interface IsotonicCalibration {
  readonly kind: "isotonic";
  /** One an output. */
  readonly curves: readonly IsotonicCurve[];
}

export type Calibration = TemperatureCalibration | IsotonicCalibration;

/** The curve at `x`. */
export function curveAt({ x: knots, y }: IsotonicCurve, x: number): number {
  return interpolated(knots, y, x);
}

/**
 * @param probabilities row-major, rows × outputs; of the second class with one output
 * @returns calibrated ones of the same shape
 */
export function calibrate(
  calibration: Calibration,
  probabilities: Float64Array,
  outputs: number,
): Float64Array {
  const calibrated = new Float64Array(probabilities.length);
  for (let at = 0; at < calibrated.length; at += outputs) {
    calibrateRow(calibration, probabilities, at, outputs, calibrated, at);
  }
  return calibrated;
}

/** One row, from `probabilities[from]` on, to `out[to]` and those after it; these may be the same. */
export function calibrateRow(
  calibration: Calibration,
  probabilities: Float64Array,
  from: number,
  outputs: number,
  out: Float64Array,
  to: number,
): void {
  if (calibration.kind === "temperature") {
    const { scale, bias } = calibration;
    if (outputs === 1) {
      out[to] = logistic(scale * logOdds(probabilities[from]) + bias);
      return;
    }
    for (let k = 0; k < outputs; k++) {
      out[to + k] = scale * Math.log(clippedProbability(probabilities[from + k]));
    }
    softmaxInto(out, to, outputs, out);
    return;
  }
  const { curves } = calibration;
  if (outputs === 1) {
    out[to] = curveAt(curves[0], probabilities[from]);
    return;
  }
  let sum = 0;
  for (let k = 0; k < outputs; k++) {
    out[to + k] = curveAt(curves[k], probabilities[from + k]);
    sum += out[to + k];
  }
  for (let k = 0; k < outputs; k++) out[to + k] /= sum;
}
