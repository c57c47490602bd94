/** Histogram gradient boosting of decision trees, for all three tasks. */

import { compactTrees } from "../../trees/compact.ts";
import type { Family, FitContext } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { boost } from "./booster.ts";
import { GbdtModel, loadGbdt } from "./model.ts";
import { gbdtDefaults, gbdtParameters, gbdtSearchSpace, resolveParameters } from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const gbdt: Family = {
  id: "gbdt",
  title: "Gradient boosted trees",
  tasks: ["regression", "binclass", "multiclass"],
  keepsMonotone: true,
  predictsFast: true,
  reads: "bins",

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
    const model = new GbdtModel(
      task,
      data.features.length,
      compactTrees(boosted.trees),
      boosted.base,
      {
        best_iteration: boosted.bestIteration,
        rounds: boosted.rounds,
        ...(boosted.validationLoss === null ? {} : { validation_loss: boosted.validationLoss }),
      },
    );
    model.curve = boosted.curve;
    return model;
  },

  refitParameters(parameters, foldFacts) {
    const rounds = foldFacts
      .map((facts) => facts["best_iteration"])
      .filter((value) => typeof value === "number");
    if (rounds.length === 0) return parameters;
    const mean = rounds.reduce((sum, value) => sum + value, 0) / rounds.length;
    return { ...parameters, n_estimators: Math.max(1, Math.round(mean)) };
  },

  load: loadGbdt,
};
