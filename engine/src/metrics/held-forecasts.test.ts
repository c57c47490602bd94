import { expect, it } from "vitest";
import { metricOf } from "../tasks/fitting-metrics.ts";
import { heldPredictions } from "./held-forecasts.ts";
import type { ScoredRows } from "./metric.ts";

const STEPS = 8;
const ones = new Float64Array(2 * STEPS).fill(1);

/** Two series over two windows: one that never was negative, and one that was. */
function rowsOf(predictions: readonly number[]): ScoredRows {
  const places = Array.from({ length: 2 * STEPS }, (_, i) => i);
  return {
    target: Float64Array.from(places, (i) => (i % 2 === 0 ? 0 : -4)),
    predictions: Float64Array.from(places, (i) => predictions[i % 2]),
    outputs: 1,
    weights: null,
    series: {
      group: Uint32Array.from(places, (i) => 2 * Math.floor(i / STEPS) + (i % 2)),
      series: Uint32Array.from(places, (i) => i % 2),
      window: Uint32Array.from(places, (i) => Math.floor(i / STEPS)),
      step: Uint32Array.from(places, (i) => Math.floor((i % STEPS) / 2)),
      scale: ones,
      squaredScale: ones,
      recentScale: ones,
      least: Float64Array.from(places, (i) => (i % 2 === 0 ? 0 : Number.NEGATIVE_INFINITY)),
      most: ones.map(() => Number.POSITIVE_INFINITY),
      reference: ones,
    },
  };
}

it("forecasts are scored as they are answered", () => {
  const task = { kind: "forecasting", classes: [], quantiles: [0.5], coverage: 0.8 } as const;
  const mae = metricOf(task, "mae");
  // 0 in place of -3, and -3 as it is.
  expect(mae.score(rowsOf([-3, -3]))).toBe(0.5);
  for (const name of ["mase", "rmsse", "wql", "msis"]) {
    const metric = metricOf(task, name);
    expect(metric.score(rowsOf([-3, -3]))).toBe(metric.score(rowsOf([0, -3])));
    expect(metric.score(rowsOf([3, -3]))).not.toBe(metric.score(rowsOf([0, -3])));
  }
});

it("those that are within their bounds are the very ones", () => {
  const { predictions, series } = rowsOf([1, -1]);
  if (!series) throw new Error("These rows are of series.");
  expect(heldPredictions(predictions, series)).toBe(predictions);
  const below = rowsOf([-1, -1]).predictions;
  expect([...heldPredictions(below, series).slice(0, 2)]).toEqual([0, -1]);
  expect(below[0]).toBe(-1);
});
