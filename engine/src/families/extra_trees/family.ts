/** Extremely randomised trees (Geurts, Ernst & Wehenkel 2006): random cuts, on all rows. */

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

const VARIANT: ForestVariant = { id: "extra_trees", randomCuts: true };
/** Beyond, boosting gives more for the same time. */
const MOST_ROWS = 200_000;

const PORTFOLIO = portfolioSchema.parse(portfolio);

export const extraTrees: Family = {
  id: "extra_trees",
  title: "Extremely randomised trees",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: false,
  reads: "bins",

  suits({ rows }) {
    return rows <= MOST_ROWS
      ? {
          use: true,
          reason:
            "Random splits have less variance than best ones and add diversity to an ensemble.",
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
