import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { mase } from "../metrics/mase.ts";
import { crossFits } from "./labelled-rows.ts";
import { noteOfLuck } from "./luck-of-choice.ts";

const WINDOWS = 3;
const STEPS = 4;

/** Candidates that are off by the same at each step of a window, by as much as told, and a blend that is. */
function requestOf(
  errors: readonly (readonly number[])[],
  blend: readonly number[],
  folds = WINDOWS,
) {
  const rows = Array.from({ length: WINDOWS * STEPS }, (_, row) => row);
  const window = Uint32Array.from(rows, (row) => Math.floor(row / STEPS));
  const ones = Float64Array.from(rows, () => 1);
  const values = (byWindow: readonly number[]) => Float64Array.from(window, (w) => byWindow[w]);
  const none = Number.POSITIVE_INFINITY;
  return {
    predictions: errors.map(values),
    rows: {
      target: Float64Array.from(rows, () => 0),
      ...{ weights: null, outputs: 1 },
      series: {
        ...{
          group: window,
          series: window.map(() => 0),
          window,
          step: window.map((_, i) => i % STEPS),
        },
        ...{ scale: ones, squaredScale: ones, recentScale: ones, reference: ones },
        ...{ least: ones.map(() => -none), most: ones.map(() => none) },
      },
    },
    folds: crossFits(new Array<number>(folds).fill((WINDOWS * STEPS) / folds)),
    blended: values(blend),
    metric: mase,
  };
}

it("tells what the best trial owes to the windows that chose it", () => {
  // The first is the best of all, and of no two windows.
  const errors = [
    [2, 2, 2],
    [9, 1, 1],
    [1, 9, 1],
    [1, 1, 9],
  ];
  const note = noteOfLuck(requestOf(errors, [3, 3, 3]));
  expect(note).toContain("has mase 2.00, the mean over the 3 windows, but");
  expect(note).toContain("best in the others, the mean is 9.00. The blend's 3.00 is");
});

it("says nothing where no trial seems better, and of parts that are no windows", () => {
  const random = new CounterRandom(deriveKey(1, "luck"));
  const errors = Array.from({ length: 8 }, () =>
    Array.from({ length: WINDOWS }, () => 1 + random.nextFloat()),
  );
  expect(noteOfLuck(requestOf(errors, [1, 1, 1]))).toBeNull();
  expect(noteOfLuck(requestOf(errors, [9, 9, 9]))).not.toBeNull();
  expect(noteOfLuck(requestOf(errors, [9, 9, 9], 4))).toBeNull();
  expect(noteOfLuck(requestOf(errors, [9, 9, 9], 1))).toBeNull();
});

it("says nothing where no trial has a score", () => {
  const none = new Array<number>(WINDOWS).fill(Number.NaN);
  expect(noteOfLuck(requestOf([none, none], [9, 9, 9]))).toBeNull();
});

it("tells means over windows, as trials are ranked by, where these have unlike numbers of rows", () => {
  const request = requestOf(
    [
      [1, 4, 4],
      [3, 3, 3],
    ],
    [5, 5, 5],
  );
  // Of ten, one and one row.
  const folds = [10, 1, 1];
  const window = Uint32Array.from(folds.flatMap((size, w) => Array<number>(size).fill(w)));
  const values = (byWindow: readonly number[]) => Float64Array.from(window, (w) => byWindow[w]);
  const { rows } = request;
  const note = noteOfLuck({
    ...request,
    folds: crossFits(folds),
    rows: { ...rows, series: { ...rows.series, group: window, window } },
    predictions: [values([1, 4, 4]), values([3, 3, 3])],
    blended: values([5, 5, 5]),
  });
  expect(note).toContain("has mase 3.00, the mean over the 3 windows");
  // The first of them is forecast by the second trial, the others by the first one.
  expect(note).toContain(`the mean is ${((3 + 4 + 4) / 3).toPrecision(3)}`);
});
