import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeriesFrame } from "../../data/frame.ts";
import { forecastBlocks, historyBefore, scaleOf } from "../../data/series-history.ts";
import { rollingOrigin, seriesRows } from "./windows.ts";

function frameOf(lengths: readonly number[], horizon: number, gap: number): SeriesFrame {
  const offsets = new Uint32Array(lengths.length + 1);
  for (const [s, length] of lengths.entries()) offsets[s + 1] = offsets[s] + length;
  const rows = offsets[lengths.length];
  return {
    kind: "series",
    column: "y",
    names: lengths.map(String),
    ids: Int32Array.from(lengths.keys()),
    offsets,
    target: Float64Array.from({ length: rows }, (_, row) => row % 7),
    horizon,
    gap,
    seasons: [],
  };
}

const NO_BOUNDS = { least: new Float64Array(99), most: new Float64Array(99) };

describe("a rolling origin", () => {
  it("has no window in a gap, of which nothing could be scored", () => {
    const frame = frameOf([60], 6, 0);
    frame.target.fill(Number.NaN, 46, 58);
    const { folds, warnings } = rollingOrigin({ frame, folds: 3, single: true, step: 6 });
    expect(folds.map(({ valid }) => valid[0])).toEqual([42, 54]);
    expect(warnings).toEqual([expect.stringContaining("2 of 3 windows")]);
  });

  it("learns from nothing that it forecasts or that comes later, and forecasts no step twice", () => {
    const asked = fc.record({
      lengths: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
      horizon: fc.integer({ min: 1, max: 6 }),
      gap: fc.integer({ min: 0, max: 3 }),
      folds: fc.integer({ min: 1, max: 4 }),
      further: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(asked, ({ lengths, horizon, gap, folds, further }) => {
        fc.pre(Math.max(...lengths) > horizon + gap);
        const frame = frameOf(lengths, horizon, gap);
        const made = rollingOrigin({ frame, folds, single: true, step: horizon + further }).folds;
        expect(made.length).toBeGreaterThan(0);
        const seen = new Set<number>();
        for (const { train, valid } of made) {
          for (const row of valid) {
            expect(seen.has(row)).toBe(false);
            seen.add(row);
          }
          for (let s = 0; s < lengths.length; s++) {
            const own = (rows: Uint32Array): number[] =>
              [...rows].filter((row) => row >= frame.offsets[s] && row < frame.offsets[s + 1]);
            const [learned, forecast] = [own(train), own(valid)];
            expect(forecast.length === 0 || forecast.length === horizon).toBe(true);
            if (forecast.length === 0) continue;
            expect(Math.max(...learned)).toBe(forecast[0] - gap - 1);
          }
        }
        // The last window ends where the longest series does.
        const longest = lengths.indexOf(Math.max(...lengths));
        expect(made.at(-1)?.valid).toContain(frame.offsets[longest + 1] - 1);
      }),
    );
  });

  it("has more windows of few long series, without more fits, each of known steps and none twice", () => {
    const asked = fc.record({
      lengths: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
      horizon: fc.integer({ min: 1, max: 6 }),
      gap: fc.integer({ min: 0, max: 3 }),
      folds: fc.integer({ min: 1, max: 4 }),
      season: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(asked, ({ lengths, horizon, gap, folds, season }) => {
        fc.pre(Math.max(...lengths) > horizon + gap);
        const frame = { ...frameOf(lengths, horizon, gap), seasons: season > 1 ? [season] : [] };
        const of = (single: boolean) => rollingOrigin({ frame, folds, single, step: horizon });
        const made = of(false);
        // Nothing is lost by them.
        expect(made.folds).toHaveLength(of(true).folds.length);
        expect(made.warnings).toEqual(of(true).warnings);
        const looked: Uint32Array[] = [];
        const { group, window, step } = seriesRows(frame, made.folds, {
          reference: (_, steps) => new Float64Array(steps),
          boundsBefore: (ends) => {
            looked.push(ends);
            return NO_BOUNDS;
          },
        });
        const seen = new Set<number>();
        const forecasts = new Set<number>();
        for (const [fold, { train, valid }] of made.folds.entries()) {
          const blocks = forecastBlocks(frame, valid);
          for (const { series, origin } of blocks) {
            expect(looked[fold][series]).toBeLessThanOrEqual(origin);
          }
          for (const { series, from, to, origin } of blocks) {
            expect(to - from).toBe(horizon);
            expect(origin).toBe(valid[from] - gap);
            expect(forecasts.has(group[valid[from]])).toBe(false);
            forecasts.add(group[valid[from]]);
            const [start, end] = [frame.offsets[series], frame.offsets[series + 1]];
            const learned = train.filter((row) => row >= start && row < end);
            // The first window of a fit begins behind what it learns from.
            expect(Math.max(...learned)).toBeLessThan(origin);
            const tested = valid.filter((row) => row >= start && row < end).length;
            if (tested > horizon) {
              expect(learned.length).toBeGreaterThanOrEqual(0.7 * (end - start) - gap);
            }
            for (let i = from; i < to; i++) {
              expect(seen.has(valid[i])).toBe(false);
              seen.add(valid[i]);
              expect(step[valid[i]]).toBe(i - from);
              expect(window[valid[i]]).toBe(window[valid[from]]);
            }
          }
          // Later windows have later numbers, those of later fits too.
          const numbers = (of: Uint32Array): number[] => [...of].map((row) => window[row]);
          const next = made.folds[fold + 1];
          if (next)
            expect(Math.max(...numbers(valid))).toBeLessThan(Math.min(...numbers(next.valid)));
          for (const [b, { series }] of blocks.entries()) {
            if (blocks[b + 1]?.series !== series) continue;
            expect(window[valid[blocks[b + 1].from]]).toBe(window[valid[blocks[b].from]] + 1);
          }
        }
      }),
    );
  });

  it("has as many windows as tell methods apart, and no more", () => {
    const windowsOf = (lengths: readonly number[], single = false, further = 0): number => {
      const frame = frameOf(lengths, 6, 0);
      const { folds } = rollingOrigin({ frame, folds: 3, single, step: 6 + further });
      return folds.reduce((sum, { valid }) => sum + forecastBlocks(frame, valid).length, 0);
    };
    expect(windowsOf([1000])).toBe(24);
    expect(windowsOf([180])).toBe(9);
    // Three tenths of a series.
    expect(windowsOf([119])).toBe(3);
    expect(windowsOf([1000, 1000])).toBe(24);
    expect(windowsOf(new Array<number>(8).fill(1000))).toBe(24);
    // Of long ones each costs more.
    expect(windowsOf([3000])).toBe(24);
    expect(windowsOf([3001])).toBe(3);
    // As asked.
    expect(windowsOf([1000], true)).toBe(3);
    expect(windowsOf([1000], false, 1)).toBe(3);
  });

  it("leaves out earlier windows that have too little before them, and never a series' last one", () => {
    const windowsOf = (length: number, seasons: readonly number[] = []): number[] => {
      const frame = { ...frameOf([length, 60], 8, 0), seasons };
      const { folds } = rollingOrigin({ frame, folds: 3, step: 8, single: true });
      return folds.flatMap(({ valid }) =>
        [...valid].filter((row) => row % 8 === length % 8 && row < length),
      );
    };
    // Three quarters of the horizon.
    expect(windowsOf(30)).toEqual([6, 14, 22]);
    expect(windowsOf(29)).toEqual([13, 21]);
    expect(windowsOf(9)).toEqual([1]);
    // Two seasons.
    expect(windowsOf(40, [12])).toEqual([24, 32]);
    expect(windowsOf(39, [12])).toEqual([31]);
    // Of the shortest one, as everywhere.
    expect(windowsOf(39, [2, 12])).toEqual([15, 23, 31]);
    // None shows the season.
    expect(windowsOf(31, [12])).toEqual([7, 15, 23]);
  });

  it("counts what lies before a window from the first known value on", () => {
    const frame = frameOf([30], 8, 0);
    const request = { frame, folds: 3, step: 8, single: true };
    expect(rollingOrigin(request).folds).toHaveLength(3);
    frame.target[0] = Number.NaN;
    expect(rollingOrigin(request).folds).toHaveLength(2);
  });

  it("says how many steps would do where no series is long enough", () => {
    const frame = frameOf([3, 5], 6, 0);
    expect(() => rollingOrigin({ frame, folds: 3, step: 6, single: false })).toThrow(
      /5 steps.*at least 7/,
    );
  });
});

describe("a history", () => {
  const gaps = (...target: number[]): SeriesFrame => ({
    ...frameOf([target.length], 1, 0),
    target: Float64Array.from(target),
  });

  it("is filled between what is known, and at its end by what was a season before", () => {
    const frame = gaps(Number.NaN, 1, Number.NaN, 3, Number.NaN, 9);
    expect([...historyBefore(frame, 0, 5)]).toEqual([1, 2, 3, 3]);
    const seasonal = { ...frame, seasons: [2] };
    expect([...historyBefore(seasonal, 0, 5)]).toEqual([1, 2, 3, 2]);
  });

  it("never shows what comes after its end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: -9, max: 9 }), { nil: Number.NaN }), {
          minLength: 3,
          maxLength: 20,
        }),
        fc.nat(),
        (values, place) => {
          const end = 1 + (place % values.length);
          const changed = values.map((value, i) => (i < end ? value : 1e9));
          expect([...historyBefore(gaps(...changed), 0, end)]).toEqual([
            ...historyBefore(gaps(...values), 0, end),
          ]);
        },
      ),
    );
  });

  it("has a scale above 0, whatever its values", () => {
    for (const values of [[], [0], [5, 5, 5], [0, 0, 0, 0], [1, 2, 1, 2]]) {
      const { absolute, squared } = scaleOf(Float64Array.from(values), 2);
      expect(absolute).toBeGreaterThan(0);
      expect(squared).toBeGreaterThan(0);
    }
    expect(scaleOf(Float64Array.of(1, 4, 3, 8), 2)).toEqual({ absolute: 3, squared: 10 });
  });
});
