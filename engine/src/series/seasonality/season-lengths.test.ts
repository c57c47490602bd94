import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { fitNaive2, loadNaive2 } from "../baselines/naive2.ts";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { seasonLengths } from "./season-lengths.ts";

describeSeriesModel({
  name: "naive2",
  fit: (history, seasonLength) => fitNaive2(history, { seasonLength }),
  load: loadNaive2,
});

describe("seasonLengths", () => {
  const random = new CounterRandom(deriveKey(0, "season lengths"));
  const noise = Float64Array.from({ length: 400 }, () => random.nextGaussian());
  const wave = (length: number, size: number): Float64Array =>
    noise.map((value, t) => value + 0.05 * t + size * Math.sin((2 * Math.PI * t) / length) ** 3);

  it("finds the season that there is, and not its multiples", () => {
    expect(seasonLengths(wave(12, 8), [4, 6, 7, 12, 24, 36])).toEqual([12]);
    expect(seasonLengths(wave(7, 8), [7, 12, 14, 30])).toEqual([7]);
  });

  it("finds two", () => {
    const both = wave(7, 8).map((value, t) => value + 25 * Math.sin((2 * Math.PI * t) / 30) ** 9);
    expect(seasonLengths(both, [7, 30]).sort()).toEqual([30, 7]);
  });

  it("tells weeks of hours from seven days", () => {
    const hours = Float64Array.from({ length: 800 }, (_, t) => t);
    const noiseOf = (t: number): number => noise[t % noise.length];
    const day = (t: number): number => 20 * Math.sin((2 * Math.PI * t) / 24) ** 3;
    const weekend = (t: number): number => (t % 168 >= 120 ? 0.5 : 1);
    const days = hours.map((t) => day(t) + noiseOf(t));
    const weeks = hours.map((t) => day(t) * weekend(t) + noiseOf(t));
    expect(seasonLengths(days, [24, 48, 168, 336])).toEqual([24]);
    expect(seasonLengths(weeks, [24, 48, 168]).sort()).toEqual([168, 24]);
  });

  it("finds none in noise, walks, lines and constants", () => {
    let level = 0;
    const walk = noise.map((value) => {
      level += value;
      return level;
    });
    for (const series of [noise, walk, noise.map((_, t) => 2 * t), new Float64Array(90)]) {
      expect(seasonLengths(series, [4, 7, 12, 24, 52])).toEqual([]);
    }
    expect(seasonLengths(Float64Array.of(1, 2, 1), [2, 4])).toEqual([]);
  });

  it("finds the months of airline passengers", () => {
    interface Figures {
      readonly series: readonly { readonly values: readonly number[] }[];
    }
    const [{ values }] = readFigures<Figures>("theta_figures").series;
    expect(seasonLengths(Float64Array.from(values), [4, 7, 12])).toEqual([12]);
  });
});
