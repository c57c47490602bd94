/**
 * Boosting of symmetric trees: each level of a tree asks one question of all its rows (Prokhorenkova,
 * Gusev, Vorobev, Dorogush, Gulin, "CatBoost: unbiased boosting with categorical features", NeurIPS'18).
 * What was taken from there and what was not: `docs/decisions/oblivious.md`.
 */

import { outputCount } from "../../tasks/index.ts";
import type { Family, FitContext } from "../family.ts";
import { fitBoosted, withMeanRounds } from "../gbdt/fit.ts";
import { readsExactValues } from "../gbdt/parameters.ts";
import { isShared } from "../gbdt/sharing.ts";
import { withAbsolute } from "../gbdt/value-objective.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { obliviousLoader } from "./loader.ts";
import {
  boostingParameters,
  obliviousDefaults,
  obliviousParameters,
  obliviousSearchSpace,
} from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const oblivious: Family = {
  ...obliviousLoader,
  title: "Boosted symmetric trees",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: false,
  predictsFast: false,
  sharesWork: isShared,
  growsOnDevice: true,
  readsValuesBeside: readsExactValues,

  suits() {
    return { use: true, reason: "Symmetric trees generalise well from few rows." };
  },

  roundSeconds: ({ rows, task, features }) =>
    (4e-5 + 6.5e-9 * rows) * features.length * outputCount(task),

  searchSpace: obliviousSearchSpace,

  defaults: (shape) => ({ ...obliviousDefaults(shape) }),

  portfolio: (shape) =>
    withAbsolute(
      shape,
      portfolioOf(PORTFOLIO, shape, { ...obliviousDefaults(shape) }, obliviousParameters()),
    ),

  parameters: obliviousParameters,

  fit(context: FitContext, given) {
    const { data, task, trainRows } = context;
    const shape = { rows: trainRows.length, task, features: data.features };
    return fitBoosted(context, boostingParameters(given, shape));
  },

  refitParameters: withMeanRounds,
};
