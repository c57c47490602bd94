/** Metrics of forecasts against the figures of utilsforecast (`forecasts.fixture.py`). */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleOf } from "../data/series-history.ts";
import { metricOf } from "../tasks/fitting-metrics.ts";
import { crossFittedQuantiles, scoredByMany } from "./forecast-quantiles.ts";
import fixture from "./forecasts.fixture.json" with { type: "json" };
import { intervalCoverage, shareBetween } from "./interval-coverage.ts";
import { mase } from "./mase.ts";
import { pickScored, pickSeries, type ScoredRows } from "./metric.ts";
import { scaledIntervalScore } from "./msis.ts";
import { owa } from "./owa.ts";
import { rmsse } from "./rmsse.ts";
import { smape } from "./smape.ts";
import { wape } from "./wape.ts";
import { weightedQuantileLoss } from "./wql.ts";

function rowsOf(
  series: readonly {
    readonly history: number[];
    readonly truth: number[];
    readonly forecast: number[];
  }[],
): ScoredRows {
  const scales = series.map(({ history }) => scaleOf(Float64Array.from(history), fixture.season));
  const each = (of: (s: number) => number): Float64Array =>
    Float64Array.from(series.flatMap(({ truth }, s) => truth.map(() => of(s))));
  return {
    target: Float64Array.from(series.flatMap(({ truth }) => truth)),
    predictions: Float64Array.from(series.flatMap(({ forecast }) => forecast)),
    outputs: 1,
    weights: null,
    series: {
      group: Uint32Array.from(each((s) => s)),
      series: Uint32Array.from(each((s) => s)),
      window: Uint32Array.from(each(() => 0)),
      step: Uint32Array.from(series.flatMap(({ truth }) => [...truth.keys()])),
      scale: each((s) => scales[s].absolute),
      squaredScale: each((s) => scales[s].squared),
      recentScale: each((s) => scales[s].absolute),
      least: each(() => 0),
      most: each(() => Number.POSITIVE_INFINITY),
      reference: each((s) => series[s].history.at(-1) ?? 0),
    },
  };
}

describe("metrics of forecasts", () => {
  const all = rowsOf(fixture.series);

  it.each([mase, rmsse, smape])("$name is that of utilsforecast", (metric) => {
    const { scores } = fixture;
    expect(metric.score(all)).toBeCloseTo(scores[metric.name as keyof typeof scores], 10);
  });

  it("wape is that of utilsforecast, of each series", () => {
    for (const [s, expected] of fixture.wape_by_series.entries()) {
      expect(wape.score(rowsOf([fixture.series[s]]))).toBeCloseTo(expected, 10);
    }
  });

  it("owa is 1 for the reference itself, and half of both shares", () => {
    const { reference } = all.series ?? { reference: all.target };
    expect(owa.score({ ...all, predictions: reference })).toBeCloseTo(1, 12);
    const share = (metric: typeof mase): number =>
      metric.score(all) / metric.score({ ...all, predictions: reference });
    expect(owa.score(all)).toBeCloseTo((share(mase) + share(smape)) / 2, 12);
  });

  it("count a row of weight k as k rows, and rows of weight 0 not at all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3), { minLength: all.target.length, maxLength: all.target.length }),
        (weights) => {
          fc.pre(weights.some((weight) => weight > 0));
          const copies = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
          const pick = (values: Float64Array): Float64Array =>
            Float64Array.from(copies, (i) => values[i]);
          const { series } = all;
          if (!series) throw new Error("These rows are of series.");
          const copied: ScoredRows = {
            target: pick(all.target),
            predictions: pick(all.predictions),
            outputs: 1,
            weights: null,
            series: pickSeries(series, Uint32Array.from(copies)),
          };
          const weighted = { ...all, weights: Float64Array.from(weights) };
          for (const metric of [mase, rmsse, smape, wape, owa]) {
            expect(metric.score(weighted)).toBeCloseTo(metric.score(copied), 9);
          }
        },
      ),
    );
  });

  it("are of rows that are steps of series alone", () => {
    expect(() => mase.score({ ...all, series: null })).toThrow(/forecasts of series/);
  });
});

