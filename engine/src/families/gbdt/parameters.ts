/**
 * The parameters of the gbdt family: legal ranges, the searched space (TabArena's for LightGBM),
 * and the strong default.
 */

import { MAX_BINS } from "../../data/binning/fit-binning.ts";
import {
  type Parameters,
  type ParameterValue,
  type SearchSpace,
  SearchSpaceError,
} from "../../search/space.ts";
import { typeOf } from "../../tasks/index.ts";
import type { DataShape } from "../family.ts";
import type { ValueObjective } from "./objective.ts";
import { CATEGORICAL_ENCODINGS, type CategoricalEncoding } from "./target-statistics.ts";
import {
  checkObjective,
  OBJECTIVE_RANGE,
  objectiveDefault,
  objectiveSpace,
} from "./value-objective.ts";

export interface GbdtParameters {
  /** Of values; absent: squared errors. */
  readonly objective?: ValueObjective;
  readonly n_estimators: number;
  readonly early_stopping_rounds: number;
  readonly learning_rate: number;
  readonly growth: "leafwise" | "depthwise";
  readonly num_leaves: number;
  readonly max_depth: number;
  /**
   * Columns of up to so many distinct numbers that repeat have a bin for each, of data that has values; 255: no more
   * than a byte holds.
   */
  readonly exact_bins: number;
  readonly min_data_in_leaf: number;
  readonly min_child_weight: number;
  readonly min_split_gain: number;
  readonly feature_fraction: number;
  /** How a tree's rows are drawn: by chance, or by their gradients (one-side, or minimal variance sampling). */
  readonly data_sample_strategy: "bagging" | "goss" | "mvs";
  /** The part of the rows that is drawn; of no matter to "goss". */
  readonly bagging_fraction: number;
  /** Of "goss": the share of the rows with the largest gradients, all of which are kept, and of others. */
  readonly top_rate: number;
  readonly other_rate: number;
  readonly lambda_l1: number;
  readonly lambda_l2: number;
  readonly extra_trees: boolean;
  readonly categorical_encoding: CategoricalEncoding;
  readonly cat_smooth: number;
  readonly cat_l2: number;
  /** How much of what noise is expected to find is taken from splits of sorted categories. */
  readonly cat_noise: number;
  readonly min_data_per_group: number;
  readonly max_cat_to_onehot: number;
  readonly max_cat_threshold: number;
}

/** Of `exact_bins`. */
export const EXACT_BINS_RANGE = { type: "int", low: MAX_BINS, high: 65_535, log: true } as const;

/** Everything `fit` understands. */
export function gbdtParameters(): SearchSpace {
  return {
    objective: OBJECTIVE_RANGE,
    n_estimators: { type: "int", low: 1, high: 100_000, log: true },
    early_stopping_rounds: { type: "int", low: 0, high: 10_000 },
    learning_rate: { type: "float", low: 1e-4, high: 1, log: true },
    growth: { type: "categorical", choices: ["leafwise", "depthwise"] },
    num_leaves: { type: "int", low: 2, high: 131_072, log: true },
    max_depth: { type: "int", low: 0, high: 64 },
    exact_bins: EXACT_BINS_RANGE,
    min_data_in_leaf: { type: "int", low: 1, high: 1_000_000, log: true },
    min_child_weight: { type: "float", low: 0, high: 1e6 },
    min_split_gain: { type: "float", low: 0, high: 1e6 },
    feature_fraction: { type: "float", low: 0.01, high: 1 },
    data_sample_strategy: { type: "categorical", choices: ["bagging", "goss", "mvs"] },
    bagging_fraction: { type: "float", low: 0.01, high: 1 },
    top_rate: { type: "float", low: 0, high: 1 },
    other_rate: { type: "float", low: 0.001, high: 1 },
    lambda_l1: { type: "float", low: 0, high: 1e6 },
    lambda_l2: { type: "float", low: 0, high: 1e6 },
    extra_trees: { type: "categorical", choices: [false, true] },
    categorical_encoding: { type: "categorical", choices: [...CATEGORICAL_ENCODINGS] },
    cat_smooth: { type: "float", low: 0, high: 1e6 },
    cat_l2: { type: "float", low: 0, high: 1e6 },
    cat_noise: { type: "float", low: 0, high: 100 },
    min_data_per_group: { type: "int", low: 1, high: 1_000_000, log: true },
    max_cat_to_onehot: { type: "int", low: 1, high: 256 },
    max_cat_threshold: { type: "int", low: 1, high: 256 },
  };
}

function hasCategories(shape: DataShape): boolean {
  return shape.features.some((feature) => feature.kind === "categorical");
}

/** The outer quantiles of few rows are their extremes: leaves need more. */
function isOfQuantiles({ task }: DataShape): boolean {
  return typeOf(task).loss === "pinball";
}

/** What is worth searching on data of this shape. */
export function gbdtSearchSpace(shape: DataShape): SearchSpace {
  const space: SearchSpace = {
    ...objectiveSpace(shape),
    learning_rate: shape.student
      ? { type: "float", low: 0.05, high: 0.4, log: true }
      : isOfQuantiles(shape)
        ? { type: "float", low: 2e-2, high: 0.3, log: true }
        : { type: "float", low: 5e-3, high: 0.1, log: true },
    num_leaves: { type: "int", low: 2, high: 200, log: true },
    min_data_in_leaf: isOfQuantiles(shape)
      ? { type: "int", low: 5, high: 200, log: true }
      : { type: "int", low: 1, high: 64, log: true },
    feature_fraction: { type: "float", low: 0.4, high: 1 },
    bagging_fraction: { type: "float", low: 0.7, high: 1 },
    lambda_l1: { type: "float", low: 1e-4, high: 1 },
    lambda_l2: { type: "float", low: 1e-4, high: 2 },
    extra_trees: { type: "categorical", choices: [false, true] },
  };
  if (!hasCategories(shape)) return space;
  return {
    ...space,
    cat_smooth: { type: "float", low: 1e-3, high: 100, log: true },
    cat_l2: { type: "float", low: 5e-3, high: 2, log: true },
    min_data_per_group: { type: "int", low: 2, high: 100, log: true },
    max_cat_to_onehot: { type: "int", low: 8, high: 100, log: true },
  };
}

