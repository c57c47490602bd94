import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { recentScaleOf, scaleOf } from "../data/series-history.ts";
import { ForecastErrors, nearerMore } from "./forecast-errors.ts";

const HORIZON = 5;
const SCOPE = { horizon: HORIZON, season: 1 };

/** Errors whose size is that of their window. */
function errorsOf(sizes: readonly number[], each: number) {
  const random = new CounterRandom(deriveKey(1, "errors"));
  const places = sizes.flatMap((size, window) =>
    Array.from({ length: each }, (_, i) => ({ size, window, step: i % HORIZON })),
  );
  return {
    target: Float64Array.from(places, ({ size }) => size * random.nextGaussian()),
    predictions: new Float64Array(places.length),
    weights: null,
    scale: new Float64Array(places.length).fill(1),
    step: Uint32Array.from(places, ({ step }) => step),
    window: Uint32Array.from(places, ({ window }) => window),
  };
}

const widthOf = (rows: ReturnType<typeof errorsOf>, asked: number): number => {
  const errors = new ForecastErrors(nearerMore(rows, asked), SCOPE);
  return (errors.quantile(0.95) - errors.quantile(0.05)) * errors.unit(1, 0);
};

describe("errors of windows", () => {
  it("count the more, the nearer these are to the window that is forecast", () => {
    const rows = errorsOf([3, 2, 1], 1000);
    const plain = new ForecastErrors(rows, SCOPE);
    const alike = (plain.quantile(0.95) - plain.quantile(0.05)) * plain.unit(1, 0);
    expect(widthOf(rows, 3)).toBeLessThan(0.95 * alike);
    expect(widthOf(rows, 0)).toBeGreaterThan(1.05 * alike);
  });

  it("count alike where a window has few rows, or is the only one", () => {
    for (const rows of [errorsOf([3, 2, 1], 199), errorsOf([2], 1000)]) {
      expect(nearerMore(rows, 3)).toBe(rows);
    }
  });

  it("keep rows of weight 0 out", () => {
    const rows = errorsOf([3, 1], 500);
    const weights = rows.target.map((_, i) => Number(i % 2 === 0));
    const { weights: weighed } = nearerMore({ ...rows, weights }, 2);
    expect([...(weighed ?? [])]).toEqual([...weights].map((w, i) => (i < 500 ? w / 4 : w / 2)));
  });
});

describe("the scale of the recent past", () => {
  it("is the mean of changes, half as much each season or horizon before the end", () => {
    const history = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 10, maxLength: 40 });
    const lengths = fc.record({
      season: fc.constantFrom(1, 4),
      horizon: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(history, lengths, (values, { season, horizon }) => {
        const past = Float64Array.from(values);
        const half = Math.max(season, horizon);
        fc.pre(past.slice(-2 * half).some((value) => value !== past.at(-1)));
        let [sum, total] = [0, 0];
        for (let i = season; i < past.length; i++) {
          const weight = 2 ** (-(past.length - 1 - i) / half);
          sum += weight * Math.abs(past[i] - past[i - season]);
          total += weight;
        }
        fc.pre(sum / total > 0.1 * scaleOf(past, season).absolute);
        expect(recentScaleOf(past, season, horizon)).toBeCloseTo(sum / total, 9);
      }),
    );
  });

  it("does not rest on the one or two changes of hardly more than a season", () => {
    const values = [50, 57, 46, 53, 44, 59, 48, 50.1];
    const scale = recentScaleOf(Float64Array.from(values), 7, 14);
    expect(scale).toBeGreaterThan(5);
    // A season later they tell it.
    const twice = Float64Array.from([...values.slice(0, 7), ...values.slice(0, 7)]);
    expect(
      recentScaleOf(
        twice.map((value, i) => value + 0.1 * i),
        7,
        14,
      ),
    ).toBeCloseTo(0.7, 6);
  });

  it("is, at rest, what the series moved by before, times how likely it moves again", () => {
    const moving = Array.from({ length: 20 }, (_, i) => i % 5);
    for (const still of [8, 40, 380]) {
      const rested = Float64Array.from([...moving, ...Array<number>(still - 1).fill(4)]);
      const before = scaleOf(Float64Array.from(moving), 4).absolute;
      expect(recentScaleOf(rested, 4, 4)).toBeCloseTo((before * 4) / (still + 4), 12);
      // Moved again, it is as other series are.
      const again = Float64Array.from([...rested, 0]);
      expect(recentScaleOf(again, 4, 4)).toBeGreaterThan(0.1 * scaleOf(again, 4).absolute);
    }
  });

  it("of a constant series falls as it goes on, and is positive whatever comes", () => {
    const of = (value: number, count: number): number =>
      recentScaleOf(new Float64Array(count).fill(value), 7, 14);
    expect(of(5, 14)).toBeCloseTo(2.5, 12);
    expect(of(5, 150)).toBeCloseTo((5 * 14) / 164, 12);
    expect(of(0, 150)).toBeCloseTo(14 / 164, 12);
    expect(of(-5, 150)).toBe(of(5, 150));
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 1, 2), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (values, season, horizon) => {
          expect(recentScaleOf(Float64Array.from(values), season, horizon)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
