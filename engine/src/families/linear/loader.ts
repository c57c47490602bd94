/** Reads linear models back. */

import { z } from "zod";
import { outputCount } from "../../tasks/index.ts";
import type { FamilyLoader, LoadContext, SavedModel } from "../family.ts";
import { isF64, savedTensor } from "../saved-tensor.ts";
import { LINEAR_FORMAT, LinearModel, termStarts } from "./model.ts";
import { termSchema } from "./terms.ts";

export const linearLoader: FamilyLoader = { id: "linear", reads: "values", load: loadLinear };

const headerSchema = z.strictObject({
  format: z.literal(LINEAR_FORMAT),
  terms: z.array(termSchema),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
  range: z.tuple([z.number(), z.number()]).nullable().default(null),
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
  const { terms, ...rest } = parsed.data;
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
  const tensor = (name: string, length: number): Float64Array =>
    savedTensor("linear model", saved, name, length, isF64);
  const outputs = outputCount(context.task);
  const { columns } = termStarts(terms);
  return new LinearModel(context.task, context.features.length, {
    terms,
    ...rest,
    coefficients: tensor("coefficients", outputs * columns),
    columnMeans: tensor("columnMeans", columns),
    baseValues: tensor("baseValues", outputs),
    importance: tensor("importance", context.features.length),
  });
}
