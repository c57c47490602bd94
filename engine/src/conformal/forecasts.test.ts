import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ValueBounds, within } from "../data/series-history.ts";
import { fitForecasts, forecastIntervals, forecastQuantiles } from "./forecasts.ts";
import type { BacktestPlaces } from "./out-of-fold.ts";

const HORIZON = 6;
const WINDOWS = 8;
const ROWS = HORIZON * WINDOWS;

function placesOf(rows: number, [least, most]: readonly [number, number]): BacktestPlaces {
  return {
    scale: new Float64Array(rows).fill(2),
    step: Uint32Array.from({ length: rows }, (_, i) => i % HORIZON),
    window: Uint32Array.from({ length: rows }, (_, i) => Math.floor(i / HORIZON)),
    bounds: new Array<ValueBounds>(rows).fill({ least, most }),
  };
}

const errors = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
  minLength: ROWS,
  maxLength: ROWS,
});
const bounds = fc.constantFrom(
  ...([
    [0, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  ] as const),
);

/** @param shift how far the backtest was off on one side */
function fitted(noise: readonly number[], shift: number, limits: readonly [number, number]) {
  const predictions = new Float64Array(ROWS).fill(5);
  const rows = {
    target: predictions.map((value, i) => value + shift + noise[i]),
    predictions,
    outputs: 1,
    weights: null,
    parts: Uint32Array.from({ length: ROWS }, (_, i) => Math.floor(i / HORIZON)),
  };
  return fitForecasts({ ...rows, places: placesOf(ROWS, limits) }, 0.9, {
    horizon: HORIZON,
    season: 1,
  });
}

describe("intervals of forecasts", () => {
  it("hold the forecast, also where the backtest missed on one side alone, and lie within the bounds", () => {
    fc.assert(
      fc.property(
        errors,
        fc.constantFrom(-30, 0, 30),
        bounds,
        fc.integer({ min: 50, max: 99 }),
        (noise, shift, limits, percent) => {
          const { part } = fitted(noise, shift, limits);
          const [least, most] = limits;
          const values = Float64Array.from([0, 1, 2, 3, 4, 5], (value) =>
            within(value - 2, { least, most }),
          );
          const places = placesOf(HORIZON, limits);
          const { bounds: ends } = forecastIntervals(part, values, places, percent / 100);
          const tail = (1 - percent / 100) / 2;
          const quantiles = forecastQuantiles(part, values, places, [tail, 1 - tail]);
          fc.pre(ends !== null && quantiles !== null);
          for (const [i, value] of values.entries()) {
            const [low, high] = [quantiles[2 * i], quantiles[2 * i + 1]];
            expect(ends.lower[i]).toBe(Math.min(value, low));
            expect(ends.upper[i]).toBe(Math.max(value, high));
            for (const end of [low, high]) expect(within(end, { least, most })).toBe(end);
          }
        },
      ),
    );
  });

  it("are measured by the width that is within the bounds", () => {
    const noise = Array.from({ length: ROWS }, (_, i) => ((i * 7) % 19) - 9);
    const none = fitted(noise, 0, [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]).card;
    const above = fitted(noise, 0, [0, Number.POSITIVE_INFINITY]).card;
    expect(above.meanWidth).toBeLessThan(none.meanWidth ?? 0);
    expect(above.meanWidth).toBeGreaterThan(5);
  });
});
