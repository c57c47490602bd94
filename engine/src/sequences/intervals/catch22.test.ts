import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CHARACTERISTICS } from "./catch22.ts";
import { autocorrelation, fourierTransform } from "./spectrum.ts";

interface Case {
  readonly values: readonly number[];
  readonly figures: Readonly<Record<string, number>>;
}

// By aeon and pycatch22: fixtures/catch22_figures.py.
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL("../fixtures/catch22_figures.json", import.meta.url), "utf8"),
);

describe("catch22", () => {
  it("has all of them", () => {
    expect(Object.keys(CHARACTERISTICS).toSorted()).toEqual(
      Object.keys(cases[0].figures).toSorted(),
    );
  });

  it.each(Object.keys(CHARACTERISTICS))("%s is what its library says", (name) => {
    for (const { values, figures } of cases) {
      const series = Float64Array.from(values);
      const value = CHARACTERISTICS[name]({ values: series, correlation: autocorrelation(series) });
      expect(value, `${values.length} steps`).toBeCloseTo(figures[name], 5);
    }
  });

  it("is finite or left to the caller for constant and short series", () => {
    for (const length of [1, 2, 3, 5]) {
      const values = new Float64Array(length);
      const correlation = autocorrelation(values);
      for (const characteristic of Object.values(CHARACTERISTICS)) {
        expect(() => characteristic({ values, correlation })).not.toThrow();
      }
    }
  });

  it("transforms by the sum that defines a Fourier transform", () => {
    const real = Float64Array.from({ length: 16 }, (_, i) => Math.sin(i * i) + i / 7);
    const imaginary = Float64Array.from({ length: 16 }, (_, i) => Math.cos(3 * i));
    const expected = Array.from({ length: 16 }, (_, k) => {
      let [re, im] = [0, 0];
      for (let t = 0; t < 16; t++) {
        const [c, s] = [
          Math.cos((-2 * Math.PI * k * t) / 16),
          Math.sin((-2 * Math.PI * k * t) / 16),
        ];
        re += real[t] * c - imaginary[t] * s;
        im += real[t] * s + imaginary[t] * c;
      }
      return [re, im];
    });
    fourierTransform(real, imaginary);
    for (const [k, [re, im]] of expected.entries()) {
      expect(real[k]).toBeCloseTo(re, 10);
      expect(imaginary[k]).toBeCloseTo(im, 10);
    }
  });
});
