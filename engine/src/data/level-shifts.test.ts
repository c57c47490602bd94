import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { SeriesFrame } from "./frame.ts";
import { levelled } from "./level-shifts.ts";
import { historyBefore, knownHistory } from "./series-history.ts";

const WEEK = [0, 2, 5, 3, 1, -4, -6];

/** A line with a week in it and little noise. */
function series(steps: number, seed: string, slope = 0.1): Float64Array {
  const draw = new CounterRandom(deriveKey(3, seed));
  return Float64Array.from(
    { length: steps },
    (_, t) => 50 + slope * t + WEEK[t % 7] + 0.5 * draw.nextGaussian(),
  );
}

const shiftedBy = (values: Float64Array, size: number, from: number): Float64Array =>
  values.map((value, t) => (t >= from ? value + size : value));

describe("series whose level has shifted", () => {
  it("become what they would be at the level of their end, whenever it was", () => {
    fc.assert(
      fc.property(
        ...[fc.integer({ min: 14, max: 116 }), fc.integer({ min: 60, max: 400 })],
        ...[fc.boolean(), fc.integer({ min: -5, max: 5 })],
        (from, size, isDown, slope) => {
          const values = series(120, `${from} ${size}`, slope / 50);
          const shift = isDown ? -size : size;
          const found = levelled(shiftedBy(values, shift, from), 7);
          // At least the steps behind the shift say how large it was, so that noise is a part of it.
          for (let t = 0; t < 120; t++)
            expect(Math.abs(found[t] - values[t] - shift)).toBeLessThan(3);
          expect(found.subarray(from)).toEqual(values.map((y) => y + shift).subarray(from));
        },
      ),
    );
  });

  it("may shift more than once, as where a shop is closed for weeks", () => {
    const values = series(200, "closed");
    const closed = values.map((value, t) => (t >= 150 && t < 171 ? value - 300 : value));
    const found = levelled(closed, 7);
    for (let t = 0; t < 200; t++) expect(Math.abs(found[t] - values[t])).toBeLessThan(5);
  });

  it("are none where nothing else moves: what comes and goes, or is priced by steps, moves so", () => {
    const steps = (from: readonly number[], size: number) =>
      Float64Array.from({ length: 300 }, (_, t) => size * from.filter((at) => t >= at).length);
    // A route that is flown on some of 300 days; prices; a week that comes again to the last bit but one.
    const flown = steps([90, 180], 1).map((value) => value % 2);
    const priced = steps([40, 160, 230], 0.49).map((value) => 9.99 + value);
    const weekly = steps([150], 30).map((value, t) => value + WEEK[t % 7] * 0.1 + 0.7);
    for (const each of [flown, priced, weekly]) expect(levelled(each, 7)).toBe(each);
  });

  it("are told from those that never shifted and from what begins or ends with an outlier", () => {
    const values = series(120, "usual");
    const one = (t: number): Float64Array => values.map((value, at) => (at === t ? 900 : value));
    for (const each of [values, one(0), one(119)]) {
      expect(levelled(each, 7)).toBe(each);
    }
    // A shift of a few steps may be an outlier, too.
    const late = shiftedBy(values, 200, 117);
    expect(levelled(late, 7)).toBe(late);
    const small = shiftedBy(values, 4, 60);
    expect(levelled(small, 7)).toBe(small);
    for (const each of [[], [1], [1, 2], [1, 1, 1], [0, 0, 0, 9]]) {
      const short = Float64Array.from(each);
      expect(levelled(short, 1)).toBe(short);
    }
  });

  it("leave walks, shocks of any tail and rare demand alone", () => {
    const draw = new CounterRandom(deriveKey(3, "others"));
    let held = 0;
    const count = 300;
    for (let s = 0; s < count; s++) {
      let level = 0;
      const walk = Float64Array.from({ length: 100 }, () => (level += draw.nextGaussian()));
      const shocks = Float64Array.from({ length: 100 }, () => -Math.log(draw.nextFloat()));
      const rare = shocks.map((value) => (value > 2 ? Math.round(value) : 0));
      for (const each of [walk, shocks, rare]) if (levelled(each, 1) !== each) held++;
    }
    expect(held / count).toBeLessThanOrEqual(0.01);
  });

  it("go from a far higher level to a lower one without going below 0", () => {
    const values = series(150, "down").map((value, t) => 20 * value * (t >= 130 ? 0.05 : 1));
    const found = levelled(values, 7);
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(Math.max(...found.subarray(0, 130))).toBeLessThan(100);
  });

  it("are of any unit and of any sign", () => {
    const values = shiftedBy(series(120, "units"), 100, 80);
    const found = levelled(values, 7);
    for (const unit of [1e-9, -1, 1e12]) {
      const scaled = levelled(
        values.map((value) => unit * value),
        7,
      );
      for (const [t, value] of scaled.entries()) expect(value / unit).toBeCloseTo(found[t], 6);
    }
  });

  it("are what forecasts start from, and not what is told of the past", () => {
    const values = shiftedBy(series(120, "frames"), 100, 113);
    const frame: SeriesFrame = {
      ...{ kind: "series", column: "y", names: ["s"], ids: Int32Array.of(0) },
      ...{ offsets: Uint32Array.of(0, 120), target: values, horizon: 6, gap: 0, seasons: [7] },
    };
    expect(historyBefore(frame, 0, 120)).toEqual(values);
    expect(knownHistory(frame, 0, 120)).toEqual(levelled(values, 7));
    expect(knownHistory(frame, 0, 113)).toEqual(values.subarray(0, 113));
  });
});
