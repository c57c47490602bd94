/**
 * The gam family: a sum of one function of each feature and of some pairs, learned by cyclic boosting and averaged
 * over bags (Lou, Caruana & Gehrke, KDD'12; Nori, Jenkins, Koch & Caruana, "InterpretML", 2019, there called an
 * explainable boosting machine). What was taken and what was not: `docs/decisions/gam.md`.
 */

import type { Parameters } from "../../search/space.ts";
import { outputCount } from "../../tasks/index.ts";
import type { Family, FittedModel } from "../family.ts";
import { learningCurve } from "../learning-curve.ts";
import { meanFact } from "../mean-fact.ts";
import { boostTerms } from "./boost-terms.ts";
import { gamLoader } from "./loader.ts";
import { GamModel, linked } from "./model.ts";
import { gamDefaults, gamParameters, gamSearchSpace, resolveGamParameters } from "./parameters.ts";

export const gam: Family = {
  ...gamLoader,
  title: "Additive shape functions",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: true,
  predictsFast: true,

  suits() {
    return {
      use: false,
      reason: "Sums of shape functions are trained where they are asked for, to be read.",
    };
  },

  searchSpace: gamSearchSpace,

  defaults: (shape) => ({ ...gamDefaults(shape) }),

  portfolio(shape) {
    const defaults = { ...gamDefaults(shape) };
    const several = outputCount(shape.task) > 1;
    return [
      defaults,
      { ...defaults, max_leaves: 3, learning_rate: 0.04, bagging_fraction: 0.8 },
      { ...defaults, min_data_in_leaf: 20, ...(several ? {} : { pairs: 20 }) },
      { ...defaults, learning_rate: 0.1, bagging_fraction: 0.5 },
      { ...defaults, learning_rate: 0.02, ...(several ? {} : { pairs: 0 }) },
      { ...defaults, max_leaves: 3, bagging_fraction: 0.5, min_data_in_leaf: 4, greedy_ratio: 0 },
    ];
  },

  parameters: gamParameters,

  fit(context, given) {
    const { data, task, trainRows, validRows } = context;
    const shape = { rows: trainRows.length, task, features: data.features };
    const parameters = resolveGamParameters(given, shape);
    const found = boostTerms(context, parameters);
    const { base, shapes, losses, heldOut } = found;
    const model = new GamModel(task, {
      ...{ base, shapes, bins: data.binned?.bins ?? [] },
      facts: {
        best_iteration: found.mainRounds,
        pair_iterations: found.pairRounds,
        rounds: found.roundsRun,
        pairs: shapes.filter(({ features }) => features.length === 2).length,
        ...(found.bestLoss === null ? {} : { validation_loss: found.bestLoss }),
      },
    });
    if (found.bestLoss !== null && losses.length > 0) {
      const loss = task.classes.length > 0 ? "log_loss" : "squared_error";
      model.curve = learningCurve(loss, losses);
    }
    if (validRows === null || heldOut === null) return model;
    return Object.assign(model, {
      predictHeldOut: (): Float64Array => linked(task, data, heldOut.slice()),
    });
  },

  refitParameters: withMeanRounds,
};

/** As many rounds of either kind as the folds' fits kept on average. */
function withMeanRounds(
  parameters: Parameters,
  foldFacts: readonly FittedModel["facts"][],
): Parameters {
  const mains = meanFact(foldFacts, "best_iteration");
  const pairs = meanFact(foldFacts, "pair_iterations");
  return {
    ...parameters,
    ...(mains === null ? {} : { n_estimators: Math.max(1, Math.round(mains)) }),
    ...(pairs === null ? {} : { pair_rounds: Math.round(pairs) }),
  };
}
