/**
 * How far a forest of classes is drawn together, as its validation rows tell. Leaves of few rows are right where classes
 * are hardly noisy and much too sure where they are; no one λ serves both.
 *
 * The rows that choose flatter the fit that they chose: their own predictions are each by what the other parts of
 * them choose, as for rounds of boosting (`gbdt/stopping.ts`).
 */

import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { nodeMeans, shrinkTrees } from "../../trees/forest/shrink.ts";
import { predictTrees } from "../../trees/predictor.ts";
import type { FitContext } from "../family.ts";
import { wholeShares } from "./model.ts";

/** What λ is chosen from, as rows that the mean of a node counts as much as. */
const LAMBDAS: readonly number[] = [0.25, 1, 4, 16, 64];
/** What a truth is given at least: no λ makes up for a class that no tree names. */
const LEAST_PROBABILITY = 1e-15;
/** Parts that the validation rows are dealt to, one by one. */
const PARTS = 5;
/** Values of all leaves and nodes, at most: beyond, a pass for each λ takes long, and rows are so many that λ matters little. */
const MOST_VALUES = 2 ** 21;

export interface LearnedShrinkage {
  readonly lambda: number;
  readonly trees: TreeEnsemble;
  /** Of the validation rows, each by the λ that the other parts choose. Row-major. */
  readonly heldOut: Float64Array;
}

/**
 * Null for trees of too many nodes.
 *
 * @param trees of shares of classes, with the plain means of their rows in the leaves, as `compactTrees` has them
 */
export function learnShrinkage(
  { data, target, weights }: Pick<FitContext, "data" | "target" | "weights">,
  validRows: Uint32Array,
  trees: TreeEnsemble,
): LearnedShrinkage | null {
  const { valuesPerNode: outputs } = trees;
  if (trees.value.length > MOST_VALUES) return null;
  const means = nodeMeans(trees);
  const step = outputs * LAMBDAS.length;
  // All λ in one pass over the rows: trees with as many times the outputs.
  const all = shrinkTrees(trees, means, LAMBDAS);
  const sums = predictTrees(all, data, validRows, new Float64Array(step));
  const predictions = LAMBDAS.map((_, place) =>
    wholeShares(
      Float64Array.from({ length: validRows.length * outputs }, (_, at) => {
        const row = Math.floor(at / outputs);
        return sums[row * step + place * outputs + (at - row * outputs)];
      }),
      outputs,
    ),
  );
  const losses = predictions.map((each) => {
    const byPart = new Float64Array(PARTS);
    for (const [place, row] of validRows.entries()) {
      const truth = target[row];
      const ofOne = truth === 1 ? each[place] : 1 - each[place];
      const own = outputs > 1 ? each[place * outputs + truth] : ofOne;
      const weight = weights === null ? 1 : weights[row];
      byPart[place % PARTS] -= weight * Math.log(Math.max(LEAST_PROBABILITY, own));
    }
    return byPart;
  });
  const bestWithout = (part: number | null): number => {
    const others = losses.map((each) =>
      each.reduce((sum, loss, own) => (own === part ? sum : sum + loss), 0),
    );
    return others.indexOf(Math.min(...others));
  };
  const ofParts = Array.from({ length: PARTS }, (_, part) => predictions[bestWithout(part)]);
  const lambda = LAMBDAS[bestWithout(null)];
  return {
    lambda,
    trees: shrinkTrees(trees, means, [lambda]),
    heldOut: Float64Array.from(
      { length: validRows.length * outputs },
      (_, at) => ofParts[Math.floor(at / outputs) % PARTS][at],
    ),
  };
}
