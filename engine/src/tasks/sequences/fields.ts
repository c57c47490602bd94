/** What a request says of sequences: which rows are one, and in which order. */

import { z } from "zod";

export const sequenceFields = {
  sequenceColumn: z
    .string()
    .min(1)
    .nullish()
    .describe(
      "Of sequence tasks, required: rows of one value are the steps of one sequence, which has one label.",
    ),
  orderColumn: z
    .string()
    .min(1)
    .nullish()
    .describe(
      "Of sequence tasks: numbers or times that order a sequence's steps, each once. Absent: the order of the rows.",
    ),
};
