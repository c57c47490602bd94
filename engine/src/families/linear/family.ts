/**
 * The linear family: ridge and elastic-net regression, binary and multinomial logistic regression.
 *
 * Numbers are transformed and standardised, categories become columns of 0 and 1 or target means,
 * all fitted on the training rows alone; see `terms.ts`. Everything is computed in one thread in
 * one order, so equal inputs give equal bits.
 */

import type { Family } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { fitLinear } from "./fit.ts";
import { linearLoader } from "./loader.ts";
import {
  linearDefaults,
  linearParameters,
  linearSearchSpace,
  readParameters,
  suitedToShape,
} from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };

const PORTFOLIO = portfolioSchema.parse(portfolio);

/** Features, and cells of a dense design, beyond both of which it costs more than the family is likely to add. */
const MANY_FEATURES = 2000;
/** 32 MB. With few rows and many columns, a sparse linear model is often the best there is. */
const MANY_CELLS = 4e6;

export const linear: Family = {
  ...linearLoader,
  title: "Linear and logistic regression",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: true,
  predictsFast: true,
  suits({ features, rows }) {
    if (features.length === 0) return { use: false, reason: "There are no features to weigh." };
    if (features.length > MANY_FEATURES && features.length * rows > MANY_CELLS) {
      return {
        use: false,
        reason: `${features.length.toLocaleString("en")} features of ${rows.toLocaleString("en")} rows are many for a dense design matrix.`,
      };
    }
    return { use: true, reason: "Cheap to fit, and unlike trees, so an ensemble gains from it." };
  },
  searchSpace: linearSearchSpace,
  defaults: linearDefaults,
  portfolio: (shape) =>
    suitedToShape(shape, portfolioOf(PORTFOLIO, shape, linearDefaults(shape), linearParameters())),
  parameters: linearParameters,
  fit: (context, parameters) => fitLinear(context, readParameters(parameters)),
  refitParameters: (parameters) => parameters,
};
