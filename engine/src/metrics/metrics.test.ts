import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { metricByName, metricOf, metricsFor } from "../tasks/fitting-metrics.ts";
import { TASK_KINDS, type Task, type TaskKind, taskType } from "../tasks/index.ts";
import type { ScoredRows } from "./metric.ts";

interface Case {
  readonly name: string;
  readonly task: TaskKind;
  readonly outputs: number;
  readonly target: readonly number[];
  readonly predictions: readonly number[];
  readonly weights: readonly number[] | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly quantiles?: readonly number[];
}

const fixture: { scikit_learn: string; cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL("./metrics.fixture.json", import.meta.url), "utf8"),
);

function rowsOf(of: Case): ScoredRows {
  return {
    target: Float64Array.from(of.target),
    predictions: Float64Array.from(of.predictions),
    outputs: of.outputs,
    weights: of.weights === null ? null : Float64Array.from(of.weights),
  };
}

const taskOf = ({ task, quantiles }: Case): Task => ({ kind: task, classes: [], quantiles });

describe.each(fixture.cases)("$task, $name: as scikit-learn has it", (of) => {
  test.each(Object.entries(of.scores))("%s", (name, expected) => {
    const score = metricOf(taskOf(of), name).score(rowsOf(of));
    expect(Math.abs(score - expected)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(expected)));
  });
});

test("every metric has a figure to stand against for each of its tasks", () => {
  // Those of sequences are those of rows; those of forecasts: `forecasts.test.ts`.
  for (const task of TASK_KINDS.filter((kind) => taskType(kind).framing === null)) {
    const covered = new Set(
      fixture.cases.filter((of) => of.task === task).flatMap((of) => Object.keys(of.scores)),
    );
    expect(metricsFor(task).filter((metric) => !covered.has(metric.name))).toEqual([]);
  }
});

const numbers = (values: readonly number[]) => Float64Array.from(values);

function binary(target: readonly number[], predictions: readonly number[]): ScoredRows {
  return { target: numbers(target), predictions: numbers(predictions), outputs: 1, weights: null };
}

describe("where a metric is undefined it says NaN", () => {
  test.each(["roc_auc"])("%s of one class", (name) => {
    expect(metricByName(name).score(binary([1, 1], [0.2, 0.7]))).toBeNaN();
    expect(metricByName(name).score(binary([0, 0], [0.2, 0.7]))).toBeNaN();
  });

  test("average_precision without positives", () => {
    expect(metricByName("average_precision").score(binary([0, 0], [0.2, 0.7]))).toBeNaN();
  });

  test("r2 of a constant target", () => {
    expect(metricByName("r2").score(binary([3, 3, 3], [3, 3, 4]))).toBeNaN();
  });

  test("rmsle of a value at or below -1", () => {
    expect(metricByName("rmsle").score(binary([-1, 2], [1, 2]))).toBeNaN();
    expect(metricByName("rmsle").score(binary([1, 2], [1, -3]))).toBeNaN();
  });

  test.each(
    ["regression", "binclass", "multiclass"].flatMap((task) =>
      metricsFor(task as TaskKind).map((metric) => [task, metric.name] as const),
    ),
  )("%s %s of no rows, of weight 0, and of a NaN prediction", (task, name) => {
    const outputs = task === "multiclass" ? 3 : 1;
    const metric = metricByName(name);
    const none = new Float64Array(0);
    expect(metric.score({ target: none, predictions: none, outputs, weights: null })).toBeNaN();
    const target = numbers([0, 1, 0, 1]);
    const predictions = new Float64Array(4 * outputs).map((_, i) => (i % 5) / 5);
    expect(metric.score({ target, predictions, outputs, weights: new Float64Array(4) })).toBeNaN();
    predictions[2 * outputs] = Number.NaN;
    expect(metric.score({ target, predictions, outputs, weights: null })).toBeNaN();
  });
});

test("a row of weight 0 has no effect, even where it is infinitely wrong", () => {
  const with0 = {
    target: numbers([1, 2, 3]),
    predictions: numbers([1.5, 2, Number.POSITIVE_INFINITY]),
    outputs: 1,
    weights: numbers([1, 2, 0]),
  };
  expect(metricByName("rmse").score(with0)).toBeCloseTo(Math.sqrt(0.25 / 3), 14);
});

test("equal weights are no weights", () => {
  for (const of of fixture.cases.filter((each) => each.weights === null)) {
    const rows = rowsOf(of);
    const weights = new Float64Array(rows.target.length).fill(0.25);
    for (const name of Object.keys(of.scores)) {
      const metric = metricOf(taskOf(of), name);
      expect(metric.score({ ...rows, weights })).toBeCloseTo(metric.score(rows), 11);
    }
  }
});
