import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { studentQuantile } from "../compute/student-t.ts";
import { likelyQuantile, likelySize, sizesOf } from "./usual-errors.ts";

const SCOPE = { horizon: 12, season: 12 };

describe("the size of errors to come", () => {
  it("lies between that of the errors seen and the usual one, the nearer to theirs the more they are worth", () => {
    const mean = fc.double({ min: 0.01, max: 100, noNaN: true });
    const worths = fc.tuple(
      fc.double({ min: 1, max: 100, noNaN: true }),
      fc.double({ min: 1, max: 100, noNaN: true }),
    );
    const usual = likelySize(1, 0, SCOPE);
    fc.assert(
      fc.property(mean, worths, (size, [a, b]) => {
        const [few, many] = [Math.min(a, b), Math.max(a, b)].map((worth) =>
          Math.abs(Math.log(likelySize(size, worth, SCOPE) / size)),
        );
        expect(many).toBeLessThanOrEqual(few + 1e-12);
        const likely = likelySize(size, a, SCOPE);
        expect((likely - size) * (likely - usual)).toBeLessThanOrEqual(1e-9);
      }),
    );
  });

  it("is larger of forecasts of several seasons", () => {
    expect(likelySize(1, 0, { horizon: 24, season: 12 })).toBeGreaterThan(likelySize(1, 0, SCOPE));
    expect(likelySize(1, 0, { horizon: 24, season: 1 })).toBeGreaterThan(1);
  });
});

describe("quantiles of errors to come", () => {
  it("are those of Student's t with 4 degrees of freedom where nothing is told, and wider", () => {
    for (const level of [0.005, 0.05, 0.25, 0.75, 0.9, 0.995]) {
      expect(likelyQuantile(null, level, 1e9) / studentQuantile(level, 4)).toBeCloseTo(1.15, 6);
      expect(Math.abs(likelyQuantile(null, level, 1))).toBeGreaterThan(
        Math.abs(likelyQuantile(null, level, 10)),
      );
    }
    expect(likelyQuantile(null, 0.5, 3)).toBeCloseTo(0, 9);
    expect(likelyQuantile(2, 0.9, 1e9)).toBeCloseTo(2, 6);
  });
});

describe("what errors are worth", () => {
  const random = new CounterRandom(deriveKey(1, "worth"));
  const STEPS = 12;
  /** @param own how large errors are in each window, one a window */
  const rowsOf = (own: readonly number[]) => {
    const ratios = Float64Array.from(
      own.flatMap((size) =>
        Array.from({ length: STEPS }, () => size * (1 + 0.1 * random.nextFloat())),
      ),
    );
    const step = Uint32Array.from(ratios, (_, i) => i % STEPS);
    const window = Uint32Array.from(ratios, (_, i) => Math.floor(i / STEPS));
    return { ratios, counted: { weights: null, step, window } };
  };

  it("is one a window where the errors of each are alike, and all of them where they are not", () => {
    const alike = rowsOf([1, 2, 3, 5, 8, 13]);
    expect(sizesOf(alike.ratios, alike.counted).worth).toBeCloseTo(6, 0);
    const same = rowsOf(new Array<number>(40).fill(1));
    expect(sizesOf(same.ratios, same.counted).worth).toBeGreaterThan(100);
  });

  it("is one for the window of a single series, and bounded for one of many", () => {
    const { ratios, counted } = rowsOf([4]);
    expect(sizesOf(ratios, counted).worth).toBeCloseTo(1, 9);
    const many = rowsOf(Array.from({ length: 500 }, (_, i) => 1 + (i % 7)));
    const window = many.counted.window.map(() => 0);
    const { worth } = sizesOf(many.ratios, { ...many.counted, window });
    expect(worth).toBeGreaterThan(10);
    expect(worth).toBeLessThan(21);
  });
});
