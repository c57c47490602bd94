import { expect, it } from "vitest";
import type { Task } from "../../tasks/index.ts";
import { medianMetricWarnings, seeksMedians } from "./median-metrics.ts";

const regression: Task = { kind: "regression", classes: [] };
const forecasting: Task = { kind: "forecasting", classes: [] };
const skewed = Float64Array.from({ length: 200 }, (_, i) => Math.exp(4 * Math.sin(i)));
const even = Float64Array.from({ length: 200 }, (_, i) => Math.sin(i));
const demand = Float64Array.from({ length: 200 }, (_, i) => (i % 5 === 0 ? 3 + (i % 4) : 0));

it.each([
  [
    "a skewed label by mae",
    regression,
    "mae",
    skewed,
    /mean of all labels misses them by \d\d % more.*`quantile_regression`/,
  ],
  [
    "demand that is mostly zero by mase",
    forecasting,
    "mase",
    demand,
    /^80 % of the values are 0.*`rmsse`/,
  ],
] as const)("tells of %s", (_, task, metric, target, pattern) => {
  const [warning, ...others] = medianMetricWarnings({ task, metric, target });
  expect(warning).toMatch(pattern);
  expect(others).toEqual([]);
});

it.each([
  ["metrics of means", regression, "rmse", skewed],
  ["labels that are not skewed", regression, "mae", even],
  [
    "models of quantiles",
    { kind: "quantile_regression", classes: [], quantiles: [0.5] } as Task,
    "mae",
    skewed,
  ],
  ["forecasts of means", forecasting, "rmsse", demand],
  ["series with few zeros", forecasting, "mase", even],
  ["series of zeros", forecasting, "mase", new Float64Array(200)],
  ["few values", forecasting, "mase", demand.slice(0, 20)],
])("says nothing of %s", (_, task, metric, target) => {
  expect(medianMetricWarnings({ task, metric, target })).toEqual([]);
});

it.each([
  ["mae", regression, true],
  ["wape", regression, true],
  ["mape", regression, false],
  ["rmse", regression, false],
  ["mae", forecasting, false],
] as const)("seeks medians by %s: %o, %s", (metric, task, asked) => {
  expect(seeksMedians(task, metric)).toBe(asked);
});
