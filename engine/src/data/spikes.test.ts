import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { levelled } from "./level-shifts.ts";
import { recentScaleOf } from "./series-history.ts";

const WEEK = [0, 2, 5, 3, 1, -4, -6];
const STEPS = 140;

function series(name: string): Float64Array {
  const draw = new CounterRandom(deriveKey(5, name));
  return Float64Array.from(
    { length: STEPS },
    (_, t) => 50 + 0.1 * t + WEEK[t % 7] + draw.nextGaussian(),
  );
}

const raised = (values: Float64Array, from: number, to: number, by: number): Float64Array =>
  values.map((value, t) => (t >= from && t < to ? value + by : value));

describe("a lone spike", () => {
  const usual = series("usual");

  it("is taken out, whenever it was and however short, once the series has come back", () => {
    for (const [from, steps] of [
      ...[2, 60, 110, 130, 138].map((from) => [from, 1] as const),
      ...[
        [90, 2],
        [125, 3],
      ],
    ]) {
      for (const by of [60, -40]) {
        const found = levelled(raised(usual, from, from + steps, by), 7);
        for (const [t, value] of found.entries()) {
          if (t < from || t >= from + steps) expect(value).toBe(usual[t]);
          else expect(Math.abs(value - usual[t])).toBeLessThan(6);
        }
        // Intervals are as wide as without it.
        const ratio = recentScaleOf(found, 7, 7) / recentScaleOf(usual, 7, 7);
        expect(Math.abs(ratio - 1)).toBeLessThan(0.4);
      }
    }
  });

  it("leaves the shift that it came with, which is found then", () => {
    const both = raised(raised(usual, 31, STEPS, 60), 30, 31, 100);
    const found = levelled(both, 7);
    for (let t = 0; t < STEPS; t++) expect(Math.abs(found[t] - usual[t] - 60)).toBeLessThan(6);
  });

  it("is what comes again, or all that a series at rest does, or no spike", () => {
    const rare = Float64Array.from({ length: STEPS }, (_, t) => Number(t % 30 === 4));
    for (const each of [
      raised(raised(usual, 60, 61, 60), 100, 101, 60),
      raised(usual, 60, 61, 8),
      raised(usual, STEPS - 1, STEPS, 60),
      raised(rare, 65, 66, 40),
      usual.slice(0, 40).fill(99, 20, 21),
    ]) {
      expect(levelled(each, 7)).toBe(each);
    }
  });
});

describe("a last step of which nobody knows whether it stays", () => {
  it("widens intervals to about as far as it went, and no longer once it is settled", () => {
    const usual = series("unsettled");
    const last = recentScaleOf(levelled(raised(usual, STEPS - 1, STEPS, 60), 7), 7, 7);
    expect(last).toBeGreaterThan(16);
    expect(last).toBeLessThan(20);
    const back = raised(usual, STEPS - 2, STEPS - 1, 60);
    expect(recentScaleOf(levelled(back, 7), 7, 7)).toBeLessThan(4);
    expect(recentScaleOf(levelled(usual, 7), 7, 7)).toBeLessThan(4);
  });
});
