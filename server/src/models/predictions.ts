/** Predictions and explanations in the shapes of the API. */

import {
  type ExplainOutput,
  HIGHEST_LEVEL,
  LOWEST_LEVEL,
  type PredictOutput,
} from "@distillery/engine";
import { z } from "zod";

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const rowsSchema = z.union([
  z.strictObject({
    instances: z
      .array(z.record(z.string(), cell))
      .min(1)
      .describe("Rows as objects; a column left out is missing."),
  }),
  z.strictObject({
    columns: z.array(z.string()).min(1).describe("Column names, by the order of the cells."),
    data: z.array(z.array(cell)).min(1).describe("Rows as lists of cells."),
  }),
]);

export const coverageQuery = z
  .number()
  .min(LOWEST_LEVEL)
  .max(HIGHEST_LEVEL)
  .optional()
  .describe(
    "The share of rows whose interval or set is to hold the truth. Default: what the training request asked for, 0.9 unless it says otherwise. A value between two hundredths is served by the higher one.",
  );

const valuePrediction = z.object({
  value: z.number(),
  interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .optional()
    .describe(
      "Lower and upper end, both inside: a conformal interval that holds the true value of as many rows as `coverage` says. null where the model was trained on too few rows for that; absent where it was trained before there were any.",
    ),
});
const labelPrediction = z.object({
  label: z.string(),
  probabilities: z.record(z.string(), z.number()),
  set: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "A conformal prediction set: the label and every other class that may be the true one; sets hold it for as many rows as `coverage` says, or for more where labels alone do. In the order of the classes, never empty; absent where the model was trained before there were any.",
    ),
});

export const predictionsSchema = z.object({
  model_id: z.uuid(),
  predictions: z.array(z.union([valuePrediction, labelPrediction])),
  warnings: z.array(z.string()),
});

type Predictions = z.infer<typeof predictionsSchema>["predictions"];

export function toPredictions(output: PredictOutput): Predictions {
  return output.labels === null ? valuesOf(output) : labelsOf(output, output.labels);
}

function valuesOf({ values, intervals }: PredictOutput): Predictions {
  return Array.from(values, (value, row) => {
    if (intervals === null) return { value };
    const { bounds } = intervals;
    return { value, interval: bounds && [bounds.lower[row], bounds.upper[row]] };
  });
}

function labelsOf(
  { values, outputs, classes, sets }: PredictOutput,
  labels: Uint32Array,
): Predictions {
  return Array.from(labels, (label, row) => {
    const probabilities =
      outputs === 1
        ? [1 - values[row], values[row]]
        : values.subarray(row * outputs, (row + 1) * outputs);
    const members = sets?.members.subarray(row * classes.length, (row + 1) * classes.length);
    return {
      label: classes[label],
      probabilities: Object.fromEntries(classes.map((name, k) => [name, probabilities[k]])),
      ...(members ? { set: classes.filter((_, k) => members[k] === 1) } : {}),
    };
  });
}

const additive = z.object({
  base_value: z.number().describe("The prediction for no row in particular."),
  prediction: z.number().describe("base_value plus all contributions."),
  contributions: z.record(z.string(), z.number()),
});

export const explanationsSchema = z.object({
  model_id: z.uuid(),
  space: z
    .enum(["identity", "logit", "log_softmax", "probability"])
    .describe("What the contributions add up in."),
  explanations: z.array(
    z.union([
      additive,
      z.object({ classes: z.record(z.string(), additive).describe("One entry a class.") }),
    ]),
  ),
  warnings: z.array(z.string()),
});

type Explanations = z.infer<typeof explanationsSchema>["explanations"];

export function toExplanations(output: ExplainOutput): Explanations {
  const { baseValues, predictions, contributions, columns, classes } = output;
  const one = (row: number, k: number) => ({
    base_value: baseValues[k],
    prediction: predictions[row][k],
    contributions: Object.fromEntries(
      columns.map((column, index) => [column, contributions[row][k][index]]),
    ),
  });
  return predictions.map((values, row) =>
    values.length === 1
      ? one(row, 0)
      : { classes: Object.fromEntries(classes.map((name, k) => [name, one(row, k)])) },
  );
}
