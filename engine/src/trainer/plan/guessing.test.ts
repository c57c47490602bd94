import { describe, expect, it } from "vitest";
import { guessingWarnings } from "./guessing.ts";

const folds = [
  { train: Uint32Array.of(0, 1, 2), valid: Uint32Array.of(3, 4, 5) },
  { train: Uint32Array.of(3, 4, 5), valid: Uint32Array.of(0, 1, 2) },
];
const runOf = (kind: "regression" | "binclass", metrics: string[], target: number[]) => ({
  plan: { metrics, rows: 6 },
  task: { kind, classes: kind === "binclass" ? ["no", "yes"] : [] },
  target: Float64Array.from(target),
  weights: null,
  folds,
});

describe("a model that is no better than guessing", () => {
  // Each fold's mean is 2, and its labels lie 1, 0 and 1 from it: an rmse of √(2/3).
  const regression = runOf("regression", ["rmse"], [1, 2, 3, 1, 2, 3]);

  it.each([
    [0.9, true],
    [0.8, false],
  ])("is told by a loss: rmse %s", (rmse, told) => {
    const warnings = guessingWarnings({ scores: { rmse }, metricWeights: [1] }, regression);
    expect(warnings).toHaveLength(told ? 1 : 0);
    if (told) expect(warnings[0]).toMatch(/no better than the mean.* rmse is 0.9, .* 0.8165/);
  });

  it.each([
    [0.5, true],
    [0.7, false],
  ])("is told by a score that rises: accuracy %s", (accuracy, told) => {
    const run = runOf("binclass", ["accuracy"], [0, 0, 1, 0, 0, 1]);
    const warnings = guessingWarnings({ scores: { accuracy }, metricWeights: [1] }, run);
    expect(warnings).toHaveLength(told ? 1 : 0);
  });

  it("is told of series as such, which are forecast by their past", () => {
    const ones = new Float64Array(6).fill(1);
    const places = Uint32Array.of(0, 1, 2, 0, 1, 2);
    const series = {
      ...{ group: places, series: new Uint32Array(6), window: places, step: places },
      ...{ scale: ones, squaredScale: ones, recentScale: ones, reference: ones.map(() => 2) },
      ...{ least: ones.map(() => 0), most: ones.map(() => Number.POSITIVE_INFINITY) },
    };
    const run = { ...regression, task: { kind: "forecasting" as const, classes: [] }, series };
    const [warning] = guessingWarnings({ scores: { rmse: 0.9 }, metricWeights: [1] }, run);
    expect(warning).toMatch(
      /^The model is no better than .*: on held-out .* may not follow from the past/,
    );
    expect(warning).not.toMatch(/column/);
  });

  it("says of few windows why the last value is not taken in the model's place", () => {
    const warningOf = (forecasts: number, reference: number): string => {
      const rows = 2 * forecasts;
      const target = Float64Array.from({ length: rows }, (_, row) => row % 2);
      const each = (value: number) => new Float64Array(rows).fill(value);
      const group = Uint32Array.from({ length: rows }, (_, row) => Math.floor(row / 2));
      const series = {
        ...{ group, series: group, window: new Uint32Array(rows), step: new Uint32Array(rows) },
        ...{ scale: each(1), squaredScale: each(1), recentScale: each(1) },
        ...{ least: each(-9), most: each(9), reference: target.map((value) => reference * value) },
      };
      const valid = Uint32Array.from({ length: rows }, (_, row) => row);
      const folds = [{ train: Uint32Array.of(0, 1), valid }];
      const run = {
        ...{ plan: { metrics: ["mase"], rows }, target, weights: null, folds, series },
        task: { kind: "forecasting" as const, classes: [] },
      };
      return guessingWarnings({ scores: { mase: 0.9 }, metricWeights: [1] }, run).join();
    };
    expect(warningOf(3, 0.8)).toMatch(/than the last value, seasonally adjusted: .* by luck/);
    expect(warningOf(29, 0.8)).toMatch(/by luck/);
    expect(warningOf(40, 0.8)).not.toMatch(/by luck/);
    // A constant is best.
    expect(warningOf(3, 9)).not.toMatch(/by luck/);
  });

  it("is not told where nothing is missed", () => {
    const constant = runOf("regression", ["rmse"], [3, 3, 3, 3, 3, 3]);
    const of = (rmse: number) =>
      guessingWarnings({ scores: { rmse }, metricWeights: [1] }, constant);
    expect(of(0)).toEqual([]);
    expect(of(1e-9)).toHaveLength(1);
  });

  it("is judged by what was weighed for it, and by nothing where that is undefined", () => {
    const run = runOf("regression", ["rmse", "mae"], [1, 2, 3, 1, 2, 3]);
    const of = (mae: number | null) =>
      guessingWarnings({ scores: { rmse: 9, mae }, metricWeights: [0, 1] }, run);
    expect(of(0.5)).toEqual([]);
    expect(of(null)).toEqual([]);
    expect(of(0.8).join()).toMatch(/mae is 0.8/);
  });
});
