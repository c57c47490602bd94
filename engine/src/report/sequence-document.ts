/** What a run over sequences shows beside the sections of every run: part of the shape of `report.json`. */

import { z } from "zod";

const count = z.int().nonnegative();

/** The shape of `sequences` in `report.json`. */
export const sequencesSchema = z.object({
  space: z
    .enum(["identity", "probability"])
    .describe("What contributions add up in: values, or probabilities."),
  explained: count.describe("Sequences that `sizes` is over."),
  parts: count.describe("Segments of equal length that each channel is cut into."),
  sizes: z
    .array(
      z.object({
        column: z.string().describe("The column of the channel."),
        part: count.describe("Which segment, from 1."),
        size: z.number().describe("Mean absolute contribution over sequences and outputs."),
      }),
    )
    .describe("What each stretch of time of each channel adds, on average."),
  typical: z
    .array(
      z.object({
        row: count.describe("Its place among the sequences of the run, from 0."),
        of: z
          .string()
          .nullable()
          .describe("Its class, whose probability is explained; null = the value is."),
        actual: z.number().nullable().describe("Its value; null of classes."),
        heldOut: z.number().describe("What was predicted of it out of fold."),
        prediction: z.number().describe("What the model predicts: base and all contributions."),
        base: z.number().describe("What it predicts with every step missing."),
        exact: z
          .boolean()
          .describe("Whether every combination of segments was asked; else orders were drawn."),
        steps: count.describe("Its length."),
        channels: z
          .array(
            z.object({
              column: z.string().describe("The column of the channel."),
              points: z
                .array(z.tuple([count, z.number().nullable()]))
                .describe("Step and value, null where it is missing; of a long one some, evenly."),
            }),
          )
          .describe("Those that add most, largest first."),
        segments: z
          .array(
            z.object({
              column: z.string().describe("The column of the channel."),
              start: count.describe("Its first step, from 0."),
              end: count.describe("The step behind its last."),
              contribution: z.number().describe("Its Shapley value."),
              error: z.number().describe("Standard error of it; 0 where it is exact."),
            }),
          )
          .describe("Of all channels."),
      }),
    )
    .describe(
      "One of each class, as sure as half of its class; of values a low, a middle, a high one.",
    ),
});

export type SequencesSection = z.infer<typeof sequencesSchema>;
