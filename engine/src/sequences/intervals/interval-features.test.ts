import { describe, expect, it } from "vitest";
import { setOf } from "../testing/made-sequences.ts";
import { itKeepsTheLaws } from "../testing/transform-laws.ts";
import { fitIntervalFeatures, IntervalFeatures } from "./interval-features.ts";

describe("interval features", () => {
  itKeepsTheLaws({
    fit: (set, rows) => fitIntervalFeatures(set, rows, { depth: 2 }),
    load: IntervalFeatures.load,
  });

  const set = setOf([[[1, 3, 2, 8, 5, 5, 0, 4]]]);
  const fitted = fitIntervalFeatures(set, null);
  const { values } = fitted.transform(set, null);
  const said = (interval: string, statistic: string, representation = "values") => {
    const at = fitted.columns.findIndex(
      (column) =>
        column.channel === 0 &&
        column.interval === interval &&
        column.statistic === statistic &&
        column.representation === representation,
    );
    expect(at).toBeGreaterThan(0);
    return values[at];
  };

  it("names every column once", () => {
    const names = fitted.columns.map((column) => JSON.stringify(column));
    expect(new Set(names).size).toBe(fitted.features);
    expect(fitted.columns[0].statistic).toBe("length");
    expect(values[0]).toBe(8);
  });

  it("says of the whole and of parts what they are", () => {
    expect(said("1/1", "mean")).toBeCloseTo(3.5);
    // Population: squares of 2.5, .5, 1.5, 4.5, 1.5, 1.5, 3.5, .5.
    expect(said("1/1", "deviation")).toBeCloseTo(Math.sqrt(46 / 8));
    expect(said("1/1", "minimum")).toBe(0);
    expect(said("1/1", "position_of_minimum")).toBeCloseTo(6 / 7);
    expect(said("1/1", "position_of_maximum")).toBeCloseTo(3 / 7);
    expect(said("1/1", "median")).toBeCloseTo(3.5);
    expect(said("1/1", "rise")).toBe(3);
    expect(said("1/1", "mean_absolute_step")).toBeCloseTo((2 + 1 + 6 + 3 + 0 + 5 + 4) / 7);
    expect(said("2/2", "mean")).toBeCloseTo(3.5);
    expect(said("2/4", "maximum")).toBe(8);
    expect(said("2/4", "slope")).toBeCloseTo(6);
    expect(said("8/8", "mean")).toBe(4);
    expect(said("8/8", "deviation")).toBe(0);
    expect(said("1/1", "mean", "differences")).toBeCloseTo(3 / 7);
  });

  it("finds the frequency of a wave", () => {
    const wave = setOf([
      [Float64Array.from({ length: 64 }, (_, t) => Math.sin((Math.PI * t) / 4))],
    ]);
    const features = fitIntervalFeatures(wave, null, { depth: 0 });
    const row = features.transform(wave, null).values;
    const of = (name: string) => row[features.columns.findIndex((c) => c.statistic === name)];
    // One period in 8 steps; the highest frequency is one in 2.
    expect(of("peak_frequency")).toBeCloseTo(1 / 4);
    expect(of("peak_share")).toBeCloseTo(1);
    expect(of("spectral_entropy")).toBeCloseTo(0);
    expect(of("spectral_centroid")).toBeCloseTo(1 / 4);
    expect(of("power_band_1")).toBeCloseTo(1);
  });

  it("are fewer of each of very many channels, and the mean is among them", () => {
    const line = [1, 3, 2, 8];
    const many = setOf([Array.from({ length: 1500 }, () => line)]);
    const of = fitIntervalFeatures(many, null);
    expect(of.features).toBeLessThan(30_000);
    const row = of.transform(many, null).values;
    const at = of.columns.findIndex(
      ({ channel, statistic }) => channel === 1499 && statistic === "mean",
    );
    expect(row[at]).toBeCloseTo(3.5);
    const again = IntervalFeatures.load(of.save());
    expect(again.columns).toEqual(of.columns);
    expect(again.transform(many, null).values).toEqual(row);
  });

  it("are the summaries alone where that is asked", () => {
    const of = fitIntervalFeatures(set, null, { depth: 1, detail: "summaries" });
    expect(new Set(of.columns.map(({ statistic }) => statistic))).not.toContain("power_band_1");
    expect(IntervalFeatures.load(of.save()).columns).toEqual(of.columns);
  });

  it("refuses a depth that it does not know", () => {
    expect(() => fitIntervalFeatures(set, null, { depth: 7 })).toThrow("0 to 6 times, not 7");
  });
});
