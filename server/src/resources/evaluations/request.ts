/** What an evaluation is asked for. */

import { METRICS, metricNameOf } from "@distillery/engine";
import { z } from "zod";
import { displayName } from "../../platform/input/display-name.ts";
import { modelReferenceSchema } from "../models/model-id.ts";

/** Models of one evaluation, the first among them. */
const MOST_MODELS = 10;
const MOST_SLICES = 20;

const known = new Set(METRICS.map(({ name }) => name));

const metric = z.string().superRefine((name, ctx) => {
  if (known.has(metricNameOf(name))) return;
  ctx.addIssue({
    code: "custom",
    message: `unknown metric '${name}'; there are ${[...known].join(", ")}`,
  });
});

export const evaluationRequestSchema = z
  .strictObject({
    model_id: modelReferenceSchema,
    compare_with: z
      .array(modelReferenceSchema)
      .max(MOST_MODELS - 1)
      .default([])
      .describe("Further models, each compared with the first on the same rows."),
    dataset_id: z.uuid().describe("Rows with the columns that the models read, and the label."),
    metrics: z
      .array(metric)
      .min(1)
      .max(20)
      .nullish()
      .describe("Default: those of the first model's run, and the usual ones of its task."),
    slices: z
      .array(z.string().min(1))
      .max(MOST_SLICES)
      .default([])
      .describe("Columns by whose values, or quarters of their numbers, rows are scored apart."),
    random_state: z.int().min(0).default(0).describe("Of the resampling."),
    name: displayName().optional(),
  })
  .meta({ id: "EvaluationRequest" });

export type EvaluationRequest = z.output<typeof evaluationRequestSchema>;
