import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { crossFits, type LabelledRows } from "./labelled-rows.ts";
import { fitMedianValues } from "./median-values.ts";

const ROWS = 900;
const folds = crossFits([300, 300, 300]);
const mae = metricByName("mae");

/** Means, and labels about them by a law of that skew: their medians are smaller by `ratio`. */
function skewed(deviation: number, shift = 0, rows = ROWS) {
  const random = new CounterRandom(deriveKey(1, "skewed"));
  const means = Float64Array.from({ length: rows }, () => 1 + 9 * random.nextFloat());
  const target = means.map(
    (mean) => shift + mean * Math.exp(deviation * random.nextGaussian() - deviation ** 2 / 2),
  );
  return {
    ratio: Math.exp(-(deviation ** 2) / 2),
    averaged: means.map((mean) => mean + shift),
    rows: { target, weights: null, outputs: 1 },
  };
}

const movedOf = (
  { averaged, rows }: { readonly averaged: Float64Array; readonly rows: LabelledRows },
  metric = mae,
) =>
  fitMedianValues({
    ...{ predictions: [averaged], rows, folds, metric },
    ...{ weights: [1], byFold: folds.map(() => [1]) },
  });

const errors = (target: Float64Array, values: Float64Array): number =>
  target.reduce((sum, y, i) => sum + Math.abs(y - values[i]), 0);

describe("median values", () => {
  it("lie at the medians of skewed labels", () => {
    const given = skewed(1);
    const moved = movedOf(given);
    expect(moved?.slope).toBeCloseTo(given.ratio, 1);
    const { target } = given.rows;
    expect(errors(target, moved?.crossFitted ?? target)).toBeLessThan(
      0.95 * errors(target, given.averaged),
    );
    expect(moved?.crossFitted.every((value) => value >= 0)).toBe(true);
  });

  it("have no smaller errors by any other line near theirs", () => {
    const { averaged, rows } = skewed(1, -20);
    const moved = movedOf({ averaged, rows });
    if (moved === null) throw new Error("Values of skewed labels were left as they are.");
    const lossOf = (slope: number, intercept: number): number =>
      errors(
        rows.target,
        averaged.map((value) => slope * value + intercept),
      );
    const least = lossOf(moved.slope, moved.intercept);
    fc.assert(
      fc.property(
        fc.double({ min: -0.3, max: 0.3, noNaN: true }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        (slope, intercept) => {
          expect(lossOf(moved.slope + slope, moved.intercept + intercept)).toBeGreaterThan(
            least * (1 - 1e-6),
          );
        },
      ),
    );
  });

  it("of a fold's rows are by the others", () => {
    const given = skewed(1);
    const before = movedOf(given)?.crossFitted;
    const target = given.rows.target.map((y, row) => (row < 300 ? 0.8 * y : y));
    const after = movedOf({ ...given, rows: { ...given.rows, target } })?.crossFitted;
    expect(after?.slice(0, 300)).toEqual(before?.slice(0, 300));
    expect(after?.slice(300)).not.toEqual(before?.slice(300));
  });

  it("are those that they were where labels have no skew", () => {
    const random = new CounterRandom(deriveKey(2, "even"));
    const averaged = Float64Array.from({ length: ROWS }, () => 10 * random.nextFloat());
    const target = averaged.map((value) => value + random.nextGaussian());
    expect(movedOf({ averaged, rows: { target, weights: null, outputs: 1 } })).toBeNull();
  });

  it("heed no rows without weight", () => {
    const { averaged, rows } = skewed(1);
    const weights = Float64Array.from(averaged, (_, row) => (row % 2 === 0 ? 1 : 0));
    const [one, other] = [1e6, -1e6].map((odd) =>
      movedOf({
        averaged,
        rows: { ...rows, weights, target: rows.target.map((y, row) => (row % 2 === 0 ? y : odd)) },
      }),
    );
    expect(one?.slope).toBeLessThan(0.8);
    expect(one?.slope).toBe(other?.slope);
  });

  it("have small relative errors for mape, which are least far below the mean", () => {
    const { averaged, rows } = skewed(1);
    const mape = metricByName("mape");
    const moved = movedOf({ averaged, rows }, mape)?.crossFitted ?? averaged;
    expect(mape.score({ ...rows, predictions: moved })).toBeLessThan(
      0.6 * mape.score({ ...rows, predictions: averaged }),
    );
  });
});
