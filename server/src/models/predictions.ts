/** Predictions and explanations in the shapes of the API. */

import type { ExplainOutput, PredictOutput } from "@distillery/engine";
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

const valuePrediction = z.object({ value: z.number() });
const labelPrediction = z.object({
  label: z.string(),
  probabilities: z.record(z.string(), z.number()),
});

export const predictionsSchema = z.object({
  model_id: z.uuid(),
  predictions: z.array(z.union([valuePrediction, labelPrediction])),
  warnings: z.array(z.string()),
});

type Predictions = z.infer<typeof predictionsSchema>["predictions"];

export function toPredictions({ values, outputs, classes }: PredictOutput): Predictions {
  if (classes.length === 0) return Array.from(values, (value) => ({ value }));
  const predictions: Predictions = [];
  for (let row = 0; row < values.length / outputs; row++) {
    const probabilities =
      outputs === 1
        ? [1 - values[row], values[row]]
        : Array.from(values.subarray(row * outputs, (row + 1) * outputs));
    predictions.push({
      label: classes[indexOfHighest(probabilities)],
      probabilities: Object.fromEntries(classes.map((name, k) => [name, probabilities[k]])),
    });
  }
  return predictions;
}

/** Ties go to the later class, as a probability of 0.5 goes to the positive one. */
function indexOfHighest(probabilities: readonly number[]): number {
  let best = 0;
  for (let k = 1; k < probabilities.length; k++) {
    if (probabilities[k] >= probabilities[best]) best = k;
  }
  return best;
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
