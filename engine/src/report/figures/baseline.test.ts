import { describe, expect, it } from "vitest";
import { metricByName } from "../../metrics/index.ts";
import type { Task } from "../../tasks/task.ts";
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
    const { rmse, mae } = baselines(rows, [metricByName("rmse"), metricByName("mae")]);
    // The means and medians of [0, 10] and [0, 0] are 5 and 0.
    expect(rmse).toEqual({ answer: "the mean", score: Math.sqrt((5 ** 2 + 10 ** 2) / 2) });
    expect(mae).toEqual({ answer: "the mean", score: 7.5 });
  });

  it("are the strongest by each metric", () => {
    const target = Float64Array.of(1, 1, 1, 1, 100, 1, 1, 1, 1, 100);
    const halves = [fold([0, 1, 2, 3, 4], [5, 6, 7, 8, 9]), fold([5, 6, 7, 8, 9], [0, 1, 2, 3, 4])];
    const rows = { task: task("regression"), target, weights: null, folds: halves, rows: 10 };
    const found = baselines(rows, [metricByName("mae"), metricByName("r2")]);
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
    expect(baselines(rows, [metricByName("mae")])["mae"]).toEqual({ answer: "the mean", score: 5 });
  });

  it("are the classes' shares, and the most frequent class where labels are scored", () => {
    const two = {
      task: task("binclass", ["a", "b"]),
      target: Float64Array.of(0, 0, 0, 1, 0, 1),
      weights: null,
      folds: [fold([0, 1, 2, 3], [4, 5])],
      rows: 6,
    };
    const found = baselines(two, [metricByName("log_loss"), metricByName("accuracy")]);
    expect(found["log_loss"]?.answer).toBe("the classes' shares");
    expect(found["log_loss"]?.score).toBeCloseTo(-(Math.log(0.75) + Math.log(0.25)) / 2, 12);
    expect(found["accuracy"]).toEqual({ answer: "the most frequent class", score: 0.5 });
    const three = {
      ...two,
      task: task("multiclass", ["a", "b", "c"]),
      target: Float64Array.of(0, 1, 2, 2, 2, 0),
    };
    expect(baselines(three, [metricByName("accuracy")])["accuracy"]?.score).toBe(0.5);
  });
});
