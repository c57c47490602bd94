/** How predictions change with single columns: part of the shape of `report.json`. */

import { z } from "zod";

const count = z.int().nonnegative();
const outputs = z.array(z.number());

const said = {
  share: z.number().describe("Share of the rows whose own value is this one, or nearest to it."),
  mean: outputs.describe(
    "Partial dependence: the mean prediction of the rows with this value in the column, one an output.",
  ),
  low: outputs.describe(
    "The quantile .1 of the rows' own changes, each about its own mean, added to the mean prediction.",
  ),
  high: outputs.describe("The quantile .9 of the same."),
  error: outputs.describe(
    "Standard error of `mean` about that of all values, by how the rows differ.",
  ),
};

/** The shape of `dependence` in `report.json`. */
export const dependenceSchema = z.object({
  rows: count.describe("Rows of the run that were predicted with each of the values."),
  localRows: count.describe("Rows at most that accumulated local effects are of."),
  of: z
    .array(z.string())
    .describe("The classes that the outputs are probabilities of; empty = the predicted value."),
  columns: z
    .array(
      z.object({
        column: z.string().describe("The column whose values were changed."),
        points: z
          .array(
            z.object({
              value: z.number().describe("The number that was set."),
              ...said,
              local: outputs.describe(
                "Accumulated local effects, about the same mean: moves of rows within their own intervals alone.",
              ),
              localError: outputs.describe(
                "Standard error of `local` about the mean, by how the rows of each interval differ.",
              ),
            }),
          )
          .optional()
          .describe("Of a column of numbers, ascending, at quantiles of the rows."),
        levels: z
          .array(
            z.object({ name: z.string().describe("The category, as it is written."), ...said }),
          )
          .optional()
          .describe("Of categories and booleans, the most frequent first."),
        levelsLeftOut: count.describe("Categories of the rows beyond those in `levels`."),
        missing: z
          .object(said)
          .nullable()
          .describe("Without a value; null where no row lacked one."),
      }),
    )
    .describe(
      "The columns that the model relies on most, first the one that it relies on most; none where the run's time was too short.",
    ),
});

export type DependenceSection = z.infer<typeof dependenceSchema>;
