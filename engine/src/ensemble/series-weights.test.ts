import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { mase } from "../metrics/mase.ts";
import { crossFits } from "./labelled-rows.ts";
import { weightsOfRows } from "./row-weights.ts";
import { fitSeriesWeights, type SeriesWeighingRequest } from "./series-weights.ts";

const SERIES = 40;
const WINDOWS = 3;
const STEPS = 6;

/**
 * Two members, equally good on average. The first is `apart` times as far off in odd series, the second in
 * even ones.
 */
function requestOf(apart: number, seed = 1): SeriesWeighingRequest {
  const random = new CounterRandom(deriveKey(seed, "series"));
  const places = Array.from({ length: WINDOWS * SERIES * STEPS }, (_, row) => ({
    window: Math.floor(row / (SERIES * STEPS)),
    series: Math.floor(row / STEPS) % SERIES,
    step: row % STEPS,
  }));
  const noise = (own: number): Float64Array =>
    Float64Array.from(
      places,
      ({ series }) => random.nextGaussian() * (series % 2 === own ? 1 : apart),
    );
  const predictions = [noise(0), noise(1)];
  const ones = new Float64Array(places.length).fill(1);
  const numbers = (of: (place: (typeof places)[number]) => number) => Uint32Array.from(places, of);
  const target = new Float64Array(places.length);
  const folds = crossFits(new Array<number>(WINDOWS).fill(SERIES * STEPS));
  return {
    predictions,
    rows: {
      target,
      weights: null,
      outputs: 1,
      series: {
        group: numbers(({ window, series }) => window * SERIES + series),
        series: numbers(({ series }) => series),
        window: numbers(({ window }) => window),
        step: numbers(({ step }) => step),
        ...{ scale: ones, squaredScale: ones, recentScale: ones, reference: target },
        ...{
          least: ones.map(() => Number.NEGATIVE_INFINITY),
          most: ones.map(() => Number.POSITIVE_INFINITY),
        },
      },
    },
    folds,
    weights: [0.5, 0.5],
    byFold: folds.map(() => [0.5, 0.5]),
    pooled: target.map((_, row) => (predictions[0][row] + predictions[1][row]) / 2),
    metric: mase,
  };
}

const scoreOf = ({ rows }: SeriesWeighingRequest, predictions: Float64Array): number =>
  mase.score({ ...rows, predictions });

describe("weights by series", () => {
  it("prefer in each series the member that is better there, and sum to 1", () => {
    const request = requestOf(3);
    const fitted = fitSeriesWeights(request);
    const [first, second] = fitted?.weighing?.weights ?? [];
    for (let s = 0; s < SERIES; s++) {
      expect(first[s] + second[s]).toBeCloseTo(1, 12);
      expect(Math.sign(first[s] - second[s])).toBe(s % 2 === 0 ? 1 : -1);
    }
    const after = scoreOf(request, fitted?.crossFitted ?? request.pooled);
    expect(after).toBeLessThan(0.95 * scoreOf(request, request.pooled));
    expect(fitted?.note).toMatch(/own.*in each of the 3 windows.*mase \d\.\d+ against \d\.\d+/);
  });

  it("are left out where series do not differ, and what is reported is the pooled blend", () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const request = requestOf(1, seed);
      const fitted = fitSeriesWeights(request);
      expect(fitted?.weighing).toBeNull();
      expect(fitted?.note).toMatch(/not better in each of the 3 windows/);
      const rise = scoreOf(request, fitted?.crossFitted ?? request.pooled);
      expect(rise / scoreOf(request, request.pooled)).toBeCloseTo(1, 1);
    }
  });

  it("say of a window only what the others do", () => {
    const request = requestOf(3);
    const before = fitSeriesWeights(request)?.crossFitted;
    // The last window turns out the other way round: nothing that its forecasts are made of.
    const target = request.rows.target.slice();
    for (const row of request.folds[2].apply) {
      target[row] = request.predictions[request.rows.series.series[row] % 2 === 0 ? 1 : 0][row];
    }
    const turned = fitSeriesWeights({ ...request, rows: { ...request.rows, target } });
    const own = (all: Float64Array | undefined) =>
      Array.from(request.folds[2].apply, (row) => all?.[row]);
    const changed = own(turned?.crossFitted).map((value, i) => value !== own(before)[i]);
    // With the turned window among those that choose, nothing is chosen; it is itself forecast as before.
    expect(turned?.weighing).toBeNull();
    expect(new Set(changed)).toEqual(new Set([false]));
  });

  it("read no row of weight 0, and leave a series without any to the weights of all", () => {
    const request = requestOf(3);
    const { rows } = request;
    const weights = Float64Array.from(rows.series.series, (series) => Number(series !== 7));
    const weighed = fitSeriesWeights({ ...request, rows: { ...rows, weights } });
    expect(weighed?.weighing?.weights.map((each) => each[7])).toEqual([0.5, 0.5]);
  });

  it("are not tried with one window, one series or one member", () => {
    const request = requestOf(3);
    expect(
      fitSeriesWeights({
        ...request,
        weights: [1, 0],
        byFold: [
          [1, 0],
          [1, 0],
          [1, 0],
        ],
      }),
    ).toBeNull();
    const { series, window } = request.rows.series;
    const withSeries = (more: object) => ({
      ...request,
      rows: { ...request.rows, series: { ...request.rows.series, ...more } },
    });
    expect(fitSeriesWeights(withSeries({ series: series.map(() => 0) }))).toBeNull();
    expect(fitSeriesWeights(withSeries({ window: window.map(() => 0) }))).toBeNull();
  });
});

it("finds a member's weight in each row, of series that are new too", () => {
  const frame = {
    ids: Int32Array.of(1, -1, 0, 9),
    offsets: Uint32Array.of(0, 2, 4, 6, 8),
    target: new Float64Array(8),
  };
  const bySeries = Float64Array.of(0.2, 0.7);
  expect([...weightsOfRows(bySeries, 0.5, frame, Uint32Array.of(1, 3, 5, 7))]).toEqual([
    0.7, 0.5, 0.2, 0.5,
  ]);
  expect([...weightsOfRows(bySeries, 0.5, frame, null)]).toEqual([
    0.7, 0.7, 0.5, 0.5, 0.2, 0.2, 0.5, 0.5,
  ]);
});
