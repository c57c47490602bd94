/**
 * What a Gaussian process learns of labels. Of values, the values. Of classes, whether a row is of each (least-squares
 * classification, Rasmussen & Williams 2006, §6.5), and how its means become margins:
 *
 *     margin = log prior + slope · (mean - prior)          (of two classes: the log-odds of the prior)
 *
 * so that far from all rows the classes are as likely as they are on the whole. The slope is the one that makes
 * rows that were left out most likely, whose classes are smoothed by a single pseudo-observation of the prior
 * (after Platt, "Probabilistic outputs for support vector machines", 1999).
 */

import type { Kernels } from "../../compute/kernels.ts";
import { typeOf } from "../../tasks/index.ts";
import type { FitContext } from "../family.ts";
import { toShares } from "../margin-shares.ts";
import { networkTargets, relativeWeights } from "../mlp/targets.ts";

export interface ProcessLabels {
  readonly outputs: number;
  /** Row-major, rows of the data × outputs: about 0, of variance about 1 over the training rows. */
  readonly values: Float64Array;
  /** Of margins where means are 0, one an output. */
  readonly centres: readonly number[];
  /** What means are multiplied by; of classes, by the slope as well. */
  readonly factors: readonly number[];
  /** Null where values are predicted. */
  readonly classes: ClassShares | null;
}

interface ClassShares {
  /** Row-major, rows of the data × outputs: the share of each class, or of the second of two. */
  readonly values: Float64Array;
  readonly priors: readonly number[];
}

const MOST_SLOPE = 64;
const HALVINGS = 40;

/** @throws DataError where all training rows have weight 0 */
export function processLabels(context: FitContext, { log }: Pick<Kernels, "log">): ProcessLabels {
  const { task, trainRows } = context;
  const targets = networkTargets(context);
  const { width: outputs, values } = targets;
  if (typeOf(task).target === "value") {
    return { outputs, values, centres: [targets.centre], factors: [targets.factor], classes: null };
  }
  const weights = relativeWeights(context);
  const priors = Array.from({ length: outputs }, (_, k) => {
    let sum = 0;
    for (const row of trainRows) sum += (weights?.[row] ?? 1) * values[row * outputs + k];
    // Classes that no row is of keep a little.
    return (sum + 1 / Math.max(2, outputs)) / (trainRows.length + 1);
  });
  const deviations = priors.map((prior) => Math.sqrt(prior * (1 - prior)));
  return {
    outputs,
    values: values.map((value, at) => (value - priors[at % outputs]) / deviations[at % outputs]),
    centres: priors.map((prior) => (outputs === 1 ? log(prior / (1 - prior)) : log(prior))),
    factors: deviations,
    classes: { values, priors },
  };
}

/**
 * @param rows of the data
 * @param means of these, each by a process that does not know it: row-major, rows × outputs
 */
export function slopeOf(
  { outputs, centres, factors }: ProcessLabels,
  { values, priors }: ClassShares,
  rows: Uint32Array,
  means: Float64Array,
  { exp, weights }: { readonly exp: Kernels["exp"]; readonly weights: Float64Array | null },
): number {
  const smoothing = 1 / (rows.length + 1);
  const shares = new Float64Array(outputs);
  /** Of the log loss by the slope, in which it is convex. */
  const derivative = (slope: number): number => {
    let sum = 0;
    for (const [i, row] of rows.entries()) {
      for (let k = 0; k < outputs; k++) {
        shares[k] = centres[k] + slope * factors[k] * means[i * outputs + k];
      }
      toShares(shares, exp);
      for (let k = 0; k < outputs; k++) {
        const label = (1 - smoothing) * values[row * outputs + k] + smoothing * priors[k];
        const steepness = factors[k] * means[i * outputs + k];
        sum += (weights?.[row] ?? 1) * (shares[k] - label) * steepness;
      }
    }
    return sum;
  };
  let [low, high] = [0, MOST_SLOPE];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (derivative(middle) < 0) low = middle;
    else high = middle;
  }
  return low;
}
