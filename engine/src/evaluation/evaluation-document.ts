/** What an evaluation found, as data; its page shows the same. Numbers are finite, undefined ones null. */

import { z } from "zod";
import { reportSchema } from "../report/document.ts";
import { TASK_KINDS } from "../tasks/index.ts";

const score = z.number().nullable();
const scores = z.record(z.string(), score);
const bounds = z.tuple([z.number(), z.number()]).nullable();
const count = z.int().nonnegative();

/** How intervals or sets held. */
const coverage = z.object({
  /** The share that they were made to hold. */
  nominal: z.number(),
  /** The share that held. */
  measured: z.number(),
  /** Of intervals their mean width, of sets the mean number of classes. */
  meanSize: z.number(),
});

/** The form of an evaluation, as JSON has it. */
export const evaluationSchema = z.object({
  format: z.literal("distillery-evaluation"),
  version: z.literal(1),
  name: z.string(),
  task: z.enum(TASK_KINDS),
  label: z.string(),
  classes: z.array(z.string()),
  /** Evaluated: rows, or sequences. */
  rows: count,
  leftOut: z.object({
    missingLabel: count,
    /** Rows of classes that a model does not know, by class. */
    unknownClass: z.record(z.string(), count),
  }),
  metrics: z.array(z.object({ name: z.string(), direction: z.enum(["minimize", "maximize"]) })),
  /** The first is what the others are compared with. */
  models: z.array(
    z.object({
      id: z.string(),
      scores,
      intervals: z
        .record(z.string(), bounds)
        .describe(
          "95 % of the scores of resampled rows lie between both ends; null where undefined.",
        ),
      coverage: coverage
        .nullable()
        .describe("What intervals or sets held; null where there are none."),
      figures: reportSchema.pick({
        confusion: true,
        thresholdCurves: true,
        gains: true,
        thresholds: true,
        reliability: true,
        residuals: true,
        quantiles: true,
      }),
    }),
  ),
  slices: z.array(
    z.object({
      column: z.string(),
      /** The value, the range, or what else the rows have in common. */
      of: z.string(),
      rows: count,
      /** One a model. */
      scores: z.array(scores),
    }),
  ),
  comparisons: z.array(
    z.object({
      model: z.string(),
      /** The first model. */
      against: z.string(),
      metric: z.string(),
      difference: score.describe("The model's score less the first model's."),
      interval: bounds.describe("95 % of the differences on resampled rows lie between both ends."),
      /** Share of resamples in which it is the better one; ties count half. */
      betterShare: score,
    }),
  ),
  /** How intervals and comparisons were resampled. */
  bootstrap: z.object({ resamples: count, rowsEach: count }),
  warnings: z.array(z.string()),
});

/** What an evaluation found. */
export type Evaluation = z.infer<typeof evaluationSchema>;
