/** What a request says of sequences: which rows are one, and in which order. */

import { z } from "zod";

export const sequenceFields = {
  sequenceColumn: z
    .string()
    .min(1)
    .nullish()
    .describe(
      "Required for sequence tasks: rows with the same value here are the steps of one sequence, which has one label.",
    ),
  orderColumn: z
    .string()
    .min(1)
    .nullish()
    .describe(
      "Sequence tasks: numbers or times that order a sequence's steps, without repeats. Absent: the order of the rows.",
    ),
};
