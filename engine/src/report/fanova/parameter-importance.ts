/**
 * Which parameters of a family made its trials better or worse. The losses' ranks (so that one
 * diverged trial does not decide) are modelled by a forest over the search space, each parameter on
 * its own scale; a parameter's importance is its main effect there. Trials are not drawn evenly
 * from the space, so this is what the search saw and no law.
 */

import type { RandomKey } from "../../compute/random.ts";
import type { Parameter, Parameters, ParameterValue, SearchSpace } from "../../search/space.ts";
import { rankCorrelation, ranks } from "../figures/rank-correlation.ts";
import { fitForest } from "./forest.ts";
import { mainEffects } from "./main-effects.ts";

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
