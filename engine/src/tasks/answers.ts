/** The shapes of predictions over the API: a value, or a label with its probabilities. */

import { z } from "zod";
import type { AnswerShape, ModelOutput } from "./task-type.ts";

const id = z
  .string()
  .optional()
  .describe("Of sequence tasks: the sequence, as the request names it.");

const valueSchema = z.object({
  id,
  value: z.number(),
  interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .optional()
    .describe(
      "Lower and upper end, both inside: a conformal interval that holds the true value of as many rows as `coverage` says. null where the model was trained on too few rows for that; absent where it was trained before there were any.",
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
      "A conformal prediction set: the label and every other class that may be the true one; sets hold it for as many rows as `coverage` says, or for more where labels alone do. In the order of the classes, never empty; absent where the model was trained before there were any.",
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
