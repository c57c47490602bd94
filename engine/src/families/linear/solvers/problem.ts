/**
 * What every solver minimises over coefficients b (one row of columns an output) and intercepts:
 *
 *     loss(margins) + l2 / 2 · Σ b² + l1 · Σ |b|,     margins = intercept + X b
 *
 * The loss is a weighted mean over rows; intercepts are not penalised.
 */

import type { FitLimits } from "../../fit-limits.ts";
import type { DesignMatrix } from "../design-matrix.ts";
import type { ChosenPenalty } from "./gcv-penalty.ts";
import type { MarginLoss } from "./losses.ts";

export interface Problem {
  readonly matrix: DesignMatrix;
  /** The rows' weights, summing to 1. */
  readonly shares: Float64Array;
  readonly loss: MarginLoss;
  readonly l1: number;
  readonly l2: number;
  /** One a column: +1 keeps its coefficient ≥ 0, -1 ≤ 0, 0 leaves it free; null = all free. */
  readonly signs: Int8Array | null;
  /** Where a smooth solver begins; absent: at the best constant. */
  readonly start?: Pick<Solution, "coefficients" | "intercepts">;
  /** Of this solution alone, asked before each iteration. Absent: none. */
  readonly limits?: FitLimits;
}

export interface Solution {
  /** Output-major, outputs × columns. */
  readonly coefficients: Float64Array;
  /** One an output. */
  readonly intercepts: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
  /** `l2`, where the solver chose it. */
  readonly chosen?: ChosenPenalty;
}

/** Where the search for a step starts to shrink: the sufficient decrease asked (Armijo). */
export const SUFFICIENT_DECREASE = 1e-4;

/** argmin over z of ½ curvature z² - pull z + l1 |z|, within the sign asked. */
export function shrink(pull: number, l1: number, curvature: number, sign: number): number {
  const z = pull > l1 ? (pull - l1) / curvature : pull < -l1 ? (pull + l1) / curvature : 0;
  return (sign > 0 && z < 0) || (sign < 0 && z > 0) ? 0 : z;
}

/**
 * How far a coefficient is from optimal: the size of the smallest element of the objective's
 * subdifferential in it. `slope` is the derivative of the smooth part.
 */
export function violation(slope: number, coefficient: number, l1: number, sign: number): number {
  if (coefficient > 0) return Math.abs(slope + l1);
  if (coefficient < 0) return Math.abs(slope - l1);
  const up = sign < 0 ? 0 : Math.max(0, -slope - l1);
  const down = sign > 0 ? 0 : Math.max(0, slope - l1);
  return Math.max(up, down);
}
