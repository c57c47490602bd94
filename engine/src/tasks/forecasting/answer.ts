/** `{series, time, value, interval?, quantiles}`, one a step. */

import { z } from "zod";
import { levelsOf } from "../quantile_regression/levels.ts";
import type { AnswerShape } from "../task-type.ts";

const schema = z.object({
  series: z
    .record(z.string(), z.string())
    .describe(
      "Which series: the values of its columns, of a sum those that it keeps; empty where there is one alone, and of the total.",
    ),
  time: z.union([z.string(), z.number()]).describe("The step: ISO 8601, or its number."),
  value: z.number().describe("Not below 0 where the series never was before, nor above."),
  interval: z
    .tuple([z.number(), z.number()])
    .nullable()
    .describe(
      "Lower and upper end, both inside, that hold `value` and as many values as `coverage` says, by what the backtest's windows missed at such a step. null where there were too few.",
    ),
  quantiles: z
    .record(z.string(), z.number())
    .nullable()
    .describe("By level: at `0.9`, the value that 90 % of such steps do not exceed."),
});

const keySchema = schema.pick({ series: true, time: true });

export const forecastAnswer: AnswerShape<typeof schema> = {
  schema,
  of(task, { values, keys, intervals, quantiles }) {
    const levels = levelsOf(task);
    return Array.from(values, (value, row) => ({
      ...keySchema.parse(keys?.[row]),
      value,
      interval: intervals?.bounds
        ? ([intervals.bounds.lower[row], intervals.bounds.upper[row]] satisfies [number, number])
        : null,
      quantiles: quantiles
        ? Object.fromEntries(levels.map((level, k) => [level, quantiles[row * levels.length + k]]))
        : null,
    }));
  },
};
