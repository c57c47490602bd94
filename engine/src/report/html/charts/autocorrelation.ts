import type { ForecastsSection } from "../../forecast-document.ts";
import { type Chart, SERIES } from "./spec.ts";

/** A stem a lag, between the bounds that noise keeps within. */
export function autocorrelationSpec({
  values,
  bound,
}: NonNullable<ForecastsSection["autocorrelation"]>): Chart {
  const domain: [low: number, high: number] = [0, values.length + 0.5];
  const x = {
    field: "lag",
    type: "quantitative",
    title: "steps apart",
    scale: { domain, nice: false },
    axis: { tickMinStep: 1, format: "d", grid: false },
  } as const;
  const y = {
    type: "quantitative",
    title: "correlation of errors",
    axis: { tickCount: 5 },
  } as const;
  return {
    spec: {
      height: 250,
      layer: [
        {
          data: { values: [{ from: 0, to: values.length + 0.5, low: -bound, high: bound }] },
          mark: { type: "rect", color: "var(--axis)", opacity: 0.25 },
          encoding: {
            x: { ...x, field: "from" },
            x2: { field: "to" },
            y: { ...y, field: "low" },
            y2: { field: "high" },
          },
        },
        {
          data: { values: [{ at: 0 }] },
          mark: { type: "rule", color: "var(--axis)" },
          encoding: { y: { ...y, field: "at" } },
        },
        {
          data: { values: values.map((value, i) => ({ lag: i + 1, value, floor: 0 })) },
          mark: { type: "rule", color: SERIES[0], strokeWidth: 2 },
          encoding: { x, y: { ...y, field: "floor" }, y2: { field: "value" } },
        },
        {
          data: { values: values.map((value, i) => ({ lag: i + 1, value })) },
          mark: { type: "point", filled: true, size: 26, color: SERIES[0], opacity: 1 },
          encoding: { x, y: { ...y, field: "value" } },
        },
      ],
    },
    legend: [],
  };
}
