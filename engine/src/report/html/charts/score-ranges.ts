/** Scores with intervals, one line each. */

import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

export interface ScoreRange {
  readonly name: string;
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
}

const ROW_HEIGHT = 24;

/** @param reference a line at a value, where one means something */
export function scoreRangeSpec(
  items: readonly ScoreRange[],
  title: string,
  reference?: number,
): Chart {
  const labels = uniqueLabels(items.map(({ name }) => name));
  const values = items.map(({ value, interval }, i) => ({
    label: labels[i],
    value,
    low: interval?.[0] ?? value,
    high: interval?.[1] ?? value,
  }));
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    axis: { title: null, ticks: false, domain: false, grid: true, labelColor: "var(--ink)" },
  } as const;
  const scale = { zero: false, nice: true, padding: 6 };
  const x = { type: "quantitative", scale, title, axis: { tickCount: 5 } } as const;
  const layer: ChartSpec["layer"] = [
    {
      data: { values },
      mark: { type: "rule", color: SERIES[0], strokeWidth: 2 },
      encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" } },
    },
    {
      data: { values },
      mark: { type: "point", filled: true, size: 60, color: SERIES[0], opacity: 1 },
      encoding: { y, x: { ...x, field: "value" } },
    },
  ];
  if (reference !== undefined) {
    layer.unshift({
      data: { values: [{ at: reference }] },
      mark: { type: "rule", color: "var(--axis)", strokeDash: [4, 4] },
      encoding: { x: { ...x, field: "at" } },
    });
  }
  return { spec: { height: 50 + ROW_HEIGHT * items.length, layer }, legend: [] };
}
