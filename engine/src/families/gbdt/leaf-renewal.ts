/**
 * Leaves with values of their own, for losses whose gradients say where to go and not how far: the
 * best constant for the residuals of the leaf's rows (Friedman 2001, "Greedy function approximation",
 * algorithm 3; LightGBM's RenewTreeOutput).
 */

import type { TreeGrower } from "../../trees/grower.ts";

export interface RenewalInput {
  /** One a row of the data, as are weights and scores. */
  readonly targets: Float64Array;
  readonly weights: Float64Array | null;
  /** Of the output that the tree is for; the new values are added to its rows'. */
  readonly scores: Float64Array;
  /** From the residuals of a leaf, which may be reordered. */
  valueOf(residuals: Float64Array, weights: Float64Array | null): number;
  readonly learningRate: number;
  /** -1, 0, 1 a feature; null = none constrained. */
  readonly monotone: Int8Array | null;
}

/** Call it after `finish` with a shrinkage of 0, and before `follow`. */
export function renewLeaves(grower: TreeGrower, nodes: number, input: RenewalInput): void {
  const { targets, weights, scores, learningRate, monotone } = input;
  const { tree } = grower;
  for (let node = 0; node < nodes; node++) {
    if (tree.feature[node] >= 0) continue;
    const rows = grower.rowsOf(node);
    const residuals = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) residuals[i] = targets[rows[i]] - scores[rows[i]];
    const shares = weights && Float64Array.from(rows, (row) => weights[row]);
    tree.value[node] = input.valueOf(residuals, shares);
  }
  if (monotone !== null) keepOrder(grower, nodes, monotone);
  for (let node = 0; node < nodes; node++) {
    if (tree.feature[node] >= 0) continue;
    const value = toSingle(tree.value[node] * learningRate);
    tree.value[node] = value;
    for (const row of grower.rowsOf(node)) scores[row] += value;
  }
}

/**
 * Moves leaves until each split on a constrained feature has all values of its lower side on one side
 * of the mean of both sides' means, and those of its upper side on the other.
 */
function keepOrder({ tree }: TreeGrower, nodes: number, monotone: Int8Array): void {
  const { feature, left, right, value, cover } = tree;
  const means = new Float64Array(nodes);
  for (let node = nodes - 1; node >= 0; node--) {
    if (feature[node] < 0) means[node] = value[node];
    else {
      const [a, b] = [left[node], right[node]];
      const total = cover[a] + cover[b];
      means[node] = total > 0 ? (means[a] * cover[a] + means[b] * cover[b]) / total : means[a];
    }
  }
  const lower = new Float64Array(nodes).fill(Number.NEGATIVE_INFINITY);
  const upper = new Float64Array(nodes).fill(Number.POSITIVE_INFINITY);
  // Children have higher numbers than their parents.
  for (let node = 0; node < nodes; node++) {
    if (feature[node] < 0) {
      value[node] = Math.min(upper[node], Math.max(lower[node], value[node]));
      continue;
    }
    const [a, b] = [left[node], right[node]];
    lower[a] = lower[b] = lower[node];
    upper[a] = upper[b] = upper[node];
    const sign = monotone[feature[node]];
    if (sign === 0) continue;
    const middle = (means[a] + means[b]) / 2;
    const between = Math.min(upper[node], Math.max(lower[node], middle));
    const [below, above] = sign > 0 ? [a, b] : [b, a];
    upper[below] = between;
    lower[above] = between;
  }
}

/** x times this splits off the upper 24 of its 53 bits (Dekker 1971). */
const SPLITTER = 536_870_913;

/** Rounded to the 24 bits that trees are kept with, whatever the exponent. */
function toSingle(x: number): number {
  const product = x * SPLITTER;
  return product - (product - x);
}
