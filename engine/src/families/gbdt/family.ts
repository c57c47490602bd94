/** Histogram gradient boosting of decision trees. */

import { outputCount } from "../../tasks/index.ts";
import { compactTrees } from "../../trees/compact.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import type { Family, FitContext } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { boost, isShared } from "./booster.ts";
import { gbdtLoader } from "./loader.ts";
import { GbdtModel } from "./model.ts";
import { gbdtDefaults, gbdtParameters, gbdtSearchSpace, resolveParameters } from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const gbdt: Family = {
  ...gbdtLoader,
  title: "Gradient boosted trees",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: true,
  predictsFast: true,
  sharesWork: isShared,

  suits() {
    return { use: true, reason: "Boosted trees are strong on tables of every size and kind." };
  },

  searchSpace: gbdtSearchSpace,

  defaults(shape) {
    return { ...gbdtDefaults(shape) };
  },

  portfolio(shape) {
    return portfolioOf(PORTFOLIO, shape, { ...gbdtDefaults(shape) }, gbdtParameters());
  },

  parameters: gbdtParameters,

  fit(context: FitContext, given) {
    const { data, task, trainRows } = context;
    const parameters = resolveParameters(given, {
      rows: trainRows.length,
      task,
      features: data.features,
    });
    const boosted = boost(context, parameters);
    const facts = {
      best_iteration: boosted.bestIteration,
      rounds: boosted.rounds,
      ...(boosted.validationLoss === null ? {} : { validation_loss: boosted.validationLoss }),
    };
    const modelOf = (trees: TreeEnsemble): GbdtModel =>
      new GbdtModel(task, data.features.length, compactTrees(trees), boosted.base, facts);
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
  },

  refitParameters(parameters, foldFacts) {
    const rounds = foldFacts
      .map((facts) => facts["best_iteration"])
      .filter((value) => typeof value === "number");
    if (rounds.length === 0) return parameters;
    const mean = rounds.reduce((sum, value) => sum + value, 0) / rounds.length;
    return { ...parameters, n_estimators: Math.max(1, Math.round(mean)) };
  },
};
