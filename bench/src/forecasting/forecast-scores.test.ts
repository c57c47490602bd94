import { describe, expect, it } from "vitest";
import { meanForecasts, medianForecasts, scoreForecasts } from "./forecast-scores.ts";

describe("scores of forecasts", () => {
  const history = Float64Array.of(1, 2, 3, 4, 6, 8);
  const set = { name: "", frequency: "yearly", season: 2, horizon: 2 };

  it("are in units of the seasonal naive error, and in percent of both sizes", () => {
    const series = [{ id: "a", history, future: Float64Array.of(10, 0) }];
    const { mase, smape } = scoreForecasts({ ...set, series }, [[12, 0]]);
    // Changes over a season: 2, 2, 3, 4.
    expect(mase).toBeCloseTo(1 / 2.75, 12);
    expect(smape).toBeCloseTo((200 * 2) / 22 / 2, 12);
  });

  it("leave series that never change out of the scaled one", () => {
    const future = Float64Array.of(5, 5);
    const series = [
      { id: "a", history, future },
      { id: "b", history: new Float64Array(6).fill(3), future },
    ];
    const { mase } = scoreForecasts({ ...set, series }, [
      [5, 5.5],
      [9, 9],
    ]);
    expect(mase).toBeCloseTo(0.25 / 2.75, 12);
  });

  it("combine models step by step", () => {
    const models = [[[1, 10]], [[2, 40]], [[6, 10]]];
    expect(meanForecasts(models)).toEqual([Float64Array.of(3, 20)]);
    expect(medianForecasts(models)).toEqual([Float64Array.of(2, 10)]);
    expect(medianForecasts(models.slice(0, 2))).toEqual([Float64Array.of(1.5, 25)]);
  });
});
