import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { difference } from "../seasonality/differences.ts";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { fitArima, loadArima } from "./arima-model.ts";
import { type ArimaOrder, orderName } from "./arima-order.ts";
import { filterArma } from "./arma-filter.ts";
import { type ArmaCoefficients, expandAr, expandMa, fitOrder } from "./fit-order.ts";
import { fromPartials, multiplySeasonal, rootsOutside } from "./polynomials.ts";
import { kpss, plainDifferences, seasonalDifferences } from "./unit-roots.ts";

interface ArimaFigures {
  readonly series: readonly {
    readonly name: string;
    readonly season: number;
    readonly values: readonly number[];
    readonly kpss: readonly number[];
    readonly seasonalDifferences: number;
    readonly found: number;
    readonly models: readonly {
      readonly order: ArimaOrder;
      readonly coefficients: ArmaCoefficients;
      readonly logLikelihood: number;
      readonly differencedForecasts: readonly number[];
    }[];
  }[];
}

const FIGURES = readFigures<ArimaFigures>("arima_figures");

describeSeriesModel({
  name: "arima",
  fit: (history, seasonLength) => fitArima(history, { seasonLength }),
  load: loadArima,
  runs: 25,
});
describeSeriesModel({
  name: "arima with two differences",
  fit: (history, seasonLength) => fitArima(history, { seasonLength, mostDifferences: 2 }),
  load: loadArima,
  runs: 25,
});

/** With the variance at its best value, as statsmodels counts it. */
function logLikelihood(values: Float64Array, ar: Float64Array, ma: Float64Array): number {
  const filter = filterArma(values, ar, ma)!;
  const n = values.length;
  return -0.5 * (n * (Math.log(2 * Math.PI) + 1 + Math.log(filter.squares / n)) + filter.logs);
}

describe.each(FIGURES.series)("beside statsmodels and statsforecast: $name", (figure) => {
  const values = Float64Array.from(figure.values);
  const { season } = figure;

  it("has their tests of unit roots", () => {
    expect(kpss(values)).toBeCloseTo(figure.kpss[0], 9);
    expect(kpss(difference(values, 1, 1))).toBeCloseTo(figure.kpss[1], 9);
    expect(seasonalDifferences(values, season)).toBe(figure.seasonalDifferences);
  });

  it.each(figure.models.map((model) => ({ ...model, name: orderName(model.order, season) })))(
    "$name: exact likelihood and forecasts at given coefficients",
    ({ order, coefficients, ...model }) => {
      const differenced = difference(difference(values, season, order.seasonalD), 1, order.d).map(
        (value) => value - coefficients.mean,
      );
      const ar = expandAr(coefficients, season);
      const ma = expandMa(coefficients, season);
      expect(logLikelihood(differenced, ar, ma)).toBeCloseTo(model.logLikelihood, 6);
      filterArma(differenced, ar, ma, 5)!.forecasts.forEach((value, h) => {
        expect(value + coefficients.mean).toBeCloseTo(model.differencedForecasts[h], 6);
      });
    },
  );

  it("finds a likelihood no worse than their search", () => {
    const order = { p: 1, d: 0, q: 1, seasonalP: 0, seasonalD: 0, seasonalQ: 0, constant: true };
    const differenced = difference(values, 1, 1);
    const found = fitOrder(differenced, order, 1, "ml", { weight: 0 })!;
    const { mean } = found.coefficients;
    const own = logLikelihood(
      differenced.map((value) => value - mean),
      Float64Array.from(found.coefficients.ar),
      Float64Array.from(found.coefficients.ma),
    );
    expect(own).toBeGreaterThan(figure.found - 0.1);
  });
});

