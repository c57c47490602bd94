/** The drift of an endpoint's rows, as the API shows it. */

import { z } from "zod";
import { type Compared, type ComparedDistribution, DRIFT_LEVELS } from "./comparison.ts";
import { MOST_HOURS } from "./recorder.ts";

export const hoursQuery = z
  .int()
  .min(1)
  .max(MOST_HOURS)
  .default(24)
  .describe("Whole hours that are looked at, the present one among them.");

const level = z
  .enum(DRIFT_LEVELS)
  .describe(
    "By the customary limits of the index: `none` below 0.1, `moderate` below 0.25, `large` from there on. `too_few_rows`: fewer than `rows_needed`. `not_compared`: of times, which go on.",
  );

const share = (what: string) => z.number().min(0).max(1).nullable().describe(what);

const distribution = {
  kind: z.enum(["numeric", "timestamp", "text", "categorical", "boolean"]),
  level,
  psi: z
    .number()
    .nullable()
    .describe(
      "Population stability index over the bins of the training data, missing values being one of them; null where there are no rows, and of times. Texts are compared by their lengths.",
    ),
  rows_needed: z
    .int()
    .nullable()
    .describe(
      "From so many rows on, the index of unchanged data passes 0.1 only once in a hundred times; null where the training data are too few for that.",
    ),
  bins: z
    .array(
      z.object({
        up_to: z
          .number()
          .nullable()
          .describe(
            "Of numbers, the greatest in the bin (of times in milliseconds since 1970); null of the last one, and of categories.",
          ),
        value: z
          .string()
          .nullable()
          .describe("Of categories, the one; null of the bin for all others, and of numbers."),
        share: share("Share of rows; null where there are none."),
        in_training: share("The same in the training data."),
      }),
    )
    .describe("In which rows are counted, beside those without a value."),
};

export const driftSchema = z.object({
  id: z.uuid(),
  hours: z.int().describe("Whole hours that were looked at, the present one among them."),
  models: z.array(
    z.object({
      model_id: z.uuid(),
      unavailable: z
        .string()
        .nullable()
        .describe("Why drift is not known of this model; null where it is."),
      rows: z
        .int()
        .describe("Rows that it answered, of all processes; explanations are not counted."),
      training_rows: z
        .int()
        .nullable()
        .describe("Rows of the training data that they are compared with, a sample of many."),
      level: level
        .nullable()
        .describe("The worst of its columns and predictions; null where it is unavailable."),
      columns: z
        .array(
          z.object({
            name: z.string(),
            ...distribution,
            missing: share("Share of rows without a value; null where there are no rows."),
            missing_in_training: share("The same in the training data."),
            outside: share(
              "Of the values, the share beyond the range of the training data, or of categories that the model does not know.",
            ),
            outside_in_training: share("The same in the training data."),
          }),
        )
        .describe("Those that the model relies on most first."),
      omitted_columns: z.int().describe("Columns beyond the 500 that are compared."),
      predictions: z
        .array(z.object({ name: z.string(), ...distribution }))
        .describe(
          "Compared with predictions of training rows by fits that had not learned from them: the value, the probability of the second of two classes, and the shares of the labels.",
        ),
    }),
  ),
});

type ModelDrift = z.infer<typeof driftSchema>["models"][number];

export const unavailableDrift = (model_id: string, reason: string): ModelDrift => ({
  model_id,
  unavailable: reason,
  rows: 0,
  training_rows: null,
  level: null,
  columns: [],
  omitted_columns: 0,
  predictions: [],
});

export const toModelDrift = (
  model_id: string,
  { rows, level: worst, columns, predictions }: Compared,
  training: { readonly rows: number; readonly omitted: number },
): ModelDrift => ({
  model_id,
  unavailable: null,
  rows,
  training_rows: training.rows,
  level: worst,
  columns: columns.map((column) => ({
    ...shown(column),
    missing: column.missing,
    missing_in_training: column.missingInTraining,
    outside: column.outside,
    outside_in_training: column.outsideInTraining,
  })),
  omitted_columns: training.omitted,
  predictions: predictions.map(shown),
});

const shown = ({ name, kind, level: own, psi, rowsNeeded, bins }: ComparedDistribution) => ({
  name,
  kind,
  level: own,
  psi,
  rows_needed: rowsNeeded,
  bins: bins.map(({ upTo, value, share: now, inTraining }) => ({
    up_to: upTo,
    value,
    share: now,
    in_training: inTraining,
  })),
});
