/** Parameters of oblivious: what they are, their defaults for a shape of data, what to search. */

import type { Parameters, SearchSpace } from "../../search/space.ts";
import { validateParameters } from "../../search/validate-parameters.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { DataShape } from "../family.ts";
import type { BoostingParameters } from "../gbdt/fit-growth.ts";
import type { ValueObjective } from "../gbdt/objective.ts";
import { EXACT_BINS_RANGE, exactBins } from "../gbdt/parameters.ts";
import { CATEGORICAL_ENCODINGS, type CategoricalEncoding } from "../gbdt/target-statistics.ts";
import {
  checkObjective,
  OBJECTIVE_RANGE,
  objectiveDefault,
  objectiveSpace,
} from "../gbdt/value-objective.ts";

export interface ObliviousParameters {
  /** Of values; absent: squared errors. */
  readonly objective?: ValueObjective;
  readonly n_estimators: number;
  readonly early_stopping_rounds: number;
  readonly learning_rate: number;
  readonly depth: number;
  /** As gbdt's. */
  readonly exact_bins: number;
  readonly lambda_l2: number;
  readonly random_strength: number;
  readonly bagging_fraction: number;
  readonly feature_fraction: number;
  /** How categories of columns that have more than `max_cat_to_onehot` are asked for: each by itself, by statistics, or both. */
  readonly categorical_encoding: CategoricalEncoding;
  readonly max_cat_to_onehot: number;
}

/** Everything `fit` understands. */
export function obliviousParameters(): SearchSpace {
  return {
    objective: OBJECTIVE_RANGE,
    n_estimators: { type: "int", low: 1, high: 100_000, log: true },
    early_stopping_rounds: { type: "int", low: 0, high: 10_000 },
    learning_rate: { type: "float", low: 1e-4, high: 1, log: true },
    depth: { type: "int", low: 1, high: 10 },
    exact_bins: EXACT_BINS_RANGE,
    lambda_l2: { type: "float", low: 0, high: 1e6 },
    random_strength: { type: "float", low: 0, high: 1000 },
    bagging_fraction: { type: "float", low: 0.01, high: 1 },
    feature_fraction: { type: "float", low: 0.01, high: 1 },
    categorical_encoding: ENCODINGS,
    max_cat_to_onehot: { type: "int", low: 1, high: 256 },
  };
}

const ENCODINGS = { type: "categorical", choices: [...CATEGORICAL_ENCODINGS] } as const;

/** Columns of more categories may be told by statistics. */
const MANY_CATEGORIES = 64;
/** Categories of fewer rows in the mean are too few to be known one by one. */
const ROWS_A_CATEGORY = 5;

/** Of the columns of many categories: how many each has. */
const manyCategories = ({ features }: DataShape): readonly number[] =>
  features.flatMap((feature) =>
    feature.kind === "categorical" && feature.categories.length > MANY_CATEGORIES
      ? [feature.categories.length]
      : [],
  );

/** What is worth searching on data of this shape. */
export function obliviousSearchSpace(shape: DataShape): SearchSpace {
  return {
    ...objectiveSpace(shape),
    ...(manyCategories(shape).length > 0 ? { categorical_encoding: ENCODINGS } : {}),
    learning_rate: { type: "float", low: 0.01, high: 0.4, log: true },
    depth: { type: "int", low: 3, high: 8 },
    lambda_l2: { type: "float", low: 0.3, high: 30, log: true },
    random_strength: { type: "float", low: 0.05, high: 10, log: true },
    bagging_fraction: { type: "float", low: 0.5, high: 1 },
    feature_fraction: { type: "float", low: 0.4, high: 1 },
  };
}

/**
 * Two or three times what CatBoost would choose of so many rows for 1,000 rounds: rounds are counted by
 * the validation rows here, and so many fewer lost nothing.
 */
function defaultRate({ rows, task, student }: DataShape): number {
  if (student) return 0.2;
  const { loss } = typeOf(task);
  if (loss === "multinomial_log_loss") return 0.2;
  if (loss === "pinball") return 0.1;
  const rate = loss === "squared_error" ? 0.034 * rows ** 0.157 : 0.002 * rows ** 0.408;
  return Math.min(0.3, Math.max(0.01, Number(rate.toPrecision(3))));
}

/** Of so few rows the last levels of a tree learn noise (`docs/decisions/oblivious.md`). */
const DEPTHS = [
  { below: 2000, depth: 4 },
  { below: 5000, depth: 5 },
] as const;

function defaultDepth({ rows, task, student }: DataShape): number {
  if (student || typeOf(task).loss === "pinball") return 6;
  return DEPTHS.find(({ below }) => rows < below)?.depth ?? 6;
}

/** Trees of one fit, of all outputs; most stop long before. */
const MOST_TREES = 12_000;

/** Defaults of every parameter; those of the search space lie within it. */
export function obliviousDefaults(shape: DataShape): ObliviousParameters {
  const rounds = Math.floor(MOST_TREES / outputCount(shape.task));
  return {
    ...objectiveDefault(shape),
    n_estimators: shape.student ? 120 : Math.min(3000, Math.max(200, rounds)),
    early_stopping_rounds: 50,
    learning_rate: defaultRate(shape),
    depth: defaultDepth(shape),
    exact_bins: exactBins(shape),
    lambda_l2: 3,
    random_strength: 1,
    bagging_fraction: 0.8,
    feature_fraction: 1,
    categorical_encoding: manyCategories(shape).some((many) => shape.rows < ROWS_A_CATEGORY * many)
      ? "both"
      : "native",
    max_cat_to_onehot: MANY_CATEGORIES,
  };
}

/**
 * Given parameters over the defaults, as rounds of boosting take them.
 *
 * @throws SearchSpaceError naming the parameter
 */
export function boostingParameters(given: Parameters, shape: DataShape): BoostingParameters {
  validateParameters(obliviousParameters(), given);
  const parameters: ObliviousParameters = { ...obliviousDefaults(shape), ...given };
  checkObjective("oblivious", parameters.objective, shape);
  return {
    ...parameters,
    growth: "symmetric",
    draws: {
      fraction: parameters.bagging_fraction,
      strength: parameters.random_strength,
      learningRate: parameters.learning_rate,
    },
    // Rows are drawn for the structure alone, not for the leaves.
    data_sample_strategy: "bagging",
    bagging_fraction: 1,
    top_rate: 1,
    other_rate: 0,
    num_leaves: 2 ** parameters.depth,
    max_depth: parameters.depth,
    min_data_in_leaf: 1,
    min_child_weight: 0,
    min_split_gain: 0,
    lambda_l1: 0,
    extra_trees: false,
    cat_smooth: 0,
    cat_l2: 0,
    cat_noise: 0,
    min_data_per_group: 1,
    max_cat_threshold: 1,
  };
}
