/** The functions that an additive model is a sum of: part of the shape of `report.json`. */

import { z } from "zod";

const count = z.int().nonnegative();

const cell = {
  weight: z
    .number()
    .describe("Weight of the learned rows in it, as the bags drew them: a share of all."),
  values: z.array(z.number()).describe("What it adds to each output's margin."),
  deviations: z
    .array(z.number())
    .describe("Standard deviation of each over the bags whose mean it is."),
};

const termSchema = z.object({
  feature: z.string().describe("What it reads: a column, or a part of one such as `when.month`."),
  column: z.string().describe("The column that the feature was made from."),
  size: z.number().describe("Mean absolute value over the learned rows and the outputs."),
  steps: z
    .array(
      z.object({
        to: z.number().nullable().describe("Its largest value; null of the last, which is open."),
        ...cell,
      }),
    )
    .optional()
    .describe(
      "Of a number, ascending: each from behind the end of the one before; bins that say nearly the same are one.",
    ),
  levels: z
    .array(
      z.object({
        name: z.string().nullable().describe("The category; null = the rarer ones together."),
        ...cell,
      }),
    )
    .optional()
    .describe("Of a category, the most frequent first."),
  levelsLeftOut: count.describe("Categories with a value of their own beyond those in `levels`."),
  missing: z.object(cell).nullable().describe("Null where no learned row was without a value."),
});

const sideSchema = z.object({
  feature: z.string().describe("What it reads."),
  lines: z
    .array(z.string())
    .describe("Of the grid: ranges of values, categories, or missing values."),
});

/** The shape of `shapes` in `report.json`. */
export const shapesSchema = z.object({
  family: z.string().describe("Of the member that is shown."),
  weight: z.number().describe("Its weight in the first model."),
  others: count.describe("Other members of the model that have such functions."),
  space: z
    .enum(["identity", "logit", "log_softmax"])
    .describe("What the functions add up in: values, log-odds, or the margins of the classes."),
  of: z
    .array(z.string())
    .describe("The classes that `values` are of; empty = the value, which is one."),
  outputsLeftOut: count.describe("Classes that are not shown: those that move least."),
  terms: z.array(termSchema).describe("Of single features, the largest first."),
  termsLeftOut: count,
  pairs: z
    .array(
      z.object({
        size: z.number().describe("Mean absolute value over the learned rows and the outputs."),
        of: z.string().nullable().describe("The class that it moves most; null = the value."),
        down: sideSchema,
        across: sideSchema,
        values: z
          .array(z.number().nullable())
          .describe("Row-major, down × across; null where there was no learned row."),
      }),
    )
    .describe("Of two features beyond what each says alone, the largest first."),
  pairsLeftOut: count,
});

export type ShapesSection = z.infer<typeof shapesSchema>;
