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
  expect(note).toContain(
    "has mase 2.000 over the 3 windows that it was chosen by, and 9.000 where",
  );
  expect(note).toContain("the blend's 3.000");
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