/**
 * A teacher's labels have little noise: a student gains by ever more trees, and would follow it
 * with thousands. These few, of larger steps and more leaves, keep most of that at a fraction of the
 * time (`docs/decisions/distillation.md`).
 */
const STUDENT = { n_estimators: 120, learning_rate: 0.2, num_leaves: 63 };

/** Cells (rows × features) up to which values, which these bins are made of, take little beside all else. */
const EXACT_CELLS = 2 ** 21;

/**
 * A student is to predict fast, and each column of such bins is made of values for each prediction; what tables of
 * series and sequences hold does not repeat.
 */
export function exactBins({ rows, features, student, series, sequences }: DataShape): number {
  const isOther = student || series !== undefined || sequences !== undefined;
  return isOther || rows * features.length > EXACT_CELLS ? MAX_BINS : 4 * MAX_BINS;
}

/** Rows that a leaf has in the mean, and the fewest and the most leaves. */
const ROWS_A_LEAF = 150;
const LEAVES = { fewest: 8, most: 31 };

/** Of few rows, trees of many leaves learn noise (`docs/decisions/boosting-kernels.md`); quantiles need them in any case. */
function defaultLeaves(shape: DataShape): number {
  if (isOfQuantiles(shape)) return LEAVES.most;
  const leaves = Math.round(shape.rows / ROWS_A_LEAF);
  return Math.min(LEAVES.most, Math.max(LEAVES.fewest, leaves));
}

/** Defaults of every parameter; those of the search space lie within it. */
export function gbdtDefaults(shape: DataShape): GbdtParameters {
  return {
    ...objectiveDefault(shape),
    n_estimators: 5000,
    early_stopping_rounds: 50,
    // A round grows a tree a level, and leaves' values are no Newton steps: fewer, larger rounds.
    learning_rate: isOfQuantiles(shape) ? 0.1 : 0.05,
    growth: "leafwise",
    num_leaves: defaultLeaves(shape),
    max_depth: 0,
    exact_bins: exactBins(shape),
    min_data_in_leaf: shape.rows < 1000 && !isOfQuantiles(shape) ? 5 : 20,
    min_child_weight: 1e-3,
    min_split_gain: 0,
    feature_fraction: 0.8,
    data_sample_strategy: "bagging",
    bagging_fraction: 0.9,
    top_rate: 0.2,
    other_rate: 0.1,
    lambda_l1: 1e-3,
    lambda_l2: 0.1,
    extra_trees: false,
    categorical_encoding: "native",
    cat_smooth: 10,
    cat_l2: 1,
    cat_noise: 1,
    min_data_per_group: 20,
    max_cat_to_onehot: 8,
    max_cat_threshold: 64,
    ...(shape.student ? STUDENT : {}),
  };
}

/** Whether fits by such parameters may have a bin a number, which is made of values. */
export function readsExactValues({
  space,
  fixed,
  portfolio,
}: {
  readonly space: SearchSpace;
  readonly fixed: Parameters;
  readonly portfolio: readonly Parameters[];
}): boolean {
  const isExact = ({ exact_bins: most }: Parameters): boolean => Number(most) > MAX_BINS;
  return "exact_bins" in space || [fixed, ...portfolio].some(isExact);
}

function legal(name: string, value: ParameterValue): boolean {
  const parameter = gbdtParameters()[name];
  if (parameter === undefined) return false;
  if (parameter.type === "categorical") return parameter.choices.includes(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (parameter.type === "int" && !Number.isInteger(value)) return false;
  return value >= parameter.low && value <= parameter.high;
}

/**
 * Given parameters over the defaults.
 *
 * @throws SearchSpaceError naming the parameter
 */
export function resolveParameters(given: Parameters, shape: DataShape): GbdtParameters {
  for (const [name, value] of Object.entries(given)) {
    if (!legal(name, value)) {
      throw new SearchSpaceError(
        name in gbdtParameters()
          ? `gbdt parameter "${name}" cannot be ${JSON.stringify(value)}.`
          : `gbdt has no parameter "${name}"; it has ${Object.keys(gbdtParameters()).join(", ")}.`,
        name,
      );
    }
  }
  const parameters: GbdtParameters = { ...gbdtDefaults(shape), ...given };
  checkObjective("gbdt", parameters.objective, shape);
  if (parameters.data_sample_strategy !== "bagging") validateSampling(parameters, shape);
  return parameters;
}

/** Of rows that are drawn by their gradients. @throws SearchSpaceError */
function validateSampling(
  { data_sample_strategy: strategy, objective, top_rate, other_rate }: GbdtParameters,
  shape: DataShape,
): void {
  if (isOfQuantiles(shape) || objective === "absolute") {
    const what = isOfQuantiles(shape) ? "quantiles" : "absolute errors";
    throw new SearchSpaceError(
      `gbdt parameter "data_sample_strategy" cannot be "${strategy}" for ${what}, whose gradients have no size of their own; "bagging" can.`,
      "data_sample_strategy",
    );
  }
  if (strategy === "goss" && top_rate + other_rate > 1) {
    throw new SearchSpaceError(
      `gbdt parameters "top_rate" (${top_rate}) and "other_rate" (${other_rate}) are shares of the same rows: together they can be 1 at most.`,
      "top_rate",
    );
  }
}
