/** Parameters that both forest families understand: ranges, what is searched, strong defaults. */

import {
  type Parameters,
  type ParameterValue,
  type SearchSpace,
  SearchSpaceError,
} from "../../search/space.ts";
import { hasClasses, outputCount } from "../../tasks/index.ts";
import type { Criterion } from "../../trees/forest/tree-slots.ts";
import type { DataShape } from "../family.ts";

/** A record of plain values, so that it is also `Parameters`. */
export type ForestParameters = {
  readonly n_estimators: number;
  /** Share of the features tried at each node; at least one is. */
  readonly max_features: number;
  /** Classes: what splits are to bring down, the Gini index or the entropy. */
  readonly criterion?: Criterion;
  /** Distinct rows in a leaf. */
  readonly min_samples_leaf: number;
  /** Leaves of a tree; where it binds, nodes are split in the order of their gain. */
  readonly max_leaf_nodes: number;
  /** 0 = no limit. */
  readonly max_depth: number;
  /** Each tree learns from rows drawn with replacement; else from a subset, or all. */
  readonly bootstrap: boolean;
  /** Rows a tree draws, as a share of all. */
  readonly max_samples: number;
  /**
   * λ of hierarchical shrinkage: leaves move towards the means of the nodes above them. Absent, of classes: chosen by
   * the validation rows, and without those as `usualShrinkage` says.
   */
  readonly shrinkage?: number;
  /**
   * Regression: subtrees that reduce the squared error by less than so many rows' average share of
   * it become leaves; 0 keeps full depth.
   */
  readonly pruning: number;
};

/** How a forest family differs from the other. */
export interface ForestVariant {
  readonly id: string;
  /** One random cut a feature, on all rows, instead of the best on a bootstrap sample. */
  readonly randomCuts: boolean;
}

export function forestParameters(): SearchSpace {
  return {
    n_estimators: { type: "int", low: 1, high: 10_000, log: true },
    max_features: { type: "float", low: 0.001, high: 1 },
    criterion: { type: "categorical", choices: ["gini", "entropy"] },
    min_samples_leaf: { type: "int", low: 1, high: 1_000_000, log: true },
    max_leaf_nodes: { type: "int", low: 2, high: 1_000_000, log: true },
    max_depth: { type: "int", low: 0, high: 1000 },
    bootstrap: { type: "categorical", choices: [true, false] },
    max_samples: { type: "float", low: 0.001, high: 1 },
    shrinkage: { type: "float", low: 0, high: 1e6 },
    pruning: { type: "float", low: 0, high: 1e6 },
  };
}

export function forestSearchSpace(shape: DataShape, variant: ForestVariant): SearchSpace {
  const features = Math.max(1, shape.features.length);
  const regression = !hasClasses(shape.task);
  const least = leastLeaf(shape.rows);
  return {
    // From about one feature a node (classes) or a fifth (regression) up to all.
    max_features: {
      type: "float",
      low: regression ? 0.2 : Math.min(0.2, Math.max(0.001, 1 / features)),
      high: 1,
    },
    ...(regression ? {} : { criterion: { type: "categorical", choices: ["gini", "entropy"] } }),
    min_samples_leaf: { type: "int", low: least, high: 32 * least, log: true },
    ...(regression ? { shrinkage: { type: "float", low: 0.1, high: 50, log: true } } : {}),
    ...(variant.randomCuts ? { bootstrap: { type: "categorical", choices: [false, true] } } : {}),
    max_samples: { type: "float", low: 0.5, high: 1 },
    // The lower end gives up nothing of the score; full depth itself is pruning fixed at 0.
    ...(regression ? { pruning: { type: "float", low: 0.001, high: 0.3, log: true } } : {}),
  };
}

/** Leaves of single rows are best until trees of large data become many times larger than it. */
function leastLeaf(rows: number): number {
  return Math.max(1, Math.round(rows / 30_000));
}

/**
 * Entropy has a log-loss 1 to 4 % lower on most tables, and takes up to 1.8 times as long. Beyond, forests have
 * to be quick, and devices grow those of the Gini index alone.
 */
const ENTROPY_ROWS = 50_000;

/** Bytes that the nodes of a default forest may take. */
const FOREST_BYTES = 256 * 2 ** 20;

export function forestDefaults(shape: DataShape, variant: ForestVariant): ForestParameters {
  const features = Math.max(1, shape.features.length);
  const trees = shape.rows < 5000 ? 200 : 100;
  const regression = !hasClasses(shape.task);
  // A leaf brings two nodes, of 8 numbers and one an output.
  const leafBytes = 2 * 8 * (8 + outputCount(shape.task));
  return {
    n_estimators: trees,
    max_features: regression ? (variant.randomCuts ? 1 : 0.6) : Math.sqrt(features) / features,
    ...(regression ? {} : { criterion: shape.rows <= ENTROPY_ROWS ? "entropy" : "gini" }),
    min_samples_leaf: leastLeaf(shape.rows),
    max_leaf_nodes: Math.max(64, Math.floor(FOREST_BYTES / (trees * leafBytes))),
    max_depth: 0,
    bootstrap: !variant.randomCuts,
    max_samples: 1,
    ...(regression ? { shrinkage: usualShrinkage(shape) } : {}),
    // Halves the nodes or better; costs a thousandth of the error on average.
    pruning: regression ? 0.03 : 0,
  };
}

/** λ where nothing tells a better one: pure leaves of few rows claim certainty; regression hardly gains. */
export function usualShrinkage({ task }: Pick<DataShape, "task">): number {
  if (!hasClasses(task)) return 0.1;
  return task.classes.length === 2 ? 1 : 0.5;
}

function isLegal(name: string, value: ParameterValue): boolean {
  const parameter = forestParameters()[name];
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
export function resolveForest(
  given: Parameters,
  shape: DataShape,
  variant: ForestVariant,
): ForestParameters {
  for (const [name, value] of Object.entries(given)) {
    if (isLegal(name, value)) continue;
    const known = forestParameters()[name];
    throw new SearchSpaceError(
      known === undefined
        ? `${variant.id} has no parameter "${name}"; it has ${Object.keys(forestParameters()).join(", ")}.`
        : `${variant.id} parameter "${name}" cannot be ${JSON.stringify(value)}; it is ${describe(known)}.`,
      name,
    );
  }
  return { ...forestDefaults(shape, variant), ...given };
}

function describe(parameter: SearchSpace[string]): string {
  if (parameter.type === "categorical") return `one of ${parameter.choices.join(", ")}`;
  const kind = parameter.type === "int" ? "a whole number" : "a number";
  return `${kind} from ${parameter.low} to ${parameter.high}`;
}
