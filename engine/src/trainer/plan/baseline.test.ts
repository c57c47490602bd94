import { describe, expect, it } from "vitest";
import { deriveKey } from "../../compute/random.ts";
import { metricByName } from "../../tasks/fitting-metrics.ts";
import type { Task } from "../../tasks/index.ts";
import { makeFolds } from "../../validation/index.ts";
import { baselines } from "./baseline.ts";

const fold = (train: readonly number[], valid: readonly number[]) => ({
  train: Uint32Array.from(train),
  valid: Uint32Array.from(valid),
});
const task = (kind: Task["kind"], classes: readonly string[] = []): Task => ({ kind, classes });

describe("answers that look at no column", () => {
  it("are learned from each fold's own training rows, without those that are made up", () => {
    const rows = {
      task: task("regression"),
      target: Float64Array.of(0, 0, 10, 1000),
      weights: null,
      folds: [fold([1, 2, 3], [0]), fold([0, 1, 3], [2])],
      rows: 3,
    };
    const { best, lastValue } = baselines(rows, [metricByName("rmse"), metricByName("mae")]);
    const { rmse, mae } = best;
    expect(lastValue).toBeNull();
    // The means and medians of [0, 10] and [0, 0] are 5 and 0.
    expect(rmse).toEqual({ answer: "the mean", score: Math.sqrt((5 ** 2 + 10 ** 2) / 2) });
    expect(mae).toEqual({ answer: "the mean", score: 7.5 });
  });

  it("are the strongest by each metric", () => {
    const target = Float64Array.of(1, 1, 1, 1, 100, 1, 1, 1, 1, 100);
    const halves = [fold([0, 1, 2, 3, 4], [5, 6, 7, 8, 9]), fold([5, 6, 7, 8, 9], [0, 1, 2, 3, 4])];
    const rows = { task: task("regression"), target, weights: null, folds: halves, rows: 10 };
    const { best: found } = baselines(rows, [metricByName("mae"), metricByName("r2")]);
    expect(found["mae"]).toEqual({ answer: "the median", score: 19.8 });
    expect(found["r2"]).toEqual({ answer: "the mean", score: 0 });
  });

  it("weigh rows as the metrics do", () => {
    const rows = {
      task: task("regression"),
      target: Float64Array.of(0, 10, 0, 10),
      weights: Float64Array.of(3, 1, 1, 1),
      folds: [fold([0, 1], [2, 3])],
      rows: 4,
    };
    expect(baselines(rows, [metricByName("mae")]).best["mae"]).toEqual({
      answer: "the mean",
      score: 5,
    });
  });

  it("are the classes' shares, and the most frequent class where labels are scored", () => {
    const two = {
      task: task("binclass", ["a", "b"]),
      target: Float64Array.of(0, 0, 0, 1, 0, 1),
      weights: null,
      folds: [fold([0, 1, 2, 3], [4, 5])],
      rows: 6,
    };
    const { best: found } = baselines(two, [metricByName("log_loss"), metricByName("accuracy")]);
    expect(found["log_loss"]?.answer).toBe("the classes' shares");
    expect(found["log_loss"]?.score).toBeCloseTo(-(Math.log(0.75) + Math.log(0.25)) / 2, 12);
    expect(found["accuracy"]).toEqual({ answer: "the most frequent class", score: 0.5 });
    const three = {
      ...two,
      task: task("multiclass", ["a", "b", "c"]),
      target: Float64Array.of(0, 1, 2, 2, 2, 0),
    };
    expect(baselines(three, [metricByName("accuracy")]).best["accuracy"]?.score).toBe(0.5);
  });

  it("are the last value too where rows are in the order of time, that of each fold's own past", () => {
    // A rising line, in an order that is not that of time: the folds are windows over time.
    const time = Float64Array.of(3, 0, 5, 1, 4, 2);
    const target = time.map((at) => 10 * at);
    const folds = makeFolds({
      task: task("regression"),
      target,
      time,
      nSplits: 2,
      key: deriveKey(0, "folds"),
    });
    const rows = { task: task("regression"), target, weights: null, folds, rows: 6 };
    const { best, lastValue } = baselines(rows, [metricByName("mae")]);
    // 0, 10 → 20, 30, and 0 … 30 → 40, 50: off by 10 and 20 each time.
    expect(lastValue).toEqual({ mae: 15 });
    expect(best["mae"]).toEqual({ answer: "the last value", score: 15 });
  });

  it("take rows of one time together as the last value", () => {
    const given = {
      task: task("binclass", ["a", "b"]),
      target: Float64Array.of(0, 0, 1, 1, 0, 1),
      weights: null,
      folds: [{ ...fold([0, 1, 2, 3], [4, 5]), latest: Uint32Array.of(1, 2, 3) }],
      rows: 6,
    };
    const { lastValue } = baselines(given, [metricByName("log_loss"), metricByName("accuracy")]);
    expect(lastValue?.["log_loss"]).toBeCloseTo(-(Math.log(1 / 3) + Math.log(2 / 3)) / 2, 12);
    expect(lastValue?.["accuracy"]).toBe(0.5);
  });
});

describe("constant answers to classes", () => {
  const metrics = (...names: string[]) => names.map(metricByName);
  /** Groups of 4 rows whose shares differ, one a fold. */
  const folds = [0, 1, 2].map((group) => {
    const inGroup = (row: number): boolean => Math.floor(row / 4) === group;
    const all = [...Array(12).keys()];
    return fold(
      all.filter((row) => !inGroup(row)),
      all.filter(inGroup),
    );
  });

  it("rank no row before another, however the folds' shares differ", () => {
    const target = Float64Array.of(0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1);
    const rows = { weights: null, folds, rows: 12, target };
    const { best: two } = baselines(
      { ...rows, task: task("binclass", ["a", "b"]) },
      metrics("roc_auc", "average_precision"),
    );
    expect(two["roc_auc"]).toEqual({ answer: "one answer for all rows", score: 0.5 });
    expect(two["average_precision"].score).toBe(0.5);
    const { best: three } = baselines(
      {
        ...rows,
        task: task("multiclass", ["a", "b", "c"]),
        target: target.map((k, row) => (row === 3 || row === 9 ? 2 : k)),
      },
      metrics("roc_auc"),
    );
    expect(three["roc_auc"]).toEqual({ answer: "one answer for all rows", score: 0.5 });
  });

  it("are the positive class alone where its f1 is scored", () => {
    const target = Float64Array.of(0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0);
    const rows = { weights: null, folds, rows: 12, target, task: task("binclass", ["a", "b"]) };
    const { best } = baselines(rows, metrics("f1", "accuracy"));
    // A quarter of the rows: 2 × 1/4 ÷ (1 + 1/4).
    expect(best["f1"]).toEqual({ answer: 'the class "b"', score: 0.4 });
    expect(best["accuracy"]).toEqual({ answer: "the most frequent class", score: 0.75 });
  });
});
