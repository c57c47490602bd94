/** `{value, quantiles}`: the median, or the level nearest it, and every level's quantile. */

import { z } from "zod";
import type { AnswerShape } from "../task-type.ts";
import { levelsOf, middleOf } from "./levels.ts";

const schema = z.object({
  value: z.number().describe("The median; where it was not asked for, the level nearest to it."),
  quantiles: z
    .record(z.string(), z.number())
    .describe("By level: at `0.9`, the value that 90 % of such rows do not exceed."),
});

export const quantilesAnswer: AnswerShape<typeof schema> = {
  schema,
  of(task, { values, outputs }) {
    const levels = levelsOf(task);
    const middle = middleOf(levels);
    const names = levels.map(String);
    return Array.from({ length: values.length / outputs }, (_, row) => ({
      value: values[row * outputs + middle],
      quantiles: Object.fromEntries(names.map((name, k) => [name, values[row * outputs + k]])),
    }));
  },
};
