/** Random forests (Breiman 2001): deep trees on bootstrap samples, few features tried at a node. */

import type { Family } from "../family.ts";
import { fitForestFamily } from "../forest/fit.ts";
import { loadForest } from "../forest/model.ts";
import {
  type ForestVariant,
  forestDefaults,
  forestParameters,
  forestSearchSpace,
} from "../forest/parameters.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import portfolio from "./portfolio.json" with { type: "json" };

const VARIANT: ForestVariant = { id: "random_forest", randomCuts: false };
/** Beyond, boosting gives more for the same time. */
const MOST_ROWS = 300_000;

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const randomForest: Family = {
  id: "random_forest",
  title: "Random forest",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: false,
  reads: "bins",

  suits({ rows }) {
    return rows <= MOST_ROWS
      ? {
          use: true,
          reason: "Averages of deep trees need no tuning and err differently from boosting.",
        }
      : { use: false, reason: `At ${rows} rows deep trees cost much and boosting gives more.` };
  },

  searchSpace(shape) {
    return forestSearchSpace(shape, VARIANT);
  },

  defaults(shape) {
    return forestDefaults(shape, VARIANT);
  },

  portfolio(shape) {
    return portfolioOf(PORTFOLIO, shape, forestDefaults(shape, VARIANT), forestParameters());
  },

  parameters: forestParameters,

  fit(context, parameters) {
    return fitForestFamily(context, parameters, VARIANT);
  },

  /** Nothing is learned from validation rows that a refit would need. */
  refitParameters(parameters) {
    return parameters;
  },

  load: loadForest,
};
