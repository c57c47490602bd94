import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minimiseBfgs } from "./bfgs.ts";
import { minimiseScalar } from "./scalar-minimum.ts";

describe("minimiseBfgs", () => {
  const options = { maxIterations: 500, tolerance: 1e-14, firstStep: 1 };

  it("finds the minimum of Rosenbrock's valley", () => {
    const found = minimiseBfgs(
      (x, gradient) => {
        const [a, b] = [1 - x[0], x[1] - x[0] * x[0]];
        gradient[0] = -2 * a - 400 * x[0] * b;
        gradient[1] = 200 * b;
        return a * a + 100 * b * b;
      },
      Float64Array.of(-1.2, 1),
      options,
    );
    expect(found.x[0]).toBeCloseTo(1, 5);
    expect(found.x[1]).toBeCloseTo(1, 5);
  });

  it("finds the minimum of any bowl, and never ends above its start", () => {
    const numbers = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(numbers, numbers, (centre, start) => {
        const bowl = (x: Float64Array, gradient: Float64Array): number => {
          let sum = 0;
          for (let i = 0; i < 4; i++) {
            const d = x[i] - centre[i];
            sum += 10 ** (i - 1) * d * d;
            gradient[i] = 2 * 10 ** (i - 1) * d;
          }
          return sum;
        };
        const { x, value } = minimiseBfgs(bowl, Float64Array.from(start), options);
        expect(value).toBeLessThan(1e-6);
        x.forEach((each, i) => {
          expect(each).toBeCloseTo(centre[i], 2);
        });
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it("stays where the objective is finite", () => {
    const found = minimiseBfgs(
      (x, gradient) => {
        if (x[0] <= 0) return Number.POSITIVE_INFINITY;
        gradient[0] = 1 - 1 / x[0];
        return x[0] - Math.log(x[0]);
      },
      Float64Array.of(5),
      options,
    );
    expect(found.x[0]).toBeCloseTo(1, 6);
  });
});

describe("minimiseScalar", () => {
  it("finds the minimum that it walks down to, at a bound too", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -2, max: 3, noNaN: true }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        (centre, start) => {
          const search = { low: -1, high: 2, start, step: 0.1, tolerance: 1e-6 };
          const found = minimiseScalar((x) => (x - centre) ** 2, search);
          expect(found).toBeCloseTo(Math.min(2, Math.max(-1, centre)), 4);
        },
      ),
      { numRuns: 200, seed: 2 },
    );
  });

  it("takes the nearer of two minima", () => {
    const wave = (x: number): number => Math.cos(x);
    const search = { low: 0, high: 12, step: 0.3, tolerance: 1e-7 };
    expect(minimiseScalar(wave, { ...search, start: 1 })).toBeCloseTo(Math.PI, 5);
    expect(minimiseScalar(wave, { ...search, start: 11 })).toBeCloseTo(3 * Math.PI, 5);
  });
});
