/**
 * A calibration whose answers are surer, or more doubtful: their margins are multiplied by a number, whatever the
 * calibration is.
 */

import { logistic, logOdds } from "../margins.ts";
import type { Calibration, IsotonicCurve } from "./calibration.ts";

/**
 * Of isotonic curves the knots are moved, and what lies between them stays on straight lines.
 *
 * @param calibration null: probabilities as the member gives them
 * @param sharpness what margins are multiplied by; above 0, and 1 changes nothing
 * @param outputs as of the probabilities; 1 of two classes
 */
export function sharpened(
  calibration: Calibration | null,
  sharpness: number,
  outputs: number,
): Calibration | null {
  if (sharpness === 1) return calibration;
  if (calibration === null) return { kind: "temperature", scale: sharpness, bias: 0 };
  switch (calibration.kind) {
    case "temperature": {
      const { kind, scale, bias } = calibration;
      return { kind, scale: sharpness * scale, bias: sharpness * bias };
    }
    case "isotonic": {
      // More than two classes are normalised after, so that powers will do.
      const moved = (y: number): number =>
        outputs === 1 ? logistic(sharpness * logOdds(y)) : y ** sharpness;
      const curves = calibration.curves.map(({ x, y }): IsotonicCurve => ({ x, y: y.map(moved) }));
      return { kind: "isotonic", curves };
    }
  }
}
