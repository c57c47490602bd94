import type { RunReport } from "../../document.ts";
import { type Chart, SERIES } from "./spec.ts";

type Bins = NonNullable<RunReport["reliability"]>["bins"];

/** Below it, both axes end where the bins do: the probabilities of a rare class are all small. */
const SMALL = 0.5;

/** Where both axes end: at 1, or at a round number above all that is drawn where that is small. */
export function endOfAxes(bins: Bins): number {
  const most = Math.max(0, ...bins.flatMap(({ predicted, high }) => [predicted, high]));
  if (most >= SMALL || most === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= most) ?? 1;
}

/** Observed against predicted, with intervals, beside the diagonal. */
export function reliabilitySpec(
  bins: Bins,
  titles = { x: "probability given", y: "share that came true" },
): Chart {
  const end = endOfAxes(bins);
  const unit = { domain: [0, end], nice: false };
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
  return {
    spec: {
      data: { values: bins.map((bin) => ({ ...bin })) },
      height: 330,
      layer: [
        {
          data: { values: [{ at: 0 }, { at: end }] },
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
    },
    legend: [],
  };
}
