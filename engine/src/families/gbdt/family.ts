/** Histogram gradient boosting of decision trees. */

import { outputCount } from "../../tasks/index.ts";
import type { Family, FitContext } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { fitBoosted, withMeanRounds } from "./fit.ts";
import { gbdtLoader } from "./loader.ts";
import {
  gbdtDefaults,
  gbdtParameters,
  gbdtSearchSpace,
  readsExactValues,
  resolveParameters,
} from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };
import { roundSeconds } from "./round-seconds.ts";
import { isShared } from "./sharing.ts";
import { withAbsolute } from "./value-objective.ts";

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const gbdt: Family = {
  ...gbdtLoader,
  title: "Gradient boosted trees",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: true,
  predictsFast: true,
  sharesWork: isShared,
  growsOnDevice: true,

  readsValuesBeside: readsExactValues,

  suits() {
    return { use: true, reason: "Boosted trees are strong on tables of every size and kind." };
  },

  roundSeconds: ({ rows, task, features }) =>
    roundSeconds(rows) * features.length * outputCount(task),

  searchSpace: gbdtSearchSpace,

  defaults(shape) {
    return { ...gbdtDefaults(shape) };
  },

  portfolio(shape) {
    const squared = portfolioOf(PORTFOLIO, shape, { ...gbdtDefaults(shape) }, gbdtParameters());
    return withAbsolute(shape, squared);
  },

  parameters: gbdtParameters,

  fit(context: FitContext, given) {
    const { data, task, trainRows } = context;
    const parameters = resolveParameters(given, {
      rows: trainRows.length,
      task,
      features: data.features,
    });
    return fitBoosted(context, parameters);
  },

  refitParameters: withMeanRounds,
};
