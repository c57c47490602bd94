import { describe, expect, it } from "vitest";
import { fitEts, loadEts } from "../ets/ets-model.ts";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { decomposeMstl, fitMstl, loadMstl } from "./mstl-model.ts";

interface MstlFigures {
  readonly mstl: {
    readonly values: readonly number[];
    readonly periods: readonly number[];
    readonly seasons: readonly (readonly number[])[];
    readonly trend: readonly number[];
  };
}

describeSeriesModel({
  name: "mstl over ets",
  fit: (history, seasonLength) =>
    fitMstl(history, {
      seasonLengths: [seasonLength, 2 * seasonLength],
      fitInner: (rest) => fitEts(rest, { seasonLength: 1 }),
    }),
  load: (saved) => loadMstl(saved, loadEts),
  runs: 25,
});

describe("MSTL", () => {
  it("is that of statsmodels", () => {
    const { mstl } = readFigures<MstlFigures>("stl_figures");
    const parts = decomposeMstl(Float64Array.from(mstl.values), mstl.periods);
    parts.seasons.forEach((season, k) => {
      season.forEach((value, t) => {
        expect(value).toBeCloseTo(mstl.seasons[k][t], 6);
      });
    });
    parts.trend.forEach((value, t) => {
      expect(value).toBeCloseTo(mstl.trend[t], 6);
    });
  });

  it("keeps the seasons of the fit where a history does not hold them twice", () => {
    const value = (t: number): number =>
      50 + 0.1 * t + 5 * Math.sin((2 * Math.PI * t) / 7) + 9 * Math.cos((2 * Math.PI * t) / 30);
    const history = Float64Array.from({ length: 300 }, (_, t) => value(t));
    const fitted = fitMstl(history, {
      seasonLengths: [30, 7],
      fitInner: (rest) => fitEts(rest, { seasonLength: 1 }),
    });
    const model = loadMstl(fitted.saved, loadEts);
    for (const steps of [3, 10, 40]) {
      const from = history.length - steps;
      model.forecast(history.subarray(from), 30, from).forEach((forecast, h) => {
        expect(Math.abs(forecast - value(300 + h))).toBeLessThan(1.5);
      });
    }
    // Where they are in another unit, too.
    const thousandth = history.subarray(290).map((each) => each / 1000);
    model.forecast(thousandth, 30, 290).forEach((forecast, h) => {
      expect(Math.abs(1000 * forecast - value(300 + h))).toBeLessThan(10);
    });
    // Models of former versions have none, and forecast as ever.
    const { patterns: _, ...former } = fitted.saved;
    expect(loadMstl(former, loadEts).forecast(history, 9)).toEqual(model.forecast(history, 9));
    expect(
      loadMstl(former, loadEts).forecast(history.subarray(297), 9, 297).every(Number.isFinite),
    ).toBe(true);
  });

  it("goes on with two seasons at once", () => {
    const value = (t: number): number =>
      50 + 0.1 * t + 5 * Math.sin((2 * Math.PI * t) / 7) + 9 * Math.cos((2 * Math.PI * t) / 30);
    const history = Float64Array.from({ length: 300 }, (_, t) => value(t));
    const model = fitMstl(history, {
      seasonLengths: [30, 7],
      fitInner: (rest) => fitEts(rest, { seasonLength: 1 }),
    });
    model.forecast(history, 30).forEach((forecast, h) => {
      expect(Math.abs(forecast - value(300 + h))).toBeLessThan(1);
    });
  });
});
