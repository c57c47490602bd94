/** Fits either forest family. */

import type { Parameters } from "../../search/space.ts";
import { fitForest } from "../../trees/forest/fit-forest.ts";
import type { FitContext } from "../family.ts";
import { ForestModel } from "./model.ts";
import { ForestParameterError, type ForestVariant, resolveForest } from "./parameters.ts";

export function fitForestFamily(
  context: FitContext,
  given: Parameters,
  variant: ForestVariant,
): ForestModel {
  const { data, task, target, weights, trainRows, key, monotone } = context;
  const constrained = Object.keys(monotone);
  if (constrained.length > 0) {
    throw new ForestParameterError(
      `${variant.id} cannot keep the effect of ${constrained.join(", ")} monotone; gbdt can.`,
    );
  }
  const shape = { rows: trainRows.length, task, features: data.features };
  const parameters = resolveForest(given, shape, variant);
  const trees = fitForest(
    { data, target, classes: task.classes.length, weights, trainRows, key },
    {
      trees: parameters.n_estimators,
      featureFraction: parameters.max_features,
      minLeaf: parameters.min_samples_leaf,
      maxLeaves: parameters.max_leaf_nodes,
      maxDepth: parameters.max_depth,
      randomCuts: variant.randomCuts,
      bootstrap: parameters.bootstrap,
      sampleFraction: parameters.max_samples,
      shrinkage: parameters.shrinkage,
    },
  );
  const count = trees.treeOutput.length;
  const leaves = (trees.feature.length + count) / 2;
  return new ForestModel(task, data.features.length, trees, {
    trees: count,
    mean_leaves: Math.round(leaves / count),
  });
}
