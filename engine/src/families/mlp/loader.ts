/** Reads networks back. */

import { z } from "zod";
import { outputCount } from "../../tasks/index.ts";
import type { FamilyLoader, LoadContext, SavedModel } from "../family.ts";
import { isF32, isF64, savedTensor } from "../saved-tensor.ts";
import { arrangeTerms, inputTermSchema, oneHotColumns, statisticsColumns } from "./inputs.ts";
import { ACTIVATIONS, layoutOf } from "./layout.ts";
import { MLP_FORMAT, MlpModel } from "./model.ts";

export const mlpLoader: FamilyLoader = { id: "mlp", reads: "values", load: loadMlp };

const count = z.int().min(0).max(100_000_000);
const headerSchema = z.strictObject({
  format: z.literal(MLP_FORMAT),
  shape: z.strictObject({
    numbers: count,
    frequencies: count,
    oneHot: z.array(count),
    embedded: z.array(count),
    // Networks of before had neither.
    pieces: count.default(0),
    statistics: count.default(0),
    widths: z.array(z.int().min(8).multipleOf(8)).min(1),
    outputs: z.int().min(1),
    activation: z.enum(ACTIVATIONS),
  }),
  terms: z.array(inputTermSchema),
  centre: z.number(),
  factor: z.number(),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

/**
 * Reads a saved network back, checking that its parts fit together.
 *
 * @throws {Error} naming the part that is missing or does not fit
 */
function loadMlp(saved: SavedModel, context: LoadContext): MlpModel {
  const parsed = headerSchema.safeParse(saved.header);
  if (!parsed.success) {
    throw new Error(`The network's header is damaged: ${z.prettifyError(parsed.error)}`);
  }
  const { shape, terms, centre, factor, facts } = parsed.data;
  for (const { feature } of terms) {
    if (feature >= context.features.length) {
      throw new Error(
        `The network reads feature ${feature}, but the schema has ${context.features.length}.`,
      );
    }
  }
  const { numbers, oneHot, embedded, statistics } = arrangeTerms(terms);
  const same = (a: readonly number[], b: readonly number[]): boolean =>
    a.length === b.length && a.every((value, i) => value === b[i]);
  const fits =
    shape.numbers === numbers.length &&
    shape.outputs === outputCount(context.task) &&
    numbers.every(({ knots }) => (knots ? knots.length - 1 <= shape.pieces : shape.pieces === 0)) &&
    same(shape.oneHot, oneHot.map(oneHotColumns)) &&
    same(
      shape.embedded,
      embedded.map(({ count: categories }) => categories),
    ) &&
    shape.statistics === statisticsColumns(statistics) &&
    statistics.every((term) => term.tables.every((table) => table.length === term.count + 1));
  if (!fits) throw new Error("The network's header is damaged: its terms do not fit its shape.");
  const { size, inputWidth } = layoutOf(shape);
  const state = {
    shape,
    terms,
    centre,
    factor,
    facts,
    parameters: savedTensor("network", saved, "parameters", size, isF32),
    baseline: savedTensor("network", saved, "baseline", inputWidth, isF32),
    importance: savedTensor("network", saved, "importance", context.features.length, isF64),
  };
  return new MlpModel(context.task, context.features.length, state, context.arena);
}
