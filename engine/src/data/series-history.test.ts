import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeriesFrame } from "./frame.ts";
import { boundsBefore, holdWithin } from "./series-history.ts";

const HORIZON = 3;
const NONE = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

function frameOf(series: readonly (readonly number[])[]): SeriesFrame {
  const offsets = new Uint32Array(series.length + 1);
  for (const [s, { length }] of series.entries()) offsets[s + 1] = offsets[s] + length;
  return {
    kind: "series",
    column: "y",
    names: series.map((_, s) => `s${s}`),
    ids: Int32Array.from(series.keys()),
    offsets,
    target: Float64Array.from(series.flat()),
    horizon: HORIZON,
    gap: 0,
    seasons: [],
  };
}

describe("bounds of values to come", () => {
  const boundsOf = (...values: number[]) => boundsBefore(frameOf([values]), 0, values.length);

  it("are those that the values before never crossed", () => {
    expect(boundsOf(3, 0, Number.NaN, 1)).toEqual({ ...NONE, least: 0 });
    expect(boundsOf(-3, Number.NaN, 0)).toEqual({ ...NONE, most: 0 });
    expect(boundsOf(-1e-9, 1)).toEqual(NONE);
    expect(boundsOf(Number.NaN)).toEqual(NONE);
    expect(boundsOf()).toEqual(NONE);
    // Nothing was sold so far: that is no reason why nothing ever will be.
    expect(boundsOf(0, 0)).toEqual({ ...NONE, least: 0 });
  });

  it("are those that training kept, where no value before lies beyond them", () => {
    const kept = (least: number, most: number, ...values: number[]) =>
      boundsBefore(
        { ...frameOf([values]), least: Float64Array.of(least), most: Float64Array.of(most) },
        0,
        values.length,
      );
    expect(kept(2, 100, 3, 100, Number.NaN)).toEqual({ least: 2, most: 100 });
    expect(kept(2, 100, 3, 101)).toEqual({ least: 2, most: Number.POSITIVE_INFINITY });
    expect(kept(2, 100, 1, 50)).toEqual({ least: Number.NEGATIVE_INFINITY, most: 100 });
    expect(kept(NONE.least, NONE.most, 3, 4)).toEqual(NONE);
    expect(kept(NONE.least, 0, -3, -4)).toEqual({ ...NONE, most: 0 });
    expect(kept(2, 100)).toEqual(NONE);
  });

  it("are told by what lies before the origin of the same series alone", () => {
    const frame = frameOf([
      [5, 4, -1],
      [2, 2, 2],
    ]);
    expect(boundsBefore(frame, 0, 2)).toEqual({ ...NONE, least: 0 });
    expect(boundsBefore(frame, 0, 3)).toEqual(NONE);
    expect(boundsBefore(frame, 1, 6)).toEqual({ ...NONE, least: 0 });
  });

  const value = fc.double({ min: -5, max: 5, noNaN: true });
  const series = fc.array(
    fc.record({
      past: fc.array(fc.oneof(value, fc.constant(0)), { minLength: 1, maxLength: 6 }),
      sign: fc.constantFrom("any", "up", "down"),
      forecast: fc.array(value, { minLength: HORIZON, maxLength: HORIZON }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  it("hold forecasts beyond them, and no others", () => {
    fc.assert(
      fc.property(series, (all) => {
        const pasts = all.map(({ past, sign }) =>
          past.map((y) => (sign === "up" ? Math.abs(y) : sign === "down" ? 0 - Math.abs(y) : y)),
        );
        const frame = frameOf(pasts.map((past) => [...past, Number.NaN, Number.NaN, Number.NaN]));
        const rows = Uint32Array.from(
          pasts.flatMap((past, s) => [0, 1, 2].map((h) => frame.offsets[s] + past.length + h)),
        );
        const raw = all.flatMap(({ forecast }) => forecast);
        const held = Float64Array.from(raw);
        holdWithin(frame, rows, held);
        for (const [i, each] of held.entries()) {
          const past = pasts[Math.floor(i / HORIZON)];
          const isAbove = past.every((y) => y >= 0);
          const isBelow = !isAbove && past.every((y) => y <= 0);
          expect(each).toBe((isAbove && raw[i] < 0) || (isBelow && raw[i] > 0) ? 0 : raw[i]);
        }
      }),
    );
  });
});
