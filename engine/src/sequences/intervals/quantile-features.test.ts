import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { setOf } from "../testing/made-sequences.ts";
import { itKeepsTheLaws } from "../testing/transform-laws.ts";
import { fitQuantileFeatures, QuantileFeatures } from "./quantile-features.ts";
import { amplitudes } from "./spectrum.ts";

interface Case {
  readonly depth: number;
  readonly divisor: number;
  readonly values: readonly number[];
  readonly features: readonly number[];
}

// By NumPy: fixtures/quant_figures.py.
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL("../fixtures/quant_figures.json", import.meta.url), "utf8"),
);

describe("quantiles of intervals", () => {
  itKeepsTheLaws({ fit: fitQuantileFeatures, load: QuantileFeatures.load });

  it.each(cases)("are those of the definition, depth $depth, divisor $divisor", (each) => {
    const { values, features, ...options } = each;
    const set = setOf([[values]]);
    const found = fitQuantileFeatures(set, null, options).transform(set, null);
    expect(found.values[0]).toBe(values.length);
    expect(found.columns).toBe(1 + features.length);
    for (const [i, feature] of features.entries()) {
      expect(found.values[1 + i], `feature ${i}`).toBeCloseTo(feature, 4);
    }
  });

  it("are fewer of each of very many channels", () => {
    const line = Float64Array.from({ length: 60 }, (_, t) => t % 7);
    const many = setOf([Array.from({ length: 1500 }, () => line)]);
    const of = fitQuantileFeatures(many, null);
    expect(of.features).toBeLessThan(20_000);
    expect(new Set(of.columns.map(({ channel }) => channel)).size).toBe(1501);
  });

  it("are of the same shares of sequences of other lengths", () => {
    const ramp = (length: number) => Float64Array.from({ length }, (_, t) => t / (length - 1));
    const set = setOf([[ramp(64)], [ramp(32)]]);
    const fitted = fitQuantileFeatures(set, null, { depth: 3 });
    const { values } = fitted.transform(set, null);
    for (const [c, { representation }] of fitted.columns.entries()) {
      if (representation !== "values") continue;
      expect(Math.abs(values[c] - values[fitted.features + c])).toBeLessThan(0.04);
    }
  });

  it("keep to 20,000 columns, of more steps a quantile", () => {
    const channels = Array.from({ length: 12 }, () => new Float64Array(500));
    const fitted = fitQuantileFeatures(setOf([channels]), null);
    expect(fitted.features).toBeLessThanOrEqual(20_001);
    expect(fitted.features).toBeGreaterThan(5000);
    const owners = fitted.columns.map(({ channel }) => channel);
    expect(new Set(owners)).toEqual(new Set([-1, ...channels.keys()]));
  });

  it("refuse depths and divisors that mean nothing", () => {
    const set = setOf([[[1, 2, 3]]]);
    expect(() => fitQuantileFeatures(set, null, { depth: 11 })).toThrow("1 to 10 depths, not 11");
    expect(() => fitQuantileFeatures(set, null, { divisor: 0 })).toThrow("one step, not of 0");
  });
});

describe("amplitudes", () => {
  it.each([1, 2, 3, 7, 12, 31, 64])(
    "are those of the sum that defines them, %i steps",
    (length) => {
      const values = Float64Array.from({ length }, (_, t) => Math.sin(t * t) + t / 9);
      const found = amplitudes(values);
      expect(found).toHaveLength(Math.floor(length / 2) + 1);
      for (const [k, size] of found.entries()) {
        let [real, imaginary] = [0, 0];
        for (const [t, value] of values.entries()) {
          real += value * Math.cos((2 * Math.PI * k * t) / length);
          imaginary += value * Math.sin((2 * Math.PI * k * t) / length);
        }
        expect(size).toBeCloseTo(Math.hypot(real, imaginary), 9);
      }
    },
  );
});
