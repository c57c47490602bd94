import type { ForecastsSection } from "../../forecast-document.ts";
import { type Chart, type ChartSpec, SERIES } from "./spec.ts";

/** How errors grow towards the end of the horizon. */
export function stepErrorsSpec(
  steps: ForecastsSection["bySteps"],
  of: "mae" | "mase",
  title: string,
): Chart {
  const values = steps.map((each) => ({ step: (each.from + each.to) / 2, error: each[of] }));
  return {
    spec: {
      data: { values },
      height: 250,
      layer: [
        {
          mark: {
            type: "line",
            point: { filled: true, size: 26, color: SERIES[1] },
            color: SERIES[1],
          },
          encoding: {
            x: {
              field: "step",
              type: "quantitative",
              title: "steps ahead",
              scale: { zero: false, nice: false, padding: 6 },
              axis: { tickMinStep: 1, format: "d" },
            },
            y: { field: "error", type: "quantitative", title, scale: { zero: true } },
          },
        },
      ],
    },
    legend: [],
  };
}

/** Series by their errors; the line is where they are as large as usual changes. */
export function seriesErrorsSpec({
  edges,
  counts,
}: NonNullable<ForecastsSection["bySeries"]>): Chart {
  const values = counts.map((count, i) => ({ from: edges[i], to: edges[i + 1], count, floor: 0 }));
  const end = edges[edges.length - 1];
  const layer: ChartSpec["layer"] = [
    {
      data: { values },
      mark: { type: "rect", color: SERIES[1], opacity: 0.8 },
      encoding: {
        x: {
          field: "from",
          type: "quantitative",
          title: "mase",
          scale: { domain: [0, end], nice: false },
          axis: { tickCount: 6 },
        },
        x2: { field: "to" },
        y: {
          field: "count",
          type: "quantitative",
          title: "series",
          axis: { tickMinStep: 1, format: ",d" },
        },
        y2: { field: "floor" },
      },
    },
  ];
  if (end > 1) {
    layer.push({
      data: { values: [{ at: 1 }] },
      mark: { type: "rule", color: "var(--ink)", strokeDash: [4, 4] },
      encoding: { x: { field: "at", type: "quantitative" } },
    });
  }
  return { spec: { height: 250, layer }, legend: [] };
}
