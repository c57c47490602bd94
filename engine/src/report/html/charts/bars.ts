import { uniqueLabels } from "./labels.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Standard deviation, drawn as a whisker. */
  readonly deviation?: number | undefined;
}

const BAR_HEIGHT = 22;

/** Horizontal bars in the order given. */
export function barsSpec(items: readonly Bar[], title: string, colour = SERIES[0]): Chart {
  const labels = uniqueLabels(items.map(({ name }) => name));
  const values = items.map(({ value, deviation }, i) => ({
    label: labels[i],
    value,
    low: value - (deviation ?? 0),
    high: value + (deviation ?? 0),
  }));
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    axis: { title: null, ticks: false, domain: false, labelColor: "var(--ink)", labelPadding: 6 },
  } as const;
  const layer: ChartSpec["layer"] = [
    {
      mark: { type: "bar", color: colour, height: { band: 0.62 } },
      encoding: { y, x: { field: "value", type: "quantitative", title, axis: { tickCount: 5 } } },
    },
  ];
  if (items.some(({ deviation }) => deviation !== undefined)) {
    layer.push({
      mark: { type: "rule", color: "var(--ink)", strokeWidth: 1.25 },
      encoding: { y, x: { field: "low", type: "quantitative" }, x2: { field: "high" } },
    });
  }
  return { spec: { data: { values }, height: 46 + BAR_HEIGHT * items.length, layer }, legend: [] };
}
