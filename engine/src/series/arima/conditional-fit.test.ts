import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimiseBfgs } from "../optimise/bfgs.ts";
import { withDifferences } from "../optimise/differences.ts";
import {
  type ConditionalModel,
  type ConditionalSizes,
  minimiseConditional,
} from "./conditional-fit.ts";
import { fromPartials, multiplySeasonal } from "./polynomials.ts";

const SEASON = 4;
const WEIGHT = 4;

/** Reads numbers as `fitOrder` does. */
function reader([p, seasonalP, q, seasonalQ, constant]: ConditionalSizes) {
  return (x: Float64Array): ConditionalModel => {
    let at = 0;
    const take = (size: number): Float64Array => {
      at += size;
      return fromPartials(x.subarray(at - size, at).map(Math.tanh));
    };
    return {
      ar: take(p),
      seasonalAr: take(seasonalP),
      ma: take(q).map((value) => -value),
      seasonalMa: take(seasonalQ).map((value) => -value),
      mean: constant === 1 ? x[at] : 0,
    };
  };
}

/** The definition, error by error over all lags. */
function slowLoss(values: Float64Array, model: ConditionalModel): number {
  const ar = multiplySeasonal(model.ar, model.seasonalAr, SEASON);
  const minus = (part: Float64Array): Float64Array => part.map((value) => -value);
  const ma = minus(multiplySeasonal(minus(model.ma), minus(model.seasonalMa), SEASON));
  const first = Math.min(ar.length, values.length - 3);
  const errors = new Float64Array(values.length);
  let squares = 0;
  for (let t = first; t < values.length; t++) {
    errors[t] = values[t] - model.mean;
    ar.forEach((value, i) => {
      if (i < t) errors[t] -= value * (values[t - i - 1] - model.mean);
    });
    ma.forEach((value, i) => {
      if (i < t) errors[t] -= value * errors[t - i - 1];
    });
    squares += errors[t] ** 2;
  }
  return Math.log(squares / (values.length - first));
}

describe("the conditional sum of squares", () => {
  const size = fc.integer({ min: 0, max: 2 });
  const small = fc.integer({ min: 0, max: 1 });
  const value = fc.double({ min: -3, max: 3, noNaN: true });

  it("is as by definition, and its minimum no higher than by differences and BFGS", () => {
    let behind = 0;
    let runs = 0;
    fc.assert(
      fc.property(
        fc.tuple(size, small, size, small, small),
        fc.array(value, { minLength: 24, maxLength: 60 }),
        (sizes, list) => {
          const values = Float64Array.from(list, (each, t) => each + Math.sin(3 * t * t));
          const read = reader(sizes);
          const count = sizes.reduce((sum, each) => sum + each, 0);
          const draw = (x: Float64Array): number => {
            let sum = 0;
            for (let i = 0; i < count - sizes[4]; i++) sum += Math.log(Math.cosh(x[i]));
            return (WEIGHT * sum) / values.length;
          };
          const slow = (x: Float64Array): number => slowLoss(values, read(x)) + draw(x);
          const start = new Float64Array(count);
          const found = minimiseConditional(
            {
              ...{ values, seasonLength: SEASON, sizes, read, weight: WEIGHT },
              ...{ tolerance: 1e-9, maxIterations: 60 },
            },
            start,
          );
          expect(found).not.toBeNull();
          expect(found!.value).toBeCloseTo(slow(found!.x), 8);
          expect(found!.value).toBeLessThanOrEqual(slow(start) + 1e-9);
          if (count === 0) return;
          const other = minimiseBfgs(withDifferences(slow, 1e-6), start, {
            ...{ maxIterations: 100, tolerance: 1e-10, firstStep: 0.3 },
          });
          runs++;
          if (found!.value > other.value + 1e-4) behind++;
        },
      ),
      { numRuns: 80, seed: 4 },
    );
    // Sums of squares of moving averages have several minima.
    expect(behind / runs).toBeLessThan(0.15);
  });
});
