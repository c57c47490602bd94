import type { RunReport } from "../../document.ts";
import type { Html } from "../markup.ts";
import { draw, SERIES } from "./chart.ts";

type Bins = NonNullable<RunReport["reliability"]>["bins"];

/** Observed against predicted, with intervals, beside the diagonal. */
export function reliabilityChart(
  bins: Bins,
  titles = { x: "probability given", y: "share that came true" },
): Promise<Html> {
  const unit = { domain: [0, 1], nice: false };
  const x = {
    field: "predicted",
    type: "quantitative",
    title: titles.x,
    scale: unit,
    axis: { tickCount: 5 },
  } as const;
  const y = {
    type: "quantitative",
    title: titles.y,
    scale: unit,
    axis: { tickCount: 5 },
  } as const;
  return draw({
    data: { values: bins.map((bin) => ({ ...bin })) },
    height: 330,
    layer: [
      {
        data: { values: [{ at: 0 }, { at: 1 }] },
        mark: { type: "line", color: "var(--axis)", strokeDash: [4, 4], strokeWidth: 1 },
        encoding: {
          x: { ...x, field: "at" },
          y: { ...y, field: "at" },
        },
      },
      {
        mark: { type: "rule", color: SERIES[0], strokeWidth: 1.5, opacity: 0.7 },
        encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
      },
      {
        mark: { type: "line", point: { size: 45, filled: true, color: SERIES[0] } },
        encoding: { x, y: { ...y, field: "observed" } },
      },
    ],
  });
}
