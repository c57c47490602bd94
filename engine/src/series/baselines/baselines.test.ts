import { describe, expect, it } from "vitest";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { BASELINE_METHODS, bestRepeated, fitBaseline, loadBaseline } from "./baselines.ts";

for (const method of BASELINE_METHODS) {
  describeSeriesModel({
    name: method,
    fit: (history, seasonLength) => fitBaseline(history, { method, seasonLength }),
    load: loadBaseline,
  });
}

describe("baselines", () => {
  const history = Float64Array.of(1, 2, 3, 4, 5, 6, 7, 9);
  const forecast = (options: Parameters<typeof fitBaseline>[1], horizon: number): number[] => [
    ...fitBaseline(history, options).forecast(history, horizon),
  ];

  it("repeat the last value, the last season, the mean of seasons, and go on along a line", () => {
    expect(forecast({ method: "naive", seasonLength: 3 }, 3)).toEqual([9, 9, 9]);
    expect(forecast({ seasonLength: 3 }, 5)).toEqual([6, 7, 9, 6, 7]);
    expect(forecast({ method: "window_average", seasonLength: 3 }, 4)).toEqual([4.5, 5.5, 7, 4.5]);
    expect(forecast({ method: "window_average", seasonLength: 3, seasons: 9 }, 3)).toEqual([
      4.5, 4, 5.333333333333333,
    ]);
    const drift = forecast({ method: "drift", seasonLength: 1 }, 2);
    expect(drift[0]).toBeCloseTo(9 + 8 / 7, 12);
    expect(drift[1]).toBeCloseTo(9 + 16 / 7, 12);
  });

  it("repeat of several seasons the one that the history repeats best", () => {
    const of = (value: (t: number) => number) =>
      Float64Array.from({ length: 60 }, (_, t) => value(t));
    // Weeks that differ while their days go on rising, and weeks of which each is as the last.
    const rising = of((t) => (t % 4) + 0.5 * t);
    const weekly = of((t) => (t % 4) + 5 * Number(t % 12 < 2));
    expect(bestRepeated(rising, [4, 12])).toBe(4);
    expect(bestRepeated(weekly, [4, 12])).toBe(12);
    expect(
      bestRepeated(
        of((t) => t % 4),
        [4, 12],
      ),
    ).toBe(12);
    expect(bestRepeated(weekly.subarray(0, 10), [4, 12])).toBe(4);
    expect(bestRepeated(weekly.subarray(0, 3), [4, 12])).toBe(12);
    expect(bestRepeated(weekly, [])).toBe(1);
  });

  it("take the last value for steps that a history shorter than a season does not hold", () => {
    const short = Float64Array.of(4, 6);
    expect([...fitBaseline(short, { seasonLength: 4 }).forecast(short, 5)]).toEqual([
      6, 6, 4, 6, 6,
    ]);
  });
});
