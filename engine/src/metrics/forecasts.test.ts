/** Metrics of forecasts against the figures of utilsforecast (`forecasts.fixture.py`). */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaleOf } from "../data/series-history.ts";
import fixture from "./forecasts.fixture.json" with { type: "json" };
import { mase } from "./mase.ts";
import type { ScoredRows } from "./metric.ts";
import { owa } from "./owa.ts";
import { rmsse } from "./rmsse.ts";
import { smape } from "./smape.ts";
import { wape } from "./wape.ts";

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
      scale: each((s) => scales[s].absolute),
      squaredScale: each((s) => scales[s].squared),
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
            series: {
              group: Uint32Array.from(copies, (i) => series.group[i]),
              scale: pick(series.scale),
              squaredScale: pick(series.squaredScale),
              reference: pick(series.reference),
            },
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
