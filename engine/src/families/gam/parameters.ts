/** Parameters of gam: what they are, their defaults for a shape of data, what to search. */

import type { Parameters, SearchSpace } from "../../search/space.ts";
import { validateParameters } from "../../search/validate-parameters.ts";
import { outputCount } from "../../tasks/index.ts";
import type { DataShape } from "../family.ts";

export interface GamParameters {
  /** Rounds over all features, at most. */
  readonly n_estimators: number;
  /** Rounds over all pairs, after those, at most. */
  readonly pair_rounds: number;
  readonly early_stopping_rounds: number;
  readonly learning_rate: number;
  /** Rounds that step where it brings most, for each that steps on all terms in turn. */
  readonly greedy_ratio: number;
  /** Leaves of a feature's step. */
  readonly max_leaves: number;
  readonly min_data_in_leaf: number;
  readonly lambda_l2: number;
  /** Rows that hold a missing value's step back. */
  readonly missing_smooth: number;
  /** Of features, at most. */
  readonly pairs: number;
  readonly bags: number;
  /** Share of the rows that each bag learns from. */
  readonly bagging_fraction: number;
}

/** Everything `fit` understands. */
export function gamParameters(): SearchSpace {
  return {
    n_estimators: { type: "int", low: 1, high: 100_000, log: true },
    pair_rounds: { type: "int", low: 0, high: 100_000 },
    early_stopping_rounds: { type: "int", low: 0, high: 10_000 },
    learning_rate: { type: "float", low: 1e-4, high: 1, log: true },
    greedy_ratio: { type: "int", low: 0, high: 1000 },
    max_leaves: { type: "int", low: 2, high: 8 },
    min_data_in_leaf: { type: "int", low: 1, high: 1_000_000, log: true },
    lambda_l2: { type: "float", low: 0, high: 1e6 },
    missing_smooth: { type: "float", low: 0, high: 1e6 },
    pairs: { type: "int", low: 0, high: 100 },
    bags: { type: "int", low: 1, high: 32 },
    bagging_fraction: { type: "float", low: 0.05, high: 1 },
  };
}

/** What is worth searching on data of this shape. */
export function gamSearchSpace(shape: DataShape): SearchSpace {
  return {
    learning_rate: { type: "float", low: 0.01, high: 0.2, log: true },
    max_leaves: { type: "int", low: 2, high: 5 },
    min_data_in_leaf: { type: "int", low: 1, high: 50, log: true },
    bagging_fraction: { type: "float", low: 0.5, high: 1 },
    ...(outputCount(shape.task) === 1 && { pairs: { type: "int", low: 0, high: 20 } }),
  };
}

/** Defaults of every parameter; those of the search space lie within it. */
export function gamDefaults(shape: DataShape): GamParameters {
  const several = outputCount(shape.task) > 1;
  return {
    n_estimators: 3000,
    pair_rounds: 1000,
    early_stopping_rounds: 50,
    learning_rate: 0.05,
    greedy_ratio: 10,
    max_leaves: 2,
    min_data_in_leaf: 2,
    lambda_l2: 0,
    missing_smooth: 10,
    // As many margins as classes: pairs are dear there.
    pairs: several ? 0 : 10,
    bags: several ? 4 : 8,
    bagging_fraction: 0.6,
  };
}

/** @throws SearchSpaceError naming the parameter */
export function resolveGamParameters(given: Parameters, shape: DataShape): GamParameters {
  validateParameters(gamParameters(), given);
  return { ...gamDefaults(shape), ...given };
}
