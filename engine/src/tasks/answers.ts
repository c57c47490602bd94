/** The shapes of predictions over the API: a value, or a label with its probabilities. */

import { z } from "zod";
import type { AnswerShape, ModelOutput } from "./task-type.ts";

const id = z.string().optional().describe("Sequence tasks: the sequence, as the request names it.");

const valueSchema = z.object({
  id,
  value: z.number(),
  interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .optional()
    .describe(
      "Lower and upper bound, both inclusive: a conformal interval that contains the true value for the share of rows given by `coverage`. null where the model was trained on too few rows for that; absent for models of versions without intervals.",
    ),
});

const labelSchema = z.object({
  id,
  label: z.string(),
  probabilities: z.record(z.string(), z.number()),
  set: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "A conformal prediction set: the label and every other class that may be the true one. Sets contain the true class for the share of rows given by `coverage`, or for more where the labels alone do. In the order of the classes, never empty; absent for models of versions without sets.",
    ),
});

/** `{id?, value, interval?}` */
export const valueAnswer: AnswerShape<typeof valueSchema> = {
  schema: valueSchema,
  of: (_task, { values, intervals, keys }: ModelOutput) =>
    Array.from(values, (value, row) => {
      const own = idOf(keys, row);
      if (intervals === null) return { ...own, value };
      const { bounds } = intervals;
      return { ...own, value, interval: bounds && [bounds.lower[row], bounds.upper[row]] };
    }),
};

function idOf(keys: ModelOutput["keys"], row: number): { readonly id?: string } {
  const name = keys?.[row]?.id;
  return typeof name === "string" ? { id: name } : {};
}

/** `{id?, label, probabilities, set?}` */
export const labelAnswer: AnswerShape<typeof labelSchema> = {
  schema: labelSchema,
  of: ({ classes }, { values, outputs, sets, labels, keys }: ModelOutput) =>
    Array.from(labels ?? [], (label, row) => {
      const probabilities =
        outputs === 1
          ? [1 - values[row], values[row]]
          : values.subarray(row * outputs, (row + 1) * outputs);
      const members = sets?.members.subarray(row * classes.length, (row + 1) * classes.length);
      return {
        ...idOf(keys, row),
        label: classes[label],
        probabilities: Object.fromEntries(classes.map((name, k) => [name, probabilities[k]])),
        ...(members ? { set: classes.filter((_, k) => members[k] === 1) } : {}),
      };
    }),
};
