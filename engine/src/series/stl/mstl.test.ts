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
