/** What becomes of two classes by a threshold between them: parts of the shape of `report.json`. */

import { z } from "zod";

const count = z.int().nonnegative();
const share = z.number().min(0);
const threshold = z
  .number()
  .describe("The shortest decimal that parts the rows there: those above score at least so much.");

/** The shape of `gains` in `report.json`. */
export const gainsSchema = z.object({
  of: z.string().describe("The class whose probability orders the rows."),
  rows: count.describe("Rows that were predicted by members that had not learned from them."),
  prevalence: share.describe("Weighted share of the class."),
  groups: z
    .array(
      z.object({
        threshold: threshold.describe(
          "The shortest decimal that parts the group from the next: its rows score at least so much.",
        ),
        rows: count.describe("Rows of the group."),
        rate: share.describe("Weighted share of its rows that are of the class."),
        low: share.describe("Lower end of Wilson's 95 % interval of `rate`."),
        high: share.describe("Upper end of it."),
        lift: share.describe("`rate` over the share of the class in all rows."),
        share: share.describe("Weighted share of all rows down to the group's end."),
        gain: share.describe("Weighted share of the class's rows down to there."),
      }),
    )
    .describe(
      "Up to ten groups of about equally many rows, the highest scores first; equal scores are never parted.",
    ),
  curve: z
    .array(z.tuple([z.number(), z.number()]))
    .describe("Share of all rows, and of those of the class among them, by descending score."),
});

/** The shape of `thresholds` in `report.json`. */
export const thresholdsSchema = z.object({
  of: z.string().describe("The class that is said from the threshold upwards."),
  rows: count.describe("Rows that were predicted by members that had not learned from them."),
  own: z.number().describe("The threshold that the model says its label by."),
  thresholds: z
    .array(
      z.object({
        threshold,
        rows: count.describe("Rows that score at least so much: those flagged."),
        flagged: share.describe("Their weighted share of all rows."),
        precision: share.nullable().describe("Share of the flagged that are of the class."),
        recall: share.describe("Share of the class that is flagged."),
        falsePositiveRate: share.describe("Share of all others that is flagged."),
        f1: share.describe("Harmonic mean of precision and recall."),
      }),
    )
    .describe(
      "Over the whole range, with the model's own and those that are best by a measure; descending.",
    ),
  best: z
    .array(
      z.object({
        by: z.enum(["f1", "youden"]).describe("F1, or recall less the false-positive rate."),
        threshold: threshold.nullable().describe("null: no row is flagged."),
        rows: count.describe("Rows that score at least so much."),
        value: z
          .number()
          .describe("The measure on all rows, among which the threshold was chosen."),
        apart: z
          .number()
          .describe(
            "The measure where each row is flagged by a threshold that was chosen without it.",
          ),
      }),
    )
    .describe("The threshold that is best by each measure."),
  costs: z
    .array(
      z.object({
        missCost: z
          .number()
          .describe("What a missed row of the class costs, where a false alarm costs 1."),
        threshold: threshold.nullable().describe("That of least cost; null: no row is flagged."),
        flagged: share.describe("Weighted share of all rows that it flags."),
        cost: z
          .number()
          .describe(
            "Mean cost of a row, in false alarms, by thresholds that were chosen without it.",
          ),
        constantCost: z
          .number()
          .describe("The same where all rows are flagged or none is, whichever costs less."),
      }),
    )
    .describe("The threshold of least cost, by what a miss costs in false alarms."),
});

export type GainsSection = z.infer<typeof gainsSchema>;
export type ThresholdsSection = z.infer<typeof thresholdsSchema>;
