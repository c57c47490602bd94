/**
 * The linear family: ridge and elastic-net regression, binary and multinomial logistic regression.
 *
 * Numbers are transformed and standardised, categories become columns of 0 and 1 or target means,
 * all fitted on the training rows alone; see `terms.ts`. Everything is computed in one thread in
 * one order, so equal inputs give equal bits.
 */

import { z } from "zod";
import { outputCount } from "../../tasks/index.ts";
import type { Family, LoadContext, SavedModel } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { fitLinear } from "./fit.ts";
import { LINEAR_FORMAT, LinearModel, termStarts } from "./model.ts";
import {
  linearDefaults,
  linearParameters,
  linearSearchSpace,
  readParameters,
} from "./parameters.ts";
import portfolio from "./portfolio.json" with { type: "json" };
import { termSchema } from "./terms.ts";

const PORTFOLIO = portfolioSchema.parse(portfolio);

/** Features beyond which a dense design costs more than the family is likely to add. */
const MANY_FEATURES = 2000;

export const linear: Family = {
  id: "linear",
  title: "Linear and logistic regression",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss", "pinball"],
  keepsMonotone: true,
  predictsFast: true,
  reads: "values",
  suits({ features }) {
    if (features.length === 0) return { use: false, reason: "there are no features to weigh" };
    if (features.length > MANY_FEATURES) {
      return {
        use: false,
        reason: `${features.length} features are many for a dense design matrix`,
      };
    }
    return { use: true, reason: "cheap to fit, and unlike trees, so an ensemble gains from it" };
  },
  searchSpace: linearSearchSpace,
  defaults: linearDefaults,
  portfolio: (shape) => portfolioOf(PORTFOLIO, shape, linearDefaults(shape), linearParameters()),
  parameters: linearParameters,
  fit: (context, parameters) => fitLinear(context, readParameters(parameters)),
  refitParameters: (parameters) => parameters,
  load: loadLinear,
};

const headerSchema = z.strictObject({
  format: z.literal(LINEAR_FORMAT),
  terms: z.array(termSchema),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

/**
 * Reads a saved linear model back, checking that its parts fit together.
 *
 * @throws {Error} naming the part that is missing or does not fit
 */
function loadLinear(saved: SavedModel, context: LoadContext): LinearModel {
  const parsed = headerSchema.safeParse(saved.header);
  if (!parsed.success) {
    throw new Error(`The linear model's header is damaged: ${z.prettifyError(parsed.error)}`);
  }
  const { terms, facts } = parsed.data;
  for (const term of terms) {
    if (term.feature >= context.features.length) {
      throw new Error(
        `The linear model reads feature ${term.feature}, but the schema has ${context.features.length}.`,
      );
    }
    if (
      term.kind === "target" &&
      term.encodings.length !== (term.categories + 1) * term.means.length
    ) {
      throw new Error("The linear model's header is damaged: encodings of the wrong length.");
    }
  }
  const outputs = outputCount(context.task);
  const { columns } = termStarts(terms);
  return new LinearModel(context.task, context.features.length, {
    terms,
    facts,
    coefficients: tensor(saved, "coefficients", outputs * columns),
    columnMeans: tensor(saved, "columnMeans", columns),
    baseValues: tensor(saved, "baseValues", outputs),
    importance: tensor(saved, "importance", context.features.length),
  });
}

function tensor(saved: SavedModel, name: string, length: number): Float64Array {
  const found = Object.hasOwn(saved.tensors, name) ? saved.tensors[name] : undefined;
  if (!(found instanceof Float64Array) || found.length !== length) {
    throw new Error(`The linear model's tensor ${name} is missing or not ${length} f64 numbers.`);
  }
  return found;
}
