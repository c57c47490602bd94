import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { studentQuantile } from "../compute/student-t.ts";
import { tooFewRows } from "./fit-conformal.ts";
import { fitForecasts, forecastIntervals, stretchedFrom } from "./forecasts.ts";
import { stretchTails } from "./stretched-tails.ts";

const LEVELS = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

describe("quantiles beyond those that few errors tell", () => {
  it("are as much further from the middle as Student's t is, each side by its own outermost one", () => {
    const stretched = stretchTails(LEVELS, [null, -3, -1, 1, 2, 5, null], 4);
    const times = studentQuantile(0.99, 4) / studentQuantile(0.95, 4);
    expect(stretched.slice(1, -1)).toEqual([-3, -1, 1, 2, 5]);
    expect(stretched[0]).toBeCloseTo(1 - 4 * times, 9);
    expect(stretched[6]).toBeCloseTo(1 + 4 * times, 9);
  });

  it("are as they were where all are told, and where hardly any is", () => {
    const all = [-9, -3, -1, 1, 2, 5, 9];
    expect(stretchTails(LEVELS, all, 3)).toEqual(all);
    for (const few of [
      [null, null, null, 1, null, null, null],
      [null, null, -1, 1, null, null, null],
      [null, null, null, null, null, null, null],
    ]) {
      expect(stretchTails(LEVELS, few, 3)).toEqual(few);
    }
  });
});

describe("intervals of forecasts of one series in three windows", () => {
  const [horizon, windows] = [12, 3];
  const random = new CounterRandom(deriveKey(1, "stretched"));
  /** A series that keeps 0.8 of what it was, forecast by nothing. */
  const errorsOfWindow = (): number[] => {
    let last = 0;
    return Array.from({ length: horizon }, () => {
      last = 0.8 * last + random.nextGaussian();
      return last;
    });
  };
  const none = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  const bounds = (rows: number) => ({ bounds: new Array<typeof none>(rows).fill(none) });
  const steps = Uint32Array.from({ length: horizon }, (_, step) => step);
  const fitted = (count = windows) => {
    const target = Float64Array.from(Array.from({ length: count }, errorsOfWindow).flat());
    const window = Uint32Array.from(target, (_, i) => Math.floor(i / horizon));
    const scale = target.map(() => 1);
    const step = Uint32Array.from(target, (_, i) => i % horizon);
    const predictions = target.map(() => 0);
    const rows = { target, predictions, outputs: 1, weights: null, parts: window };
    return fitForecasts(
      { ...rows, places: { ...bounds(target.length), scale, step, window } },
      0.95,
      horizon,
    );
  };
  const places = { ...bounds(horizon), scale: new Float64Array(horizon).fill(1), step: steps };

  it("hold about as many values as they say, beyond the levels that the errors tell too", () => {
    const levels = [0.9, 0.95, 0.99];
    const held = levels.map(() => 0);
    const runs = 400;
    for (let run = 0; run < runs; run++) {
      const { part } = fitted();
      const truth = errorsOfWindow();
      for (const [k, level] of levels.entries()) {
        const { bounds } = forecastIntervals(part, new Float64Array(horizon), places, level);
        if (bounds === null) throw new Error("no interval");
        held[k] += truth.filter((y, i) => y >= bounds.lower[i] && y <= bounds.upper[i]).length;
      }
    }
    const shares = held.map((count) => count / (runs * horizon));
    expect(shares[0]).toBeGreaterThan(0.82);
    expect(shares[1]).toBeGreaterThan(0.86);
    expect(shares[1]).toBeLessThan(0.96);
    expect(shares[2]).toBeGreaterThan(0.97);
  });

  it("say from which ones they are stretched, and measure their width", () => {
    const { part, card } = fitted();
    expect(part.told).toEqual([0.03, 0.97]);
    expect(stretchedFrom(part, 0.9)).toBeNull();
    expect(stretchedFrom(part, 0.95)).toBeCloseTo(0.94, 9);
    expect(tooFewRows(part, 0.95)).toBe(
      "The 36 rows with an out-of-fold prediction are too few to tell 95 % intervals: these are those of 94 %, stretched as Student's t is.",
    );
    expect(card.meanWidth).toBeGreaterThan(0);
    expect(fitted(20).part.told).toBeUndefined();
  });
});
