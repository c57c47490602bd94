/** Reads Gaussian processes back. */

import { z } from "zod";
import { outputCount } from "../../tasks/index.ts";
import type { FamilyLoader, LoadContext, SavedModel } from "../family.ts";
import { arrangeTerms, inputTermSchema } from "../mlp/inputs.ts";
import { isF32, isF64, isI32, savedTensor } from "../saved-tensor.ts";
import { SMOOTHNESS } from "./covariance.ts";
import { GaussianProcessModel, GP_FORMAT } from "./model.ts";
import { dimensionNames } from "./points.ts";

export const gaussianProcessLoader: FamilyLoader = {
  id: "gaussian_process",
  reads: "values",
  load: loadGaussianProcess,
};

/** A list where there are several. */
const eachOutput = z.union([z.number().transform((own) => [own]), z.array(z.number()).min(2)]);
const MODEL = "Gaussian process";

const headerSchema = z.strictObject({
  format: z.literal(GP_FORMAT),
  terms: z.array(inputTermSchema),
  smoothness: z.enum(SMOOTHNESS),
  amplitude: z.number().positive(),
  centre: eachOutput,
  factor: eachOutput,
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

/** @throws {Error} naming the part that is missing or does not fit */
function loadGaussianProcess(
  saved: SavedModel,
  { task, features }: LoadContext,
): GaussianProcessModel {
  const parsed = headerSchema.safeParse(saved.header);
  if (!parsed.success) {
    throw new Error(`The Gaussian process's header is damaged: ${z.prettifyError(parsed.error)}`);
  }
  const { terms, smoothness, amplitude, centre, factor, facts } = parsed.data;
  for (const { feature } of terms) {
    if (feature >= features.length) {
      throw new Error(
        `The Gaussian process reads feature ${feature}, but the schema has ${features.length}.`,
      );
    }
  }
  const { numbers, embedded, statistics } = arrangeTerms(terms);
  if (embedded.length + statistics.length > 0) {
    throw new Error(
      "The Gaussian process's header is damaged: it has terms that only networks read.",
    );
  }
  const { featureOf, codeCounts } = dimensionNames(features.length, terms);
  const outputs = outputCount(task);
  if (centre.length !== outputs || factor.length !== outputs) {
    throw new Error(
      `The Gaussian process's header is damaged: it has ${centre.length} outputs, and the task ${outputs}.`,
    );
  }
  const weights = savedTensor(MODEL, saved, "weights", null, isF64);
  const rows = weights.length / outputs;
  if (!Number.isInteger(rows)) {
    throw new Error(
      `The Gaussian process's tensor weights has ${weights.length} numbers for ${outputs} outputs.`,
    );
  }
  const codes = savedTensor(MODEL, saved, "codes", codeCounts.length * rows, isI32);
  codes.forEach((code, at) => {
    const count = codeCounts[Math.floor(at / rows)];
    if (code < 0 || code >= count) {
      throw new Error(`The Gaussian process's tensor codes holds ${code}, of ${count} codes.`);
    }
  });
  return new GaussianProcessModel(task, features.length, {
    terms,
    covariance: {
      smoothness,
      amplitude,
      relevances: savedTensor(MODEL, saved, "relevances", featureOf.length, isF64),
    },
    points: {
      rows,
      numbers: savedTensor(MODEL, saved, "numbers", numbers.length * rows, isF32),
      codes,
    },
    weights,
    centres: centre,
    factors: factor,
    start: {
      numbers: savedTensor(MODEL, saved, "start_numbers", numbers.length, isF64),
      shares: savedTensor(
        MODEL,
        saved,
        "start_shares",
        codeCounts.reduce((sum, count) => sum + count, 0),
        isF64,
      ),
    },
    importance: savedTensor(MODEL, saved, "importance", features.length, isF64),
    facts,
  });
}
