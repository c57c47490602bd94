/** Figures of series against statsmodels, and errors of forecasts against their definitions. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SeriesFrame } from "../../data/frame.ts";
import { autocorrelation } from "./autocorrelation.ts";
import { errorsBy, forecastErrors } from "./forecast-errors.ts";
import { seasonalProfile } from "./seasonal-profile.ts";

const numbers = z.array(z.number());
const peer = z
  .object({
    values: numbers,
    acf: numbers,
    gappy: z.array(z.number().nullable()),
    gappy_acf: numbers,
    seasons: z.array(z.object({ period: z.int(), series: numbers, seasonal: numbers })),
  })
  .parse(JSON.parse(readFileSync(new URL("./fixtures/statsmodels.json", import.meta.url), "utf8")));

const close = (values: readonly number[], digits = 10): number[] =>
  values.map((value) => expect.closeTo(value, digits));

describe("autocorrelation", () => {
  test("is that of statsmodels, with gaps too", () => {
    const whole = autocorrelation([Float64Array.from(peer.values)], 15);
    expect(whole?.values).toEqual(close(peer.acf));
    expect(whole?.bound).toBeCloseTo(1.959964 / Math.sqrt(90), 6);
    const gappy = Float64Array.from(peer.gappy, (value) => value ?? Number.NaN);
    const found = autocorrelation([gappy], 15);
    expect(found?.values).toEqual(close(peer.gappy_acf));
    expect(found?.count).toBe(86);
  });

  test("of several runs does not reach from one into the next", () => {
    const run = Float64Array.from(peer.values);
    const gap = new Float64Array(15).fill(Number.NaN);
    const joined = autocorrelation([Float64Array.of(...run, ...gap, ...run)], 15);
    expect(autocorrelation([run, run], 15)?.values).toEqual(close(joined?.values ?? []));
  });

  test("is none of too few values, and of values that are all equal", () => {
    expect(autocorrelation([], 4)).toBeNull();
    expect(autocorrelation([Float64Array.of(1, 2)], 4)).toBeNull();
    expect(autocorrelation([Float64Array.of(3, 3, 3, 3)], 4)).toBeNull();
  });
});

describe("seasonal profile", () => {
  test.each(peer.seasons)("is that of statsmodels, of $period steps", (given) => {
    const { period, series, seasonal } = given;
    const places = seasonalProfile(
      [{ values: Float64Array.from(series), unit: 1, placeOf: (step) => step % period }],
      period,
    );
    const means = places?.map(({ mean }) => mean) ?? [];
    // statsmodels makes the places sum to zero.
    const middle = means.reduce((sum, mean) => sum + mean, 0) / period;
    expect(means.map((mean) => mean - middle)).toEqual(close(seasonal));
    for (const { low, mean, high } of places ?? []) expect(low < mean && mean < high).toBe(true);
  });

  test("is in the units of each series, and none where a place was never seen", () => {
    const [{ period, series }] = peer.seasons;
    const values = Float64Array.from(series);
    const placeOf = (step: number): number => step % period;
    const large = { values: values.map((value) => 1000 * value), unit: 1000, placeOf };
    const small = { values, unit: 1, placeOf };
    const both = seasonalProfile([large, small], period)?.map(({ mean }) => mean) ?? [];
    expect(seasonalProfile([small], period)?.map(({ mean }) => mean)).toEqual(close(both));
    expect(seasonalProfile([{ ...small, values: values.slice(0, period) }], period)).toBeNull();
  });
});

describe("errors of forecasts", () => {
  /** Two series of 6 and 4 steps; windows of two steps, the second series in the last one alone. */
  const frame: SeriesFrame = {
    kind: "series",
    column: "y",
    names: ["a", "b"],
    ids: Int32Array.of(0, 1),
    offsets: Uint32Array.of(0, 6, 10),
    target: Float64Array.of(1, 2, 3, 4, 5, 6, 10, 20, 30, 40),
    horizon: 2,
    gap: 0,
    seasons: [],
  };
  const windows = [Uint32Array.of(2, 3), Uint32Array.of(4, 5, 8, 9)];
  const places = {
    scale: new Float64Array(10).fill(1).fill(10, 6),
    window: Uint32Array.of(0, 0, 0, 0, 1, 1, 0, 0, 1, 1),
  };

  test("are told by window, series and step", () => {
    const predictions = Float64Array.of(3, 6, 4, 6, 35, 40);
    const errors = forecastErrors(frame, windows, predictions, places);
    expect([...errors.residuals]).toEqual([0, -2, 1, 0, -5, 0]);
    const mae = (parts: Uint32Array): (number | undefined)[] =>
      errorsBy(errors, parts, 2).map((each) => each?.mae);
    expect(mae(errors.window)).toEqual([1, 1.5]);
    expect(mae(errors.series)).toEqual([0.75, 2.5]);
    expect(mae(errors.step)).toEqual([2, 2 / 3]);
    const bySeries = errorsBy(errors, errors.series, 3);
    expect(bySeries.map((each) => each?.mase)).toEqual([0.75, 0.25, undefined]);
  });

  test("of one fit are told by its windows", () => {
    const folds = [Uint32Array.of(2, 3, 4, 5, 8, 9)];
    const errors = forecastErrors(frame, folds, Float64Array.of(3, 6, 4, 6, 35, 40), places);
    expect([...errors.window]).toEqual([0, 0, 1, 1, 1, 1]);
    expect([...errors.step]).toEqual([0, 1, 0, 1, 0, 1]);
  });

  test("leave out what was not observed, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (isMissing) => {
        const target = frame.target.map((value, row) => (isMissing[row] ? Number.NaN : value));
        const rows = windows.flatMap((window) => [...window]);
        const errors = forecastErrors({ ...frame, target }, windows, new Float64Array(6), places);
        expect([...errors.rows]).toEqual(rows.filter((row) => !isMissing[row]));
        expect([...errors.residuals]).toEqual([...errors.rows].map((row) => target[row]));
      }),
    );
  });
});
