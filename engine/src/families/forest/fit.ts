/** Fits either forest family. */

import type { Parameters } from "../../search/space.ts";
import { hasClasses, outputCount } from "../../tasks/index.ts";
import { compactTrees } from "../../trees/compact.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { fitForest } from "../../trees/forest/fit-forest.ts";
import { errorOfOneRow, pruneTrees } from "../../trees/forest/prune.ts";
import { nodeMeans, shrinkTrees } from "../../trees/forest/shrink.ts";
import type { FitContext, FittedModel } from "../family.ts";
import { meanFact } from "../mean-fact.ts";
import { learnShrinkage } from "./learned-shrinkage.ts";
import { ForestModel } from "./model.ts";
import {
  type ForestParameters,
  type ForestVariant,
  resolveForest,
  usualShrinkage,
} from "./parameters.ts";

export function fitForestFamily(
  context: FitContext,
  given: Parameters,
  variant: ForestVariant,
): ForestModel {
  const { data, task, target, softTarget, weights, trainRows, validRows, key, monotone, limits } =
    context;
  const constrained = Object.keys(monotone);
  if (constrained.length > 0) {
    throw new Error(
      `${variant.id} cannot keep the effect of ${constrained.join(", ")} monotone; gbdt can.`,
    );
  }
  const shape = { rows: trainRows.length, task, features: data.features };
  const parameters = resolveForest(given, shape, variant);
  // Two classes are grown as the share of the second, also where the task answers with both.
  const answersBoth = task.classes.length === 2 && outputCount(task) === 2;
  const learns = validRows !== null && teachesShrinkage(context, parameters);
  const forest = fitForest(
    {
      data,
      target,
      softTarget:
        answersBoth && softTarget ? softTarget.filter((_, at) => at % 2 === 1) : softTarget,
      classes: task.classes.length,
      weights,
      trainRows,
      key,
      mayGrow: limits && (() => limits.begin()),
      givesUp: limits && (() => limits.abandons()),
      crew: context.crew,
      device: context.device && { lane: context.device, binsStay: true },
    },
    {
      trees: parameters.n_estimators,
      featureFraction: parameters.max_features,
      minLeaf: parameters.min_samples_leaf,
      maxLeaves: parameters.max_leaf_nodes,
      maxDepth: parameters.max_depth,
      randomCuts: variant.randomCuts,
      criterion: parameters.criterion ?? "gini",
      bootstrap: parameters.bootstrap,
      sampleFraction: parameters.max_samples,
      shrinkage: learns ? 0 : (parameters.shrinkage ?? usualShrinkage(shape)),
    },
  );
  const grown = answersBoth ? withBothShares(forest) : forest;
  const ofValue = !hasClasses(task);
  const base = ofValue ? targetMean(target, weights, trainRows) : 0;
  const least =
    ofValue && parameters.pruning > 0
      ? parameters.pruning * errorOfOneRow(target, weights, trainRows, base)
      : 0;
  // Leaves keep their distance from the mean: single precision is enough for it.
  const centred = { ...grown, value: centredLeaves(grown, base) };
  const trees = compactTrees(least > 0 ? pruneTrees(centred, least) : centred);
  const count = trees.treeOutput.length;
  const leaves = (trees.feature.length + count) / 2;
  const facts = { trees: count, mean_leaves: Math.round(leaves / count) };
  const modelOf = (shrunken: TreeEnsemble, known: ForestModel["facts"] = facts): ForestModel =>
    new ForestModel(task, data.features.length, shrunken, base, known);
  if (!learns) return modelOf(trees);
  const learned = learnShrinkage(context, validRows, trees);
  if (learned === null) {
    return modelOf(shrinkTrees(trees, nodeMeans(trees), [usualShrinkage(shape)]));
  }
  const { lambda, heldOut } = learned;
  return Object.assign(modelOf(learned.trees, { ...facts, shrinkage: lambda }), {
    predictHeldOut: (): Float64Array => heldOut,
  });
}

/** Whether the validation rows choose the shrinkage: those of classes, where nobody has. */
function teachesShrinkage(
  { task, softTarget, validRows }: FitContext,
  { shrinkage }: ForestParameters,
): boolean {
  const rows = validRows?.length ?? 0;
  return shrinkage === undefined && hasClasses(task) && softTarget === null && rows > 0;
}

/** The shrinkage that the folds' fits chose, in the geometric mean, where they did. */
export function withLearnedShrinkage(
  parameters: Parameters,
  foldFacts: readonly FittedModel["facts"][],
): Parameters {
  if (parameters["shrinkage"] !== undefined) return parameters;
  const logs = foldFacts.map((facts) => ({ log_shrinkage: Math.log(Number(facts["shrinkage"])) }));
  const mean = meanFact(
    logs.filter((each) => Number.isFinite(each.log_shrinkage)),
    "log_shrinkage",
  );
  return mean === null ? parameters : { ...parameters, shrinkage: Math.exp(mean) };
}

function targetMean(target: Float64Array, weights: Float64Array | null, rows: Uint32Array): number {
  let weight = 0;
  let sum = 0;
  for (const row of rows) {
    const w = weights === null ? 1 : weights[row];
    weight += w;
    sum += w * target[row];
  }
  return sum / weight;
}

/** Leaves with the shares of both classes, of such with that of the second. */
function withBothShares(trees: TreeEnsemble): TreeEnsemble {
  const whole = 1 / trees.treeOutput.length;
  const value = new Float64Array(2 * trees.value.length);
  for (const [node, second] of trees.value.entries()) {
    if (trees.feature[node] < 0) value.set([whole - second, second], 2 * node);
  }
  return { ...trees, valuesPerNode: 2, value };
}

/** Leaf values of a sum over the trees that starts from `base`. */
function centredLeaves(trees: TreeEnsemble, base: number): Float64Array {
  const share = base / trees.treeOutput.length;
  const width = trees.valuesPerNode;
  return trees.value.map((value, i) =>
    trees.feature[Math.floor(i / width)] < 0 ? value - share : 0,
  );
}