const OUTER_QUANTILES = {
  kind: "forecasting",
  classes: [],
  quantiles: [0.1, 0.9],
  coverage: 0.8,
} as const;

describe("metrics of quantiles and intervals", () => {
  const all = rowsOf(fixture.series);
  const { intervals } = fixture;
  const horizon = fixture.series[0].truth.length;
  const quantilesOf = (s?: number): number[][] =>
    s === undefined
      ? intervals.quantiles
      : intervals.quantiles.slice(s * horizon, (s + 1) * horizon);
  const ends = (s?: number): Float64Array =>
    Float64Array.from(quantilesOf(s).flatMap(([lower, , upper]) => [lower, upper]));

  it("wql is the scaled CRPS of utilsforecast, pooled and of each series", () => {
    const of = (rows: ScoredRows, s?: number): number =>
      weightedQuantileLoss(rows, Float64Array.from(quantilesOf(s).flat()), intervals.levels);
    expect(of(all)).toBeCloseTo(intervals.wql, 12);
    for (const [s, expected] of intervals.wql_by_series.entries()) {
      expect(of(rowsOf([fixture.series[s]]), s)).toBeCloseTo(expected, 12);
    }
  });

  it("coverage is that of utilsforecast, pooled and of each series", () => {
    expect(shareBetween(all, ends())).toBeCloseTo(intervals.coverage, 12);
    for (const [s, expected] of intervals.coverage_by_series.entries()) {
      expect(shareBetween(rowsOf([fixture.series[s]]), ends(s))).toBeCloseTo(expected, 12);
    }
  });

  it("msis is that of gluonts, and the Winkler score of utilsforecast over the scale", () => {
    const asked = intervals.coverage_asked;
    for (const [s, expected] of intervals.msis_by_series.entries()) {
      const score = scaledIntervalScore(rowsOf([fixture.series[s]]), ends(s), asked);
      expect(score).toBeCloseTo(expected, 10);
      expect(score).toBeCloseTo(intervals.winkler_over_scale_by_series[s], 10);
    }
    const mean = intervals.msis_by_series.reduce((a, b) => a + b, 0) / fixture.series.length;
    expect(scaledIntervalScore(all, ends(), asked)).toBeCloseTo(mean, 10);
  });

  it("one weight a series weighs each series' own score (WRMSSE of the M5)", () => {
    const perSeries = [3, 1, 0.5];
    const weights = Float64Array.from(all.target, (_, i) => perSeries[Math.floor(i / horizon)]);
    const total = perSeries.reduce((a, b) => a + b, 0);
    for (const metric of [rmsse, mase, smape]) {
      const expected = fixture.series.reduce(
        (sum, each, s) => sum + (perSeries[s] / total) * metric.score(rowsOf([each])),
        0,
      );
      expect(metric.score({ ...all, weights })).toBeCloseTo(expected, 10);
    }
  });

  /** Windows × series × steps. */
  const backtest = fc
    .record({
      windows: fc.integer({ min: 1, max: 3 }),
      series: fc.integer({ min: 1, max: 7 }),
      steps: fc.integer({ min: 2, max: 6 }),
      noise: fc.array(fc.double({ min: -9, max: 9, noNaN: true }), {
        minLength: 126,
        maxLength: 126,
      }),
    })
    .map(({ windows, series, steps, noise }): ScoredRows => {
      const count = windows * series * steps;
      const places = Array.from({ length: count }, (_, i) => i);
      const group = Uint32Array.from(places, (i) => Math.floor(i / steps));
      return {
        target: Float64Array.from(places, (i) => 20 + noise[i]),
        predictions: new Float64Array(count).fill(20),
        outputs: 1,
        weights: null,
        series: {
          group,
          series: group.map((each) => each % series),
          window: group.map((each) => Math.floor(each / series)),
          step: Uint32Array.from(places, (i) => i % steps),
          scale: new Float64Array(count).fill(2),
          squaredScale: new Float64Array(count).fill(4),
          recentScale: new Float64Array(count).fill(2),
          least: new Float64Array(count).fill(Number.NEGATIVE_INFINITY),
          most: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
          reference: new Float64Array(count).fill(20),
        },
      };
    });

  it("quantiles lie within what the past of a series allows, and intervals hold the forecast", () => {
    fc.assert(
      fc.property(backtest, (rows) => {
        const { series } = rows;
        if (!series) throw new Error("These rows are of series.");
        // All values are above their forecasts, which lie at the bound.
        const bounded = {
          ...rows,
          target: rows.target.map((y) => y - 10),
          predictions: new Float64Array(rows.target.length),
          series: { ...series, least: new Float64Array(rows.target.length) },
        };
        const tail = (1 - 0.8) / 2;
        const quantiles = crossFittedQuantiles(bounded, [tail, 1 - tail], "wql");
        fc.pre(!quantiles.some(Number.isNaN));
        expect(Math.min(...quantiles)).toBeGreaterThanOrEqual(0);
        const task = { kind: "forecasting", coverage: 0.8 };
        const metric = intervalCoverage.ofTask?.(task);
        const held = bounded.target.filter((y, i) => y <= quantiles[2 * i + 1]).length;
        expect(metric?.score(bounded)).toBeCloseTo(held / bounded.target.length, 12);
      }),
    );
  });

  it("a value has no say in the quantiles that it is scored against, nor has its window", () => {
    fc.assert(
      fc.property(backtest, fc.nat(), (rows, at) => {
        const { series } = rows;
        if (!series) throw new Error("These rows are of series.");
        const row = at % rows.target.length;
        const others = new Set(series.window).size > 1;
        const target = rows.target.map((y, i) =>
          i === row || (others && series.window[i] === series.window[row]) ? y + 1000 : y,
        );
        const before = crossFittedQuantiles(rows, intervals.levels, "wql");
        const after = crossFittedQuantiles({ ...rows, target }, intervals.levels, "wql");
        expect(after.slice(3 * row, 3 * row + 3)).toEqual(before.slice(3 * row, 3 * row + 3));
      }),
    );
  });

  it("quantiles rise with their level, and scores are of them", () => {
    const task = {
      kind: "forecasting",
      classes: [],
      quantiles: [0.1, 0.5, 0.9],
      coverage: 0.8,
    } as const;
    fc.assert(
      fc.property(backtest, (rows) => {
        const quantiles = crossFittedQuantiles(rows, task.quantiles, "wql");
        for (let i = 0; i < quantiles.length; i += 3) {
          expect(quantiles[i]).toBeLessThanOrEqual(quantiles[i + 1]);
          expect(quantiles[i + 1]).toBeLessThanOrEqual(quantiles[i + 2]);
        }
        const own = metricOf(task, "wql").score(rows);
        expect(own).toBe(weightedQuantileLoss(rows, quantiles, task.quantiles));
        const coverage = metricOf(task, "coverage").score(rows);
        expect(metricOf(task, "coverage_error").score(rows)).toBe(Math.abs(coverage - 0.8));
      }),
    );
  });

  it("parts are scored by quantiles of all, and single rows make up the whole", () => {
    fc.assert(
      fc.property(backtest, (rows) => {
        const each = Array.from(rows.target, (_, i) => Uint32Array.of(i));
        for (const name of ["msis", "coverage"]) {
          const metric = metricOf(OUTER_QUANTILES, name);
          const scores =
            metric.scoreParts?.(
              rows,
              each,
              each.map((part) => pickScored(rows, part)),
            ) ?? [];
          const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
          expect(mean).toBeCloseTo(metric.score(rows), 9);
        }
      }),
    );
  });

  it("rows that several metrics score have the scores that each gives them alone", () => {
    fc.assert(
      fc.property(backtest, (rows) => {
        const shared = scoredByMany({ ...rows });
        for (const name of ["wql", "msis", "coverage", "wql"]) {
          const metric = metricOf(OUTER_QUANTILES, name);
          expect(metric.score(shared)).toBe(metric.score(rows));
        }
      }),
    );
  });

  it("of one forecast alone nothing is said", () => {
    const [first] = fixture.series;
    const one = rowsOf([{ ...first, truth: [1], forecast: [1] }]);
    const task = { kind: "forecasting", classes: [], quantiles: [0.5], coverage: 0.8 } as const;
    for (const name of ["wql", "msis", "coverage", "coverage_error"]) {
      expect(metricOf(task, name).score(one)).toBeNaN();
    }
  });
});
