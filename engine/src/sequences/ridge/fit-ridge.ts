/**
 * Fits ridge regression on features of sequences: regression, or classes as +1 against -1 (one output for
 * two classes, else one a class). λ is chosen by leave-one-out in closed form; the predictions that
 * each training row would get from a fit without it come along, honest but for λ and the features'
 * scales, which have seen it.
 */

import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { centred, chooseLambda } from "./choose-lambda.ts";
import { FeatureScaler, type ScalerKind } from "./feature-scaler.ts";
import { RidgeHead } from "./ridge-head.ts";
import { type ScaledFeatures, ScaledRows } from "./scaled-rows.ts";

export interface RidgeRequest {
  /** Side by side; all have the same rows. */
  readonly blocks: readonly { readonly matrix: FeatureMatrix; readonly scaler: ScalerKind }[];
  /** Rows of the matrices to learn from. */
  readonly rows: Uint32Array;
  /** Row-major, `rows` × outputs. */
  readonly targets: Float64Array;
  readonly outputs: number;
  /** Non-negative, one a row of `rows`, not all 0; null = all 1. */
  readonly weights?: Float64Array | null;
  /**
   * Whether leaving a row out tells anything, one a row of `rows`: λ is chosen by those alone, and is 1 where there are none.
   * Default: each does.
   */
  readonly tells?: readonly boolean[] | null;
  /** Scratch memory; absent: its own. */
  readonly arena?: ArenaHandle;
  /** Ascending; default: half decades from 10⁻³ to 10⁶. */
  readonly lambdas?: readonly number[];
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

/** Where no row tells which is better: features are scaled to deviation 1, and of few rows any small λ hardly matters. */
const UNTOLD_LAMBDA = 1;

export interface RidgeFit {
  readonly head: RidgeHead;
  readonly lambda: number;
  /** Weighted mean of the squared errors of `leftOut`. */
  readonly loss: number;
  /** Row-major, rows × outputs: what each row would be predicted by a fit without it. */
  readonly leftOut: Float64Array;
}

/** @throws RangeError where counts contradict each other or no row has weight */
export function fitRidge(request: RidgeRequest): RidgeFit {
  const { rows, targets, outputs, weights = null, tells = null } = request;
  if (targets.length !== rows.length * outputs) {
    throw new RangeError(`${rows.length} rows need ${rows.length * outputs} targets.`);
  }
  const kept = Uint32Array.from(rows.keys()).filter((i) => weights === null || weights[i] > 0);
  if (kept.length === 0) throw new RangeError("A ridge regression needs a row with weight.");
  const learned = kept.map((i) => rows[i]);
  const blocks: ScaledFeatures[] = request.blocks.map(({ matrix, scaler }) => ({
    matrix,
    scaler: FeatureScaler.fit(scaler, matrix, learned),
  }));
  const data = new ScaledRows(
    blocks,
    learned,
    weights && Float64Array.from(kept, (i) => weights[i]),
    tells && Array.from(kept, (i) => tells[i]),
  );
  const own = Float64Array.from({ length: kept.length * outputs }, (_, i) => {
    return targets[kept[Math.floor(i / outputs)] * outputs + (i % outputs)];
  });
  const { targets: y, means } = centred(own, data.roots, outputs);
  const arena = request.arena ? Arena.attach(request.arena) : Arena.create();
  const lambdas = tells?.includes(true) === false ? [UNTOLD_LAMBDA] : request.lambdas;
  const chosen = chooseLambda(arena, data, y, outputs, lambdas, request.between);
  const coefficients = chosen.dual ? primalOf(data, chosen.solution, outputs) : chosen.solution;
  const intercepts = means.slice();
  for (let i = 0; i < coefficients.length; i++) {
    intercepts[i % outputs] -= coefficients[i] * data.means[Math.floor(i / outputs)];
  }
  const scalers = blocks.map(({ scaler }) => scaler);
  const head = new RidgeHead(outputs, scalers, coefficients, intercepts);
  const leftOut = new Float64Array(targets.length);
  if (kept.length < rows.length) {
    leftOut.set(
      head.predict(
        request.blocks.map(({ matrix }) => matrix),
        rows,
      ),
    );
  }
  for (const [at, i] of kept.entries()) {
    for (let o = 0; o < outputs; o++) {
      leftOut[i * outputs + o] = targets[i * outputs + o] - chosen.residuals[at * outputs + o];
    }
  }
  return { head, lambda: chosen.lambda, loss: chosen.loss, leftOut };
}

/** Xᵀ times the solution by rows: columns × outputs. */
function primalOf(data: ScaledRows, solution: Float64Array, outputs: number): Float64Array {
  const coefficients = new Float64Array(data.columns * outputs);
  const line = new Float64Array(data.columns);
  for (let i = 0; i < data.rows.length; i++) {
    data.read(i, line);
    for (let o = 0; o < outputs; o++) {
      const weight = solution[i * outputs + o];
      for (let c = 0, at = o; c < line.length; c++, at += outputs) {
        coefficients[at] += weight * line[c];
      }
    }
  }
  return coefficients;
}

/**
 * Classes as a ridge head's targets: -1 and +1 of two classes for one output; else one output a class, +1 for
 * its rows and -1 for the others.
 */
export function classTargets(classOf: ArrayLike<number>, outputs: number): Float64Array {
  if (outputs === 1) return Float64Array.from(classOf, (c) => (c === 1 ? 1 : -1));
  const targets = new Float64Array(classOf.length * outputs).fill(-1);
  for (let i = 0; i < classOf.length; i++) targets[i * outputs + classOf[i]] = 1;
  return targets;
}

/** Of each row whether another one is of its class: what a fit without a row of a class of its own says of it is told by none. */
export function hasOthersOfClass(classOf: Float64Array, weights: Float64Array | null): boolean[] {
  const counts = new Map<number, number>();
  for (const [i, each] of classOf.entries()) {
    if (weights === null || weights[i] > 0) counts.set(each, (counts.get(each) ?? 0) + 1);
  }
  return Array.from(classOf, (each) => (counts.get(each) ?? 0) > 1);
}
