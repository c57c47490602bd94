import { describe, expect, it } from "vitest";
import { autocorrelations, isSeasonal } from "../seasonality/autocorrelation.ts";
import { seasonalIndices } from "../seasonality/classical-decomposition.ts";
import { scaled, scaleOf } from "../standardise.ts";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { extendTheta, fitAtAlpha, lineHistory } from "./theta-lines.ts";
import { fitTheta, loadTheta, THETA_FORMS, type ThetaForm } from "./theta-model.ts";

interface ThetaFigures {
  readonly series: readonly {
    readonly name: string;
    readonly season: number;
    readonly values: readonly number[];
    readonly acf: readonly number[];
    readonly seasonal?: boolean;
    readonly additive?: readonly number[];
    readonly multiplicative?: readonly number[];
    readonly models: readonly {
      readonly form: ThetaForm;
      readonly alpha: number;
      readonly leastError: number;
      readonly initialLevel: number;
      readonly theta: number;
      readonly forecasts: readonly number[];
    }[];
  }[];
}

const FIGURES = readFigures<ThetaFigures>("theta_figures");

for (const form of THETA_FORMS) {
  describeSeriesModel({
    name: `theta, ${form}`,
    fit: (history, seasonLength) => fitTheta(history, { form, seasonLength }),
    load: loadTheta,
  });
}

describe.each(FIGURES.series)("beside statsmodels and statsforecast: $name", (figure) => {
  const values = Float64Array.from(figure.values);

  it("has their autocorrelations, seasonal test and indices", () => {
    autocorrelations(values, 12).forEach((value, lag) => {
      expect(value).toBeCloseTo(figure.acf[lag], 10);
    });
    if (figure.seasonal === undefined) return;
    expect(isSeasonal(values, figure.season)).toBe(figure.seasonal);
    for (const form of ["additive", "multiplicative"] as const) {
      seasonalIndices(values, figure.season, form).forEach((value, step) => {
        expect(value).toBeCloseTo(figure[form]![step], 9);
      });
    }
  });

  it.each(figure.models)("$form at alpha $alpha: least error and forecasts", (model) => {
    const dynamic = model.form.startsWith("dynamic");
    const omega = model.form.endsWith("standard") ? 0.5 : null;
    const lines = lineHistory(values, dynamic);
    const { error } = fitAtAlpha(values, lines, model.alpha, omega, 0);
    expect(error / model.leastError).toBeCloseTo(1, 7);

    const forecasts = extendTheta(values, model.forecasts.length, {
      dynamic,
      alpha: model.alpha,
      omega: 1 - 1 / model.theta,
      initialLevel: model.initialLevel,
    });
    forecasts.forEach((value, h) => {
      expect(value / model.forecasts[h]).toBeCloseTo(1, 9);
    });
  });

  it("leaves no better alpha nearby", () => {
    for (const form of THETA_FORMS) {
      const { saved } = fitTheta(values, { form, seasonLength: 1 });
      const omega = form.endsWith("standard") ? 0.5 : null;
      const plain = scaled(values, scaleOf(values));
      const lines = lineHistory(plain, form.startsWith("dynamic"));
      const found = fitAtAlpha(plain, lines, saved.alpha, omega);
      for (const step of [-0.01, 0.01]) {
        const alpha = Math.min(0.99, Math.max(0.1, saved.alpha + step));
        const other = fitAtAlpha(plain, lines, alpha, omega);
        expect(found.error).toBeLessThanOrEqual(other.error * (1 + 1e-6));
      }
    }
  });
});

describe("the theta method", () => {
  it("finds the season of a short newer history", () => {
    const season = [0.5, 1, 1.5, 1];
    const history = Float64Array.from({ length: 40 }, (_, t) => (100 + t) * season[t % 4]);
    const model = fitTheta(history, { seasonLength: 4 });
    expect(model.saved.season?.form).toBe("multiplicative");
    const newer = history.subarray(33);
    const forecasts = model.forecast(newer, 4);
    forecasts.forEach((value, h) => {
      expect(value / ((140 + h) * season[h])).toBeCloseTo(1, 1);
    });
  });

  it("answers a few values by values like them, in the season's order where their step is known", () => {
    const season = [-20, 0, 30, -10];
    const history = Float64Array.from({ length: 80 }, (_, t) => 130 + 0.5 * t + season[t % 4]);
    for (const form of THETA_FORMS) {
      const model = fitTheta(history, { seasonLength: 4, form, decomposition: "additive" });
      for (const steps of [1, 2, 3]) {
        const from = history.length - steps;
        model.forecast(history.subarray(from), 8, from).forEach((value, h) => {
          expect(Math.abs(value - (170 + 0.5 * h + season[h % 4]))).toBeLessThan(12);
        });
      }
    }
  });

  it("keeps to additive seasons where values are not above 0", () => {
    const history = Float64Array.from({ length: 40 }, (_, t) => [-4, 0, 4, 0][t % 4] + 0.01 * t);
    expect(fitTheta(history, { seasonLength: 4 }).saved.season?.form).toBe("additive");
  });
});
