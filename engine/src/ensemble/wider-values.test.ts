import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { type CrossFit, crossFits, type LabelledRows } from "./labelled-rows.ts";
import { fitWiderValues } from "./wider-values.ts";

const ROWS = 900;
const folds = crossFits([300, 300, 300]);

/** Labels about 10, and values that have `kept` of their distances from it. */
function narrow(kept: number, rows = ROWS) {
  const random = new CounterRandom(deriveKey(1, "narrow"));
  const truth = Float64Array.from({ length: rows }, () => 10 + 2 * random.nextGaussian());
  return {
    averaged: truth.map((value) => 10 + kept * (value - 10)),
    rows: { target: truth.map((y) => y + random.nextGaussian()), weights: null, outputs: 1 },
  };
}

/** Of one candidate, which has all the weight. */
const widerOf = ({ averaged, rows, folds: of = folds }: WiderOfOne) =>
  fitWiderValues({
    ...{ predictions: [averaged], rows, folds: of },
    ...{ weights: [1], byFold: of.map(() => [1]) },
  });

interface WiderOfOne {
  readonly averaged: Float64Array;
  readonly rows: LabelledRows;
  readonly folds?: readonly CrossFit[];
}

const squares = (target: Float64Array, values: Float64Array): number =>
  target.reduce((sum, y, i) => sum + (y - values[i]) ** 2, 0);

describe("wider values", () => {
  const { averaged, rows } = narrow(0.8);
  const fitted = widerOf({ rows, folds, averaged });

  it("have the slope of least squares and of its law, as a fine grid finds it", () => {
    const middle = averaged.reduce((sum, value) => sum + value, 0) / ROWS;
    const middleOfTargets = rows.target.reduce((sum, y) => sum + y, 0) / ROWS;
    const noise = squares(rows.target, averaged) / ROWS;
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let slope = 0.9; slope < 1.4; slope += 0.001) {
      const wider = averaged.map((value) => middleOfTargets + slope * (value - middle));
      const loss = squares(rows.target, wider) + noise * ((slope - 1) / 0.1) ** 2;
      if (loss < least) [best, least] = [slope, loss];
    }
    expect(best).toBeGreaterThan(1.15);
    expect(fitted?.slope).toBeCloseTo(best, 2);
    // About the values' own mean.
    expect((fitted?.slope ?? 0) * middle + (fitted?.intercept ?? 0)).toBeCloseTo(middle, 9);
  });

  it("are nearer to rows that they were not fitted on", () => {
    const crossFitted = fitted?.crossFitted ?? averaged;
    expect(squares(rows.target, crossFitted)).toBeLessThan(squares(rows.target, averaged));
  });

  it("of a fold's rows are by the others", () => {
    const target = rows.target.map((y, i) => (i < 300 ? 20 - y : y));
    const other = widerOf({ rows: { ...rows, target }, folds, averaged });
    expect(other?.crossFitted.subarray(0, 300)).toEqual(fitted?.crossFitted.subarray(0, 300));
    expect(other?.slope).toBeLessThan(fitted?.slope ?? 0);
  });

  it("count rows by their weights", () => {
    const target = rows.target.map((y, i) => (i < 300 ? 20 - y : y));
    const weights = target.map((_, i) => (i < 300 ? 0 : 1));
    const weighed = widerOf({ rows: { target, weights, outputs: 1 }, folds, averaged });
    expect(weighed?.slope).toBeGreaterThan(1.15);
  });

  it("are hardly other ones of few rows", () => {
    const few = narrow(0.8, 9);
    const small = widerOf({ ...few, folds: crossFits([3, 3, 3]) });
    expect(Math.abs((small?.slope ?? 0) - 1)).toBeLessThan(0.15);
  });

  it("are never turned round, however much they go against the labels", () => {
    const target = rows.target.map((y) => 20 - y);
    const against = widerOf({ rows: { ...rows, target }, folds, averaged });
    expect(against?.slope).toBe(0.05);
    const spread = (values: Float64Array) => Math.max(...values) - Math.min(...values);
    const kept = against?.crossFitted ?? averaged;
    expect(spread(kept)).toBeLessThan(0.1 * spread(averaged));
    expect(squares(target, kept)).toBeLessThan(squares(target, averaged));
  });

  it("do not change a sign that labels never do", () => {
    const away = Math.min(...averaged) - 1e-3;
    const moved = averaged.map((value) => value - away);
    const target = moved.map((value) => 1.5 * value);
    expect(widerOf({ rows: { ...rows, target }, folds, averaged: moved })).toBeNull();
    const below = { ...rows, target: target.map((y) => -y) };
    expect(widerOf({ rows: below, folds, averaged: moved.map((v) => -v) })).toBeNull();
    // Where labels are of both signs, values may be.
    const both = { ...rows, target: target.map((y, i) => (i === 0 ? -y : y)) };
    expect(widerOf({ rows: both, folds, averaged: moved })?.slope).toBeGreaterThan(1.1);
  });

  it("are those of the model's weights, and of each fold's for its rows", () => {
    const { averaged: good, rows: own } = narrow(0.9);
    // Of a candidate that is better but for one row, far off, which weights that do not know it fall for.
    const better = own.target.map((y, i) => (i === 7 ? -400 : y + 0.9 * (good[i] - y)));
    const request = { predictions: [good, better], rows: own, folds };
    const weights = [1, 0];
    const byFold = [
      [0, 1],
      [1, 0],
      [1, 0],
    ];
    const found = fitWiderValues({ ...request, weights, byFold });
    expect(found?.slope).toBe(widerOf({ averaged: good, rows: own })?.slope);
    expect(found?.slope).toBeGreaterThan(1);
    const ofBetter = fitWiderValues({
      ...request,
      weights: [0, 1],
      byFold: folds.map(() => [0, 1]),
    });
    expect(found?.crossFitted.subarray(0, 300)).toEqual(ofBetter?.crossFitted.subarray(0, 300));
  });
});
