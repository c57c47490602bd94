/** One fit by boosting, of any kind of trees: its model, and what its validation rows are given. */

import type { Parameters } from "../../search/space.ts";
import { outputCount } from "../../tasks/index.ts";
import { compactTrees } from "../../trees/compact.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import type { FitContext, FittedModel } from "../family.ts";
import { meanFact } from "../mean-fact.ts";
import { boost } from "./booster.ts";
import type { BoostingParameters } from "./fit-growth.ts";
import { GbdtModel } from "./model.ts";

export function fitBoosted(context: FitContext, parameters: BoostingParameters): FittedModel {
  const { data, task } = context;
  const boosted = boost(context, parameters);
  const facts = {
    best_iteration: boosted.bestIteration,
    rounds: boosted.rounds,
    ...(boosted.validationLoss === null ? {} : { validation_loss: boosted.validationLoss }),
  };
  const modelOf = (trees: TreeEnsemble): GbdtModel =>
    new GbdtModel(
      task,
      data.features.length,
      boosted.derived,
      compactTrees(trees),
      boosted.base,
      facts,
    );
  const model = modelOf(boosted.trees);
  model.curve = boosted.curve;
  const { validRows } = context;
  const { stopping } = boosted;
  if (validRows === null || stopping === null) return model;
  return Object.assign(model, {
    predictHeldOut: (): Float64Array => {
      const outputs = outputCount(task);
      const all = new Float64Array(validRows.length * outputs);
      for (const [rounds, places] of stopping.byRounds()) {
        const rows = places.map((place) => validRows[place]);
        const some = modelOf(boosted.treesOf(rounds)).predict(data, rows);
        for (const [i, place] of places.entries()) {
          all.set(some.subarray(i * outputs, (i + 1) * outputs), place * outputs);
        }
      }
      return all;
    },
  });
}

/** As many rounds as the folds' fits kept on average. */
export function withMeanRounds(
  parameters: Parameters,
  foldFacts: readonly FittedModel["facts"][],
): Parameters {
  const mean = meanFact(foldFacts, "best_iteration");
  return mean === null
    ? parameters
    : { ...parameters, n_estimators: Math.max(1, Math.round(mean)) };
}
