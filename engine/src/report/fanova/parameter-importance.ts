/**
 * Which parameters of a family made its trials better or worse. The losses' ranks (so that one
 * diverged trial does not decide) are modelled by a forest over the search space, each parameter on
 * its own scale; a parameter's importance is its main effect there. Trials are not drawn evenly
 * from the space, so this is what the search saw and no law.
 */

import type { RandomKey } from "../../compute/random.ts";
import type { Parameter, Parameters, ParameterValue, SearchSpace } from "../../search/space.ts";
import { rankCorrelation, ranks } from "../figures/rank-correlation.ts";
import { fitForest, type Leaf } from "./forest.ts";

/** What one parameter did to the trials. */
export interface ParameterEffect {
  readonly name: string;
  /** Share of the variance of the trials' ranks that it explains alone. */
  readonly importance: number;
  /**
   * Spearman's, of the parameter with the loss among trials that have it: positive = higher values
   * were worse. Null for categories, or where one of both is constant.
   */
  readonly correlation: number | null;
}

/** What the parameters of a search did to its trials. */
export interface ParameterImportance {
  readonly trials: number;
  /** How well the forest tells the ranks of trials it has not seen; null where undefined. */
  readonly fit: number | null;
  /** Most important first. */
  readonly parameters: readonly ParameterEffect[];
}

/** Fewer trials say nothing. */
export const LEAST_TRIALS = 10;
const MOST_TRIALS = 600;
const TREES = 32;
const MIN_LEAF = 2;

export interface ObservedTrial {
  readonly parameters: Parameters;
  readonly loss: number;
}

/** Null where there are too few trials, or nothing was searched. */
export function parameterImportance(
  space: SearchSpace,
  trials: readonly ObservedTrial[],
  key: RandomKey,
): ParameterImportance | null {
  const finite = trials.filter(({ loss }) => Number.isFinite(loss));
  const names = Object.keys(space);
  if (finite.length < LEAST_TRIALS || names.length === 0) return null;
  const stride = Math.ceil(finite.length / MOST_TRIALS);
  const used = finite.filter((_, index) => index % stride === 0);
  const columns = names.map((name) => used.map((trial) => coordinate(space[name], trial, name)));
  const filled = columns.map(withMedian);
  const points = used.map((_, row) => Float64Array.from(filled, (column) => column[row]));
  const losses = used.map(({ loss }) => loss);
  const cells = names.map((name) => {
    const parameter = space[name];
    return parameter.type === "categorical" ? parameter.choices.length : 0;
  });
  const forest = fitForest(points, ranks(losses), { trees: TREES, minLeaf: MIN_LEAF, cells }, key);
  const effects = mainEffects(forest.trees, names.length);
  const parameters = names.map((name, d) => ({
    name,
    importance: effects[d],
    correlation: space[name].type === "categorical" ? null : direction(columns[d], losses),
  }));
  parameters.sort((a, b) => b.importance - a.importance || (a.name < b.name ? -1 : 1));
  return { trials: used.length, fit: forest.outOfBagR2, parameters };
}

/** The value's place in [0, 1] on the parameter's scale; null in trials that do not have it. */
function coordinate(parameter: Parameter, trial: ObservedTrial, name: string): number | null {
  const value: ParameterValue | undefined = trial.parameters[name];
  if (value === undefined) return null;
  if (parameter.type === "categorical") {
    const index = parameter.choices.indexOf(value);
    return index < 0 ? null : (index + 0.5) / parameter.choices.length;
  }
  if (typeof value !== "number") return null;
  const { low, high } = parameter;
  if (low === high) return 0.5;
  const share = parameter.log
    ? Math.log(value / low) / Math.log(high / low)
    : (value - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}

/** A parameter that a trial lacks can have moved nothing: it is set to the others' median. */
function withMedian(column: readonly (number | null)[]): number[] {
  const known = column.filter((value) => value !== null).sort((a, b) => a - b);
  const median = known.length > 0 ? known[Math.floor((known.length - 1) / 2)] : 0.5;
  return column.map((value) => value ?? median);
}

function direction(column: readonly (number | null)[], losses: readonly number[]): number | null {
  const values: number[] = [];
  const of: number[] = [];
  for (const [row, value] of column.entries()) {
    if (value === null) continue;
    values.push(value);
    of.push(losses[row]);
  }
  return values.length >= LEAST_TRIALS ? rankCorrelation(values, of) : null;
}

/**
 * The share of a forest's variance over the whole cube that one coordinate explains alone: its main
 * effect in the functional ANOVA, exact from the leaves' boxes (Hutter, Hoos & Leyton-Brown,
 * "An efficient approach for assessing hyperparameter importance", ICML'14, algorithm 2).
 *
 * @returns one a dimension, each in [0, 1]; their sum is at most 1, the rest are interactions
 */
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
