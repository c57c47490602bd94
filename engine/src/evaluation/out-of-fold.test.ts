import { describe, expect, it } from "vitest";
import type { Task } from "../tasks/index.ts";
import { compareOutOfFold, type HeldOutPredictions } from "./out-of-fold.ts";

const REGRESSION: Task = { kind: "regression", classes: [] };
const ROWS = 400;
const noise = (row: number, seed: number): number => Math.sin((row + 1) * 12.9898 * seed) % 1;
const truth = (row: number): number => row % 17;

/** Of the rows in that order, off by noise of that size; five folds of equal size, one after the other. */
function model(
  id: string,
  { rows = Array.from({ length: ROWS }, (_, row) => row), off = 1, seed = 1 } = {},
): HeldOutPredictions {
  const fold = (place: number): number => Math.floor((place * 5) / rows.length);
  return {
    id,
    rows: {
      rows: Uint32Array.from(rows),
      target: Float64Array.from(rows, truth),
      weights: null,
      fold: Uint32Array.from(rows, (_, place) => fold(place)),
    },
    predictions: Float64Array.from(rows, (row) => truth(row) + off * noise(row, seed)),
    labels: null,
  };
}

const compare = (one: HeldOutPredictions, other: HeldOutPredictions) =>
  compareOutOfFold({ task: REGRESSION, metrics: ["rmse"], models: [one, other] });

describe("two models on rows that both held out", () => {
  it("differ by what their scores differ by, with an interval that tells the better one", () => {
    const found = compare(model("a"), model("b", { off: 0.5, seed: 3 }));
    const [one, other] = found.scores.map((scores) => scores["rmse"] ?? Number.NaN);
    const [comparison] = found.comparisons;
    expect(comparison).toMatchObject({ model: "b", against: "a", metric: "rmse", betterShare: 1 });
    expect(comparison?.difference).toBeCloseTo((other ?? 0) - (one ?? 0), 12);
    const [low, high] = comparison?.interval ?? [0, 0];
    expect(low).toBeLessThan(comparison?.difference ?? 0);
    expect(high).toBeLessThan(0);
    expect(found).toMatchObject({ rows: ROWS, rowsOf: [ROWS, ROWS], sameFolds: true });
  });

  it("is the same whatever the order in which each has the rows, but for the folds", () => {
    const backwards = Array.from({ length: ROWS }, (_, place) => ROWS - 1 - place);
    const same = compare(model("a"), model("b", { off: 0.9, seed: 2 }));
    const turned = compare(model("a"), model("b", { off: 0.9, seed: 2, rows: backwards }));
    expect(turned.comparisons).toEqual(same.comparisons);
    // The same folds, with other numbers.
    expect(turned.sameFolds).toBe(true);
    const mixed = Array.from({ length: ROWS }, (_, place) => (place * 7) % ROWS);
    expect(compare(model("a"), model("b", { rows: mixed })).sameFolds).toBe(false);
  });

  it("of a model and itself cannot be told apart", () => {
    const [comparison] = compare(model("a"), model("b")).comparisons;
    expect(comparison).toMatchObject({ difference: 0, interval: [0, 0], betterShare: 0.5 });
  });

  it("are the rows that both have", () => {
    const even = Array.from({ length: ROWS / 2 }, (_, place) => 2 * place);
    const late = Array.from({ length: ROWS / 2 }, (_, place) => ROWS / 2 + place);
    const found = compare(model("a", { rows: even }), model("b", { rows: late }));
    expect(found).toMatchObject({ rows: ROWS / 4, rowsOf: [ROWS / 2, ROWS / 2], sameFolds: false });
  });

  it("are none where nothing can be said", () => {
    const odd = Array.from({ length: 50 }, (_, place) => 2 * place + 1);
    const even = odd.map((row) => row - 1);
    expect(() => compare(model("a", { rows: odd }), model("b", { rows: even }))).toThrow(
      "no row in common",
    );
    const merged = model("b");
    merged.rows.target[7] = 99;
    expect(() => compare(model("a"), merged)).toThrow("What is to be predicted of some rows");
    const weighed = {
      ...model("b"),
      rows: { ...model("b").rows, weights: new Float64Array(ROWS) },
    };
    expect(() => compare(model("a"), weighed)).toThrow("weigh rows differently");
  });
});

it("reads the labels of two classes that were said by a threshold", () => {
  const rows = Array.from({ length: 100 }, (_, row) => row);
  const said = (id: string, label: (row: number) => number): HeldOutPredictions => ({
    ...model(id, { rows }),
    rows: { ...model(id, { rows }).rows, target: Float64Array.from(rows, (row) => row % 2) },
    predictions: Float64Array.from(rows, () => 0.3),
    labels: Float64Array.from(rows, label),
  });
  const { scores } = compareOutOfFold({
    task: { kind: "binclass", classes: ["no", "yes"] },
    metrics: ["accuracy"],
    models: [said("a", () => 1), said("b", (row) => row % 2)],
  });
  expect(scores.map((each) => each["accuracy"])).toEqual([0.5, 1]);
});
