/** Fits a forest: trees on bags of the rows, each under a key of its own. */

import { Arena } from "../../compute/arena.ts";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { ForestBuilder } from "./forest-builder.ts";
import {
  classStatistics,
  type RowStatistics,
  regressionStatistics,
  softClassStatistics,
} from "./row-statistics.ts";
import { ForestTreeGrower } from "./tree-grower.ts";

export interface ForestSettings {
  readonly trees: number;
  /** Share of the features tried at a node; at least one is. */
  readonly featureFraction: number;
  readonly minLeaf: number;
  readonly maxLeaves: number;
  /** 0 = no limit. */
  readonly maxDepth: number;
  readonly randomCuts: boolean;
  readonly bootstrap: boolean;
  /** Rows of a bag as a share of all. */
  readonly sampleFraction: number;
  /** λ of hierarchical shrinkage; see `ForestBuilder`. */
  readonly shrinkage: number;
}

export interface ForestInput {
  readonly data: EncodedData;
  /** One a row of `data`: the value, or the index of the class. */
  readonly target: Float64Array;
  /** 0 for regression; 2 gives one output, the share of the second class. */
  readonly classes: number;
  /** Labels by degrees, read in place of `target`; see `FitContext`. */
  readonly softTarget?: Float64Array | null;
  readonly weights: Float64Array | null;
  readonly trainRows: Uint32Array;
  readonly key: RandomKey;
  /** Asked before each tree: false ends the forest. Absent: it has all trees of the settings. */
  readonly mayGrow?: (() => boolean) | undefined;
}

export function fitForest(input: ForestInput, settings: ForestSettings): TreeEnsemble {
  const { data, key } = input;
  const { binned } = data;
  if (binned === null)
    throw new Error("Forests read bins, and this data was encoded without them.");
  const { rows, statistics } = statisticsOf(input);
  return withScratch(Arena.attach(data.arena), (scratch) => {
    const grower = new ForestTreeGrower(scratch, binned, rows, statistics, {
      nodeFeatures: Math.max(1, Math.round(settings.featureFraction * binned.bins.length)),
      maxLeaves: settings.maxLeaves,
      maxDepth: settings.maxDepth,
      minLeaf: settings.minLeaf,
      randomCuts: settings.randomCuts,
      draws: Math.max(1, Math.round(settings.sampleFraction * rows.length)),
      withReplacement: settings.bootstrap,
    });
    const builder = new ForestBuilder(statistics, settings.shrinkage);
    for (let tree = 0; tree < settings.trees && (input.mayGrow?.() ?? true); tree++) {
      builder.append(grower.grow(extendKey(key, "tree", tree)));
    }
    return builder.build();
  });
}

/** The share of the second of two classes is a number like any, and its Gini index a variance. */
function statisticsOf({ target, softTarget, classes, weights, trainRows }: ForestInput): {
  readonly rows: Uint32Array;
  readonly statistics: RowStatistics;
} {
  if (!softTarget) {
    return classes === 0
      ? regressionStatistics(target, trainRows, weights)
      : classStatistics(target, classes, trainRows, weights);
  }
  return classes > 2
    ? softClassStatistics(softTarget, classes, trainRows, weights)
    : regressionStatistics(softTarget, trainRows, weights);
}
