/** Intervals of forecasts that few windows of one series tell. */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { recentScaleOf, type ValueBounds } from "../data/series-history.ts";
import { tooFewRows } from "./fit-conformal.ts";
import { fitForecasts, forecastIntervals, stretchedFrom } from "./forecasts.ts";

const HORIZON = 12;
const SCOPE = { horizon: HORIZON, season: 1 };
const random = new CounterRandom(deriveKey(1, "few windows"));

/** A random walk, whose best forecast is its last value. */
function walk(length: number): Float64Array {
  let at = 0;
  return Float64Array.from({ length }, () => {
    at += random.nextGaussian();
    return at;
  });
}

const boundsOf = (rows: number): ValueBounds[] =>
  new Array<ValueBounds>(rows).fill({
    least: Number.NEGATIVE_INFINITY,
    most: Number.POSITIVE_INFINITY,
  });

/** The naive forecasts of that many windows at the end of a series, and those of its next one. */
function backtest(series: Float64Array, windows: number) {
  const end = series.length - HORIZON;
  const rows = windows * HORIZON;
  const originOf = (row: number): number => end - (windows - Math.floor(row / HORIZON)) * HORIZON;
  const scaleAt = (origin: number): number => recentScaleOf(series.subarray(0, origin), 1, HORIZON);
  const places = Uint32Array.from({ length: rows }, (_, row) => row);
  const window = places.map((row) => Math.floor(row / HORIZON));
  const { part, card } = fitForecasts(
    {
      target: series.slice(end - rows, end),
      predictions: Float64Array.from(places, (row) => series[originOf(row) - 1]),
      ...{ outputs: 1, weights: null, parts: window },
      places: {
        scale: Float64Array.from(places, (row) => scaleAt(originOf(row))),
        step: places.map((row) => row % HORIZON),
        ...{ window, bounds: boundsOf(rows) },
      },
    },
    0.95,
    SCOPE,
  );
  const next = {
    scale: new Float64Array(HORIZON).fill(scaleAt(end)),
    step: Uint32Array.from({ length: HORIZON }, (_, step) => step),
    bounds: boundsOf(HORIZON),
  };
  return { part, card, next, values: new Float64Array(HORIZON).fill(series[end - 1]) };
}

const LEVELS = [0.5, 0.8, 0.9, 0.95];

/** The shares of the next window's steps, by thirds of the horizon, that intervals of these levels hold. */
function heldBy(windows: number, runs: number): number[][] {
  const held = LEVELS.map(() => [0, 0, 0]);
  for (let run = 0; run < runs; run++) {
    const series = walk(24 + (windows + 1) * HORIZON);
    const { part, next, values } = backtest(series, windows);
    for (const [k, level] of LEVELS.entries()) {
      const { bounds } = forecastIntervals(part, values, next, level);
      if (bounds === null) throw new Error("no interval");
      for (const [i, y] of series.subarray(-HORIZON).entries()) {
        const third = Math.floor((3 * i) / HORIZON);
        if (y >= bounds.lower[i] && y <= bounds.upper[i]) held[k][third] += 3 / HORIZON / runs;
      }
    }
  }
  return held;
}

describe("intervals of forecasts of one series", () => {
  it.each([1, 2, 3, 8])(
    "hold about what they say at near and far steps, by %s windows",
    (windows) => {
      for (const [k, thirds] of heldBy(windows, 150).entries()) {
        for (const share of thirds) {
          expect(share, `${LEVELS[k]} of ${thirds}`).toBeGreaterThan(LEVELS[k] - 0.13);
          expect(share, `${LEVELS[k]} of ${thirds}`).toBeLessThan(LEVELS[k] + 0.15);
        }
      }
    },
  );

  it("tell how many windows they rest on where these are too few", () => {
    const few = backtest(walk(24 + 4 * HORIZON), 3);
    expect(few.card.windows).toBe(3);
    expect(few.card.warnings).toEqual([
      expect.stringMatching(
        /^The intervals rest on 3 windows of 12 steps(, which say .* errors? of (its|their) own would)?: too few/,
      ),
    ]);
    const many = backtest(walk(24 + 101 * HORIZON), 100);
    expect(many.card).toMatchObject({ windows: 100, warnings: [] });
    expect(many.part.told).toBeUndefined();
  });

  it("say which levels the errors do not tell", () => {
    const { part, card } = backtest(walk(24 + 4 * HORIZON), 3);
    expect(part.told).toEqual([0.03, 0.97]);
    expect(stretchedFrom(part, 0.9)).toBeNull();
    expect(stretchedFrom(part, 0.95)).toBeCloseTo(0.94, 9);
    expect(tooFewRows(part, 0.95)).toBe(
      "The 36 rows with an out-of-fold prediction are too few to tell 95 % intervals: these go by what errors of forecasts usually are.",
    );
    expect(card.meanWidth).toBeGreaterThan(0);
  });

  it("have no width where nothing was missed, and some where hardly anything was", () => {
    const line = Float64Array.from({ length: 80 }, (_, i) => i);
    const { part, next } = backtest(new Float64Array(80).fill(3), 3);
    expect(forecastIntervals(part, new Float64Array(HORIZON), next, 0.9).bounds).toEqual({
      lower: new Float64Array(HORIZON),
      upper: new Float64Array(HORIZON),
    });
    const { bounds } = forecastIntervals(
      backtest(line, 3).part,
      new Float64Array(HORIZON),
      next,
      0.9,
    );
    expect(bounds?.upper.every((end) => end > 0)).toBe(true);
  });
});
