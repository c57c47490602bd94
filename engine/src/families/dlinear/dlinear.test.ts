/** Windows beside their plain definition, maps beside scikit-learn's, and what forecasts keep to. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleOf } from "../../data/series-history.ts";
import { loadLinearMap } from "./model.ts";
import { fitRidgeMap, Moments } from "./ridge-map.ts";
import { anchorOf, type WindowShape, windowWidth, writeWindow } from "./windows.ts";

interface Fixture {
  readonly penalty: number;
  readonly values: readonly number[];
  readonly cases: readonly { lookback: number; trend: number; forecast: readonly number[] }[];
}
const fixture: Fixture = JSON.parse(
  readFileSync(new URL("dlinear.fixture.json", import.meta.url), "utf8"),
);

function windowOf(shape: WindowShape, history: Float64Array, end: number, unit: number) {
  const out = new Float64Array(windowWidth(shape));
  writeWindow(shape, history, end, unit, out);
  return out;
}

const value = fc.double({ min: -1e3, max: 1e3, noNaN: true });
const histories = fc.array(value, { minLength: 1, maxLength: 40 }).map((v) => Float64Array.from(v));
const shapes = fc.record({
  lookback: fc.integer({ min: 1, max: 30 }),
  trend: fc.integer({ min: 1, max: 12 }),
  anchor: fc.constantFrom("last" as const, "season" as const),
  season: fc.integer({ min: 1, max: 9 }),
});

describe("a window", () => {
  it("is its moving average and the rest, by the plain definition", () => {
    fc.assert(
      fc.property(histories, shapes, (history, shape) => {
        const { lookback, trend } = shape;
        const end = history.length;
        const past = Array.from({ length: lookback }, (_, i) => {
          const at = Math.max(0, end - lookback + i);
          return (history[at] - history[end - 1]) / 2;
        });
        const before = Math.floor((trend - 1) / 2);
        const average = past.map((_, i) => {
          const around = Array.from({ length: trend }, (_each, k) => {
            return past[Math.min(lookback - 1, Math.max(0, i - before + k))];
          });
          return around.reduce((sum, each) => sum + each, 0) / trend;
        });
        const parts = trend > 1 ? [past.map((each, i) => each - average[i]), average] : [past];
        const found = windowOf(shape, history, end, 2);
        expect(found).toHaveLength([...parts.flat(), 1].length);
        for (const [i, each] of [...parts.flat(), 1].entries())
          expect(found[i]).toBeCloseTo(each, 8);
      }),
    );
  });

  it("and its anchors move and stretch with the series", () => {
    fc.assert(
      fc.property(histories, shapes, fc.nat(20), (history, shape, ahead) => {
        const other = history.map((each) => 3 * each - 50);
        const [a, b] = [history, other].map((each) => anchorOf(shape, each, each.length, ahead));
        expect(b).toBeCloseTo(3 * a - 50, 7);
        const [x, y] = [
          windowOf(shape, history, history.length, 1),
          windowOf(shape, other, other.length, 3),
        ];
        for (const [i, each] of x.entries()) expect(y[i]).toBeCloseTo(each, 8);
      }),
    );
  });

  it("of a season is anchored in the last value of the same phase", () => {
    const history = Float64Array.from({ length: 11 }, (_, t) => t);
    const shape = { lookback: 4, trend: 1, anchor: "season", season: 4 } as const;
    const anchors = Array.from({ length: 9 }, (_, ahead) => anchorOf(shape, history, 11, ahead));
    expect(anchors).toEqual([7, 8, 9, 10, 7, 8, 9, 10, 7]);
    expect(anchorOf(shape, history.slice(0, 3), 3, 0)).toBe(2);
  });
});

/** Windows of one series, each with what followed it. */
function momentsOf(shape: WindowShape, history: Float64Array, horizon: number): Moments {
  const moments = new Moments(windowWidth(shape), horizon);
  const unit = scaleOf(history, 1).absolute;
  for (let end = shape.lookback; end + horizon <= history.length; end++) {
    const following = Float64Array.from({ length: horizon }, (_, h) => {
      return (history[end + h] - history[end - 1]) / unit;
    });
    moments.add(windowOf(shape, history, end, unit), following, 1);
  }
  return moments;
}

describe("a linear map", () => {
  it.each(fixture.cases)("of $lookback steps, averages of $trend, is scikit-learn's", (each) => {
    const history = Float64Array.from(fixture.values);
    const shape = { ...each, anchor: "last", season: 1 } as const;
    const map = momentsOf(shape, history, 3).solve(fixture.penalty);
    const unit = scaleOf(history, 1).absolute;
    const window = windowOf(shape, history, history.length, unit);
    for (const [h, expected] of each.forecast.entries()) {
      const own = map.subarray(h * window.length, (h + 1) * window.length);
      const change = own.reduce((sum, weight, i) => sum + weight * window[i], 0);
      expect(history[history.length - 1] + unit * change).toBeCloseTo(expected, 6);
    }
  });

  it("has the error that its windows say, one by one", () => {
    const rows = fc.array(
      fc.tuple(
        fc.array(value, { minLength: 5, maxLength: 5 }),
        fc.double({ min: 0, max: 3, noNaN: true }),
      ),
      { minLength: 1, maxLength: 12 },
    );
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 6, maxLength: 6 }),
        (given, map) => {
          const moments = new Moments(3, 2);
          let expected = 0;
          for (const [cells, weight] of given) {
            const [window, following] = [cells.slice(0, 3), cells.slice(3)];
            moments.add(Float64Array.from(window), Float64Array.from(following), weight);
            for (const [h, y] of following.entries()) {
              const said = window.reduce((sum, x, i) => sum + x * map[h * 3 + i], 0);
              expected += weight * (y - said) ** 2;
            }
          }
          const found = moments.errorOf(Float64Array.from(map));
          expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-9 * (1e8 + expected));
        },
      ),
    );
  });

  it("is the less stiff the less noise there is", () => {
    const shape = { lookback: 8, trend: 1, anchor: "last", season: 1 } as const;
    const penaltyOf = (noise: number): number => {
      const history = Float64Array.from({ length: 160 }, (_, t) => {
        return Math.sin(t / 2) + noise * Math.sin(t * t * 12.9898);
      });
      const earlier = momentsOf(shape, history.subarray(0, 120), 2);
      const later = momentsOf(shape, history.subarray(110), 2);
      return fitRidgeMap(earlier, later).penalty;
    };
    expect(penaltyOf(0)).toBe(1e-6);
    expect(penaltyOf(2)).toBeGreaterThan(1e-3);
  });

  it("is refused where its tensor is not of its size", () => {
    const shape = { lookback: 4, trend: 1, anchor: "last", season: 1 };
    const header = { shape, horizon: 2, features: 0, facts: {} };
    const load = (length: number) =>
      loadLinearMap({ header, tensors: { map: new Float64Array(length) } });
    expect(load(10).facts).toEqual({});
    expect(() => load(9)).toThrow("The tensor 'map' must be 10 numbers.");
  });
});
