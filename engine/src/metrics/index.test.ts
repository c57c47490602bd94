import { expect, test } from "vitest";
import {
  defaultMetric,
  METRICS,
  metricByName,
  metricForTask,
  metricsFor,
} from "../tasks/fitting-metrics.ts";
import { TASK_KINDS } from "../tasks/index.ts";
import { MetricError } from "./errors.ts";
import { toLoss } from "./metric.ts";

test("names are distinct and find their metric", () => {
  expect(new Set(METRICS.map((metric) => metric.name)).size).toBe(METRICS.length);
  for (const metric of METRICS) expect(metricByName(metric.name)).toBe(metric);
});

test("an unknown name is answered with the known ones", () => {
  expect(() => metricByName("rsme")).toThrow(MetricError);
  expect(() => metricByName("rsme")).toThrow(/"rsme".*rmse, mae, r2/);
});

test("a metric that does not fit is answered with those that do", () => {
  expect(() => metricForTask("rmse", "binclass")).toThrow(MetricError);
  expect(() => metricForTask("f1", "multiclass")).toThrow(
    /"f1" does not fit a multiclass task.*log_loss.*f1_macro/,
  );
  expect(metricForTask("f1", "binclass").name).toBe("f1");
});

test("each task has a default among its own metrics", () => {
  for (const task of TASK_KINDS) expect(metricsFor(task)).toContain(defaultMetric(task));
});

test("the better score has the lower loss", () => {
  expect(toLoss(metricByName("rmse"), 1)).toBeLessThan(toLoss(metricByName("rmse"), 2));
  expect(toLoss(metricByName("r2"), 0.9)).toBeLessThan(toLoss(metricByName("r2"), 0.1));
});

test("aliases of other libraries, in any case, find their metric", () => {
  for (const [alias, name] of [
    ["auc", "roc_auc"],
    ["ROC AUC", "roc_auc"],
    ["RMSE", "rmse"],
    ["neg_mean_squared_error", "rmse"],
    ["Neg-Log-Loss", "log_loss"],
    ["binary_logloss", "log_loss"],
    ["matthews_corrcoef", "mcc"],
    ["R2", "r2"],
  ] as const) {
    expect(metricByName(alias).name, alias).toBe(name);
  }
  const names = METRICS.map(({ name }) => name);
  expect(names.map((name) => metricByName(name.toUpperCase()).name)).toEqual(names);
});