describe("the exact likelihood", () => {
  it("is that of the covariance matrix, for any stationary process", () => {
    const partials = fc.array(fc.double({ min: -0.9, max: 0.9, noNaN: true }), { maxLength: 2 });
    fc.assert(
      fc.property(
        fc.tuple(partials, partials, partials, partials),
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 1, maxLength: 14 }),
        ([p, q, seasonalP, seasonalQ], list) => {
          const part = (own: readonly number[]): Float64Array =>
            fromPartials(Float64Array.from(own));
          const ar = multiplySeasonal(part(p), part(seasonalP), 3);
          const ma = multiplySeasonal(part(q), part(seasonalQ), 3).map((value) => -value);
          const values = Float64Array.from(list);
          const filter = filterArma(values, ar, ma)!;
          const slow = byCovariance(values, ar, ma);
          expect(filter.logs).toBeCloseTo(slow.logs, 5);
          const off = Math.abs(filter.squares - slow.squares);
          expect(off).toBeLessThan(1e-5 * (1 + slow.squares));
        },
      ),
      { numRuns: 150, seed: 6 },
    );
  });
});

/** The slow way: a Cholesky factor of all covariances, these from the weights of past noise. */
function byCovariance(
  values: Float64Array,
  ar: Float64Array,
  ma: Float64Array,
): { logs: number; squares: number } {
  const n = values.length;
  const terms = 3000;
  const psi = new Float64Array(terms);
  for (let k = 0; k < terms; k++) {
    let sum = k === 0 ? 1 : k <= ma.length ? ma[k - 1] : 0;
    for (let j = 1; j <= Math.min(k, ar.length); j++) sum += ar[j - 1] * psi[k - j];
    psi[k] = sum;
  }
  const covariance = (lag: number): number => {
    let sum = 0;
    for (let j = 0; j + lag < terms; j++) sum += psi[j] * psi[j + lag];
    return sum;
  };
  const covariances = Array.from({ length: n }, (_, lag) => covariance(lag));
  const factor = values.map(() => 0);
  const rows: Float64Array[] = [];
  let logs = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    const row = new Float64Array(i + 1);
    for (let j = 0; j <= i; j++) {
      let sum = covariances[i - j];
      for (let k = 0; k < j; k++) sum -= row[k] * (j === i ? row[k] : rows[j][k]);
      row[j] = j === i ? Math.sqrt(sum) : sum / rows[j][j];
    }
    rows.push(row);
    let rest = values[i];
    for (let k = 0; k < i; k++) rest -= row[k] * factor[k];
    factor[i] = rest / row[i];
    squares += factor[i] ** 2;
    logs += 2 * Math.log(row[i]);
  }
  return { logs, squares };
}

describe("lag polynomials", () => {
  it("are multiplied and told apart by their roots", () => {
    expect([...multiplySeasonal(Float64Array.of(0.5), Float64Array.of(0.4), 3)]).toEqual([
      0.5, 0, 0.4, -0.2,
    ]);
    // 1 - 0.5 z has its root at 2.
    expect(rootsOutside(Float64Array.of(0.5), 1.99)).toBe(true);
    expect(rootsOutside(Float64Array.of(0.5), 2.01)).toBe(false);
    // (1 - z / 1.5)(1 - z / 3)
    const two = Float64Array.of(1 / 1.5 + 1 / 3, -1 / 4.5);
    expect(rootsOutside(two, 1.49)).toBe(true);
    expect(rootsOutside(two, 1.51)).toBe(false);
  });

  it("of any partial autocorrelations are stationary", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -0.99, max: 0.99, noNaN: true }), { maxLength: 6 }),
        (partials) => {
          expect(rootsOutside(fromPartials(Float64Array.from(partials)), 1)).toBe(true);
        },
      ),
      { seed: 1 },
    );
  });
});

