import { describe, expect, it } from "vitest";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { CROSTON_METHODS, type CrostonMethod, fitCroston, loadCroston } from "./croston.ts";

interface CrostonFigures {
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly forecasts: Readonly<Record<CrostonMethod, number>>;
  }[];
}

for (const method of CROSTON_METHODS) {
  describeSeriesModel({
    name: `croston, ${method}`,
    fit: (history) => fitCroston(history, { method }),
    load: loadCroston,
    // What Syntetos and Boylan take off is a share of any level.
    keepsConstants: method !== "sba",
    hasSeason: false,
  });
}

describe("models of intermittent demand", () => {
  it.each(readFigures<CrostonFigures>("croston_figures").series)(
    "forecast what statsforecast does: $name",
    ({ values, forecasts }) => {
      const history = Float64Array.from(values);
      for (const method of CROSTON_METHODS) {
        const options = method === "tsb" ? { method, alpha: 0.2, beta: 0.3 } : { method };
        const [level] = fitCroston(history, options).forecast(history, 1);
        // Both search the smoothing of sums; theirs by golden sections to 1e-4.
        expect(level / forecasts[method], method).toBeCloseTo(1, 4);
      }
    },
  );

  it("forecast nothing where nothing was asked for", () => {
    const history = new Float64Array(12);
    for (const method of CROSTON_METHODS) {
      expect([...fitCroston(history, { method }).forecast(history, 2)]).toEqual([0, 0]);
    }
  });

  it("let the forecast fall where demand has ended, by the probability alone", () => {
    const ended = Float64Array.from({ length: 40 }, (_, t) => (t < 20 && t % 2 === 0 ? 5 : 0));
    const level = (method: CrostonMethod): number =>
      fitCroston(ended, { method }).forecast(ended, 1)[0];
    expect(level("tsb")).toBeLessThan(0.1);
    expect(level("classic")).toBeGreaterThan(2);
  });

  it("refuse a smoothing that is none", () => {
    expect(() => fitCroston(Float64Array.of(1, 0), { alpha: 0 })).toThrow(RangeError);
    expect(() => fitCroston(Float64Array.of(1, 0), { beta: 1.5 })).toThrow(/1.5/);
  });
});
