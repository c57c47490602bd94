/** Every metric takes a weight of k for k equal rows, and a weight of 0 for an absent one. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METRICS, metricOf, metricsFor } from "../tasks/fitting-metrics.ts";
import { TASK_KINDS, type TaskKind, taskType } from "../tasks/index.ts";

const CLASSES = 3;
const LEVELS = [0.1, 0.5, 0.9];
const cases = METRICS.flatMap((metric) =>
  // Forecasts have a test of their own; sequences are scored as rows are.
  TASK_KINDS.filter(
    (task) => taskType(task).framing === null && metricsFor(task).includes(metric),
  ).map((task) => ({
    name: metric.name,
    task,
    metric: metricOf({ kind: task, classes: [], quantiles: LEVELS }, metric.name),
  })),
);

const rowOf = (task: TaskKind) => {
  const value = fc.integer({ min: 1, max: 40 }).map((n) => n / 8);
  const weight = fc.integer({ min: 0, max: 3 });
  if (task === "regression") {
    return fc.record({ target: value, predicted: value.map((one) => [one]), weight });
  }
  if (task === "quantile_regression") {
    const predicted = fc
      .array(value, { minLength: LEVELS.length, maxLength: LEVELS.length })
      .map((values) => values.toSorted((a, b) => a - b));
    return fc.record({ target: value, predicted, weight });
  }
  const classes = task === "binclass" ? 2 : CLASSES;
  const counts = fc.array(fc.integer({ min: 1, max: 9 }), {
    minLength: classes,
    maxLength: classes,
  });
  return fc.record({
    target: fc.integer({ min: 0, max: classes - 1 }),
    predicted: counts.map((given) => {
      const sum = given.reduce((total, one) => total + one, 0);
      const shares = given.map((one) => one / sum);
      return task === "binclass" ? shares.slice(1) : shares;
    }),
    weight,
  });
};

describe.each(cases)("$name of $task", ({ metric, task }) => {
  it("counts a row of weight k as k rows", () => {
    fc.assert(
      fc.property(fc.array(rowOf(task), { minLength: 2, maxLength: 25 }), (rows) => {
        const score = (of: typeof rows, weighted: boolean): number =>
          metric.score({
            target: Float64Array.from(of, ({ target }) => target),
            predictions: Float64Array.from(of.flatMap(({ predicted }) => predicted)),
            outputs: of[0]?.predicted.length ?? 1,
            weights: weighted ? Float64Array.from(of, ({ weight }) => weight) : null,
          });
        const copies = rows.flatMap((row) => Array<(typeof rows)[number]>(row.weight).fill(row));
        const [weighted, copied] = [score(rows, true), score(copies, false)];
        if (Number.isNaN(copied)) expect(weighted).toBeNaN();
        else expect(weighted).toBeCloseTo(copied, 9);
      }),
    );
  });
});
