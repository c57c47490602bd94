/**
 * The share of a forest's variance over the whole cube that one coordinate explains alone: its main
 * effect in the functional ANOVA, exact from the leaves' boxes (Hutter, Hoos & Leyton-Brown,
 * "An efficient approach for assessing hyperparameter importance", ICML'14, algorithm 2).
 */

import type { Leaf } from "./forest.ts";

/** One a dimension, each in [0, 1]; their sum is at most 1, the rest are interactions. */
export function mainEffects(trees: readonly (readonly Leaf[])[], dimensions: number): number[] {
  const shares = new Array<number>(dimensions).fill(0);
  let counted = 0;
  for (const leaves of trees) {
    const volumes = leaves.map(volume);
    const mean = leaves.reduce((sum, { value }, i) => sum + volumes[i] * value, 0);
    const total = leaves.reduce((sum, { value }, i) => sum + volumes[i] * (value - mean) ** 2, 0);
    // A tree of one leaf says nothing of any coordinate.
    if (!(total > 0)) continue;
    counted++;
    for (let d = 0; d < dimensions; d++) {
      shares[d] += effectVariance(leaves, volumes, mean, d) / total;
    }
  }
  return shares.map((share) => (counted > 0 ? share / counted : 0));
}

function volume({ low, high }: Leaf): number {
  let product = 1;
  for (let d = 0; d < low.length; d++) product *= high[d] - low[d];
  return product;
}

/** ∫ (marginal mean at x - mean)² dx; the marginal is constant between the leaves' edges. */
function effectVariance(
  leaves: readonly Leaf[],
  volumes: readonly number[],
  mean: number,
  d: number,
): number {
  const edges = [...new Set(leaves.flatMap(({ low, high }) => [low[d], high[d]]))].sort(
    (a, b) => a - b,
  );
  const marginals = new Float64Array(edges.length);
  const place = new Map(edges.map((edge, index) => [edge, index]));
  // Each leaf adds to a run of intervals: differences first, then running sums.
  for (const [i, { low, high, value }] of leaves.entries()) {
    const width = high[d] - low[d];
    const density = (volumes[i] / width) * value;
    marginals[place.get(low[d]) ?? 0] += density;
    marginals[place.get(high[d]) ?? 0] -= density;
  }
  let variance = 0;
  let marginal = 0;
  for (let i = 0; i + 1 < edges.length; i++) {
    marginal += marginals[i];
    variance += (edges[i + 1] - edges[i]) * (marginal - mean) ** 2;
  }
  return variance;
}
