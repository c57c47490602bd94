/** What every model of one series must keep, whatever the series: run over all of them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeriesModel } from "../series-model.ts";

export interface Subject<Saved> {
  readonly name: string;
  fit(history: Float64Array, seasonLength: number): SeriesModel<Saved>;
  load(saved: Saved): SeriesModel<Saved>;
  /** Runs of the random tests; fewer for slow models. */
  readonly runs?: number;
  /** Are forecasts of a constant series that constant? Default: yes. */
  readonly keepsConstants?: boolean;
  /** Is the season's length used, and so checked? Default: yes. */
  readonly hasSeason?: boolean;
}

const values = fc.oneof(
  fc.double({ min: -1e3, max: 1e3, noNaN: true }),
  fc.double({ min: 1, max: 100, noNaN: true }),
  fc.constantFrom(0, 0, 0, 1, 5),
);
const histories = fc
  .tuple(
    fc.array(values, { minLength: 1, maxLength: 40 }),
    fc.constantFrom(1, 1e-9, 1e12),
    fc.boolean(),
  )
  .map(([list, unit, positive]) =>
    Float64Array.from(list, (value) => (positive ? Math.abs(value) + 0.5 : value) * unit),
  );

const HARD: Readonly<Record<string, readonly number[]>> = {
  "one value": [3],
  "one zero": [0],
  "two values": [1, 2],
  "three values": [5, 1, 4],
  zeros: new Array<number>(30).fill(0),
  constants: new Array<number>(30).fill(7.25),
  line: Array.from({ length: 30 }, (_, t) => 2 * t - 5),
  "one demand": Array.from({ length: 30 }, (_, t) => (t === 11 ? 4 : 0)),
  "a pure season": Array.from({ length: 32 }, (_, t) => [1, 5, 2, 8][t % 4]),
  "a jump": Array.from({ length: 30 }, (_, t) => (t < 20 ? 1 : 1e6)),
  huge: Array.from({ length: 24 }, (_, t) => 1e300 * (1 + (t % 5))),
  tiny: Array.from({ length: 24 }, (_, t) => 1e-300 * (1 + (t % 5))),
  "an exploding one": Array.from({ length: 30 }, (_, t) => 3 ** t),
};

const seasonal = (n: number): Float64Array =>
  Float64Array.from(
    { length: n },
    (_, t) => 50 + 0.3 * t + 10 * Math.sin((Math.PI * t) / 2) + 3 * Math.sin(t * t),
  );

export function describeSeriesModel<Saved>(subject: Subject<Saved>): void {
  const { name, fit, load, runs = 60, keepsConstants = true, hasSeason = true } = subject;
  const seasons = fc.constantFrom(1, 4, 7);

  describe(`${name} as a model of one series`, () => {
    it.each(Object.entries(HARD))("answers %s with finite numbers", (_, list) => {
      for (const season of [1, 4]) {
        const history = Float64Array.from(list);
        const forecasts = fit(history, season).forecast(history, 9);
        expect(forecasts).toHaveLength(9);
        expect([...forecasts].every(Number.isFinite), `${season}: ${forecasts}`).toBe(true);
      }
    });

    it("answers any series, and any other history of it, with finite numbers", () => {
      fc.assert(
        fc.property(histories, histories, seasons, (history, other, season) => {
          const model = fit(history, season);
          for (const each of [history, other]) {
            const forecasts = model.forecast(each, 6);
            expect(forecasts.length).toBe(6);
            expect([...forecasts].every(Number.isFinite), `${forecasts}`).toBe(true);
          }
        }),
        { numRuns: runs, seed: 3 },
      );
    });

    it("is the same after being stored as JSON, and when it is fitted again", () => {
      fc.assert(
        fc.property(histories, seasons, (history, season) => {
          const before = history.slice();
          const model = fit(history, season);
          const stored: Saved = JSON.parse(JSON.stringify(model.saved));
          expect(load(stored).forecast(history, 5)).toEqual(model.forecast(history, 5));
          expect(fit(history, season).saved).toEqual(model.saved);
          expect(history).toEqual(before);
        }),
        { numRuns: Math.ceil(runs / 2), seed: 4 },
      );
    });

    it("does not depend on the unit", () => {
      const history = seasonal(40);
      const plain = fit(history, 4).forecast(history, 6);
      for (const unit of [2 ** -40, 2 ** 60]) {
        const other = history.map((value) => value * unit);
        expect(fit(other, 4).forecast(other, 6)).toEqual(plain.map((value) => value * unit));
      }
    });

    it("goes on from a longer history without being fitted again", () => {
      const history = seasonal(48);
      const model = fit(history.subarray(0, 40), 4);
      expect([...model.forecast(history, 4)].every(Number.isFinite)).toBe(true);
      // A newer part alone, which begins at another step of the season.
      expect([...model.forecast(history.subarray(30), 4)].every(Number.isFinite)).toBe(true);
    });

    if (keepsConstants) {
      it("forecasts a constant by itself", () => {
        for (const constant of [0, 7.25, -3]) {
          const history = new Float64Array(20).fill(constant);
          for (const value of fit(history, 4).forecast(history, 5)) {
            expect(value).toBeCloseTo(constant, 9);
          }
        }
      });
    }

    it("refuses what is no series, and says why", () => {
      const model = fit(seasonal(20), 4);
      expect(() => fit(new Float64Array(0), 4)).toThrow(RangeError);
      expect(() => fit(Float64Array.of(1, Number.NaN, 2), 4)).toThrow(/Value 2 .* NaN/);
      if (hasSeason) expect(() => fit(seasonal(20), 0)).toThrow(RangeError);
      expect(() => model.forecast(new Float64Array(0), 3)).toThrow(RangeError);
      expect(() => model.forecast(seasonal(20), 0)).toThrow(/horizon/);
    });
  });
}