describe("the automatic order", () => {
  const random = new CounterRandom(deriveKey(0, "noise"));
  const noise = Float64Array.from({ length: 400 }, () => random.nextGaussian());

  it("differences a trend and a season, and nothing else", () => {
    const trend = noise.map((value, t) => value + 0.5 * t);
    expect(plainDifferences(trend, 2)).toBe(1);
    expect(plainDifferences(noise, 2)).toBe(0);
    const season = noise.map((value, t) => value + 20 * Math.sin((Math.PI * t) / 2));
    expect(seasonalDifferences(season, 4)).toBe(1);
    expect(seasonalDifferences(noise, 4)).toBe(0);
  });

  it("finds back what a series was made by", () => {
    const made = new Float64Array(400);
    for (let t = 1; t < 400; t++) made[t] = 0.8 * made[t - 1] + noise[t];
    const { saved } = fitArima(
      made.map((value) => value + 30),
      { seasonLength: 1 },
    );
    expect(saved.order.d).toBe(0);
    const reach = expandAr(saved.coefficients, 1);
    const forecasts = loadArima(saved).forecast(
      made.map((value) => value + 30),
      60,
    );
    expect(reach.length).toBeGreaterThan(0);
    expect(Math.abs(forecasts[59] - 30)).toBeLessThan(1.5);
  });

  it("returns to the level of the history that it is asked of", () => {
    const made = new Float64Array(240);
    for (let t = 1; t < made.length; t++) made[t] = 0.6 * made[t - 1] + noise[t];
    const values = made.map((value) => value + 50);
    const fitted = values.subarray(0, 160);
    const { saved } = fitArima(fitted, { seasonLength: 1 });
    expect(saved.order).toMatchObject({ d: 0, constant: true });
    const model = loadArima(saved);
    const after = (history: Float64Array, since?: number): number =>
      model.forecast(history, 60, since)[59];
    const mean = saved.coefficients.mean * saved.scale;
    expect(after(fitted)).toBeCloseTo(mean, 6);
    // Whatever follows, it begins as the fit did.
    expect(after(values, 0)).toBeCloseTo(mean, 6);
    for (const level of [-1000, 3, 1e6]) {
      for (const from of [160, 230, 237]) {
        const moved = values.subarray(from).map((value) => value + level);
        expect(Math.abs(after(moved, from) - 50 - level)).toBeLessThan(2.5);
        expect(Math.abs(after(moved) - 50 - level)).toBeLessThan(2.5);
      }
    }
    expect(after(Float64Array.of(80), 239)).toBeCloseTo(80, 6);
    // Former versions did not keep how the fit began.
    const { beginning, ...former } = saved;
    expect(beginning).toEqual([...fitted.subarray(0, 8)]);
    expect(loadArima(former).forecast(fitted, 60)).toEqual(model.forecast(fitted, 60));
    expect(loadArima(former).forecast(values.subarray(20), 60)[59]).toBeCloseTo(mean, 6);
    expect(loadArima(former).forecast(values.subarray(20), 60, 20)).toEqual(
      model.forecast(values.subarray(20), 60, 20),
    );
  });

  it("draws the drift of another history to the fitted one", () => {
    const walk = noise.map(() => 0);
    for (let t = 1; t < walk.length; t++) walk[t] = walk[t - 1] + 2 + 0.3 * noise[t];
    const { saved } = fitArima(walk.subarray(0, 100), { seasonLength: 1 });
    expect(saved.order).toMatchObject({ d: 1, constant: true });
    const slopeOf = (history: Float64Array): number => {
      const forecasts = loadArima(saved).forecast(history, 30);
      return forecasts[29] - forecasts[28];
    };
    const line = (steps: number, slope: number): Float64Array =>
      Float64Array.from({ length: steps }, (_, t) => 500 + slope * t);
    // Ten differences count as much as the fit.
    expect(slopeOf(line(11, 4))).toBeGreaterThan(2.5);
    expect(slopeOf(line(11, 4))).toBeLessThan(3.5);
    expect(slopeOf(line(2, 4))).toBeLessThan(2.5);
    expect(slopeOf(line(101, 4))).toBeCloseTo((100 * 4 + 10 * 2) / 110, 1);
  });

  it("goes on along a line that has no noise", () => {
    const line = Float64Array.from({ length: 20 }, (_, t) => 3 + 2 * t);
    fitArima(line, { seasonLength: 1 })
      .forecast(line, 3)
      .forEach((value, h) => {
        expect(value).toBeCloseTo(43 + 2 * h, 9);
      });
  });
});
