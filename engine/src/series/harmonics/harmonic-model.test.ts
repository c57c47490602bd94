import { describe, expect, it } from "vitest";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { fitTheta, loadTheta, type SavedTheta } from "../theta/theta-model.ts";
import { fitHarmonic, loadHarmonic, type SavedHarmonic } from "./harmonic-model.ts";
import { fitHarmonics, harmonicAt } from "./harmonic-regression.ts";

interface Figures {
  readonly cases: readonly {
    readonly name: string;
    readonly period: number;
    readonly season: number;
    readonly values: readonly number[];
    readonly coefficients: readonly number[];
    readonly autocorrelation: number;
  }[];
}

const { cases } = readFigures<Figures>("harmonic_figures");

describe("waves of a long season", () => {
  it.each(cases)("are those of statsmodels: $name", (figures) => {
    const { period, season, values, coefficients, autocorrelation } = figures;
    const fitted = fitHarmonics(Float64Array.from(values), { period, seasonLength: season });
    expect(fitted.coefficients).toHaveLength(coefficients.length);
    for (const [i, each] of coefficients.entries()) {
      expect(fitted.coefficients[i]).toBeCloseTo(each, 5);
    }
    expect(fitted.autocorrelation).toBeCloseTo(autocorrelation, 5);
  });

  it("come again after a period that is no whole number of steps", () => {
    const waves = [3, -1, 0.5, 2];
    for (const step of [0, 1, 77]) {
      expect(harmonicAt(waves, 30.5, step + 61)).toBeCloseTo(harmonicAt(waves, 30.5, step), 9);
    }
  });
});

const PERIOD = 91.3;
const DAYS = 260;
const noise = (t: number): number => Math.sin(1.7 * t * t) + Math.cos(0.61 * t * t);
const wave = (t: number): number =>
  100 + 20 * Math.sin((2 * Math.PI * t) / PERIOD) + (t % 7 === 5 ? 8 : 0);
const values = (from: number, to: number): Float64Array =>
  Float64Array.from({ length: to - from }, (_, i) => wave(from + i) + noise(from + i));
const fitted = (history: Float64Array) =>
  fitHarmonic(history, {
    ...{ period: PERIOD, seasonLength: 7 },
    fitInner: (rest) => fitTheta(rest, { seasonLength: 7 }),
  });
/** From `first` on. */
const furthest = (forecasts: Float64Array, first: number): number =>
  Math.max(...forecasts.map((value, h) => Math.abs(value - wave(first + h))));

describe("a model with waves", () => {
  it("goes on along them, as no model of a week does", () => {
    const history = values(0, DAYS);
    expect(furthest(fitted(history).forecast(history, 60), DAYS)).toBeLessThan(4);
    const plain = fitTheta(history, { seasonLength: 7 }).forecast(history, 60);
    expect(furthest(plain, DAYS)).toBeGreaterThan(20);
  });

  it("has waves at the steps of another history, at its level, and in its unit", () => {
    const model = fitted(values(0, DAYS));
    const later = values(300, 400);
    expect(furthest(model.forecast(later, 60, 300), 400)).toBeLessThan(5);
    const raised = later.map((value) => value + 50);
    const moved = model.forecast(raised, 60, 300).map((value) => value - 50);
    expect(furthest(moved, 400)).toBeLessThan(5);
    const larger = model.forecast(
      later.map((value) => 1024 * value),
      60,
      300,
    );
    expect(
      furthest(
        larger.map((value) => value / 1024),
        400,
      ),
    ).toBeLessThan(5);
  });

  it("has none of a history of less than one and a half periods", () => {
    expect(fitted(values(0, 136)).saved.coefficients).toEqual([]);
    expect(fitted(values(0, 138)).saved.coefficients.length).toBeGreaterThan(0);
  });
});

describeSeriesModel<SavedHarmonic<SavedTheta>>({
  name: "waves over theta",
  fit: (history, seasonLength) =>
    fitHarmonic(history, {
      ...{ period: 9.5, seasonLength },
      fitInner: (rest) => fitTheta(rest, { seasonLength }),
    }),
  load: (saved) => loadHarmonic(saved, loadTheta),
});
