import { quantile } from "../../../data/quantile.ts";
import type { RunReport } from "../../document.ts";
import { type Chart, isWide, SERIES } from "./spec.ts";

type Residuals = NonNullable<RunReport["residuals"]>;

/** All values over the middle 98 % of them, from which on a few would make one spot of the others. */
const FAR = 4;
/** Of the middle, that is drawn on either side of it. */
const MARGIN = 0.1;

/** The rows that can be drawn beside each other: without a few that are very far from all others. */
export function drawnRows(sample: Residuals["sample"]): Residuals["sample"] {
  const all = Float64Array.from(sample.flat()).sort();
  if (all.length === 0 || isWide([...all])) return sample;
  const [first, last] = [quantile(all, 0.01), quantile(all, 0.99)];
  const middle = last - first;
  if (middle === 0 || all[all.length - 1] - all[0] <= FAR * middle) return sample;
  const isNear = (value: number): boolean =>
    value >= first - MARGIN * middle && value <= last + MARGIN * middle;
  return sample.filter((row) => row.every(isNear));
}

/** Predicted against actual, beside the line where they are equal. */
export function scatterSpec(sample: Residuals["sample"], label: string): Chart {
  const all = sample.flat();
  const low = Math.min(...all);
  const high = Math.max(...all);
  const scale = isWide(all) ? ({ type: "log" } as const) : { zero: false, nice: true };
  return {
    spec: {
      height: 330,
      layer: [
        {
          data: { values: [{ at: low }, { at: high }] },
          mark: { type: "line", color: "var(--axis)", strokeDash: [4, 4], strokeWidth: 1 },
          encoding: {
            x: { field: "at", type: "quantitative", scale, title: `actual ${label}` },
            y: { field: "at", type: "quantitative", scale, title: "predicted" },
          },
        },
        {
          data: { values: sample.map(([actual, predicted]) => ({ actual, predicted })) },
          mark: { type: "point", filled: true, size: 12, opacity: 0.45, color: SERIES[0] },
          encoding: {
            x: { field: "actual", type: "quantitative", scale },
            y: { field: "predicted", type: "quantitative", scale },
          },
        },
      ],
    },
    legend: [],
  };
}

/** How residuals are spread; the line is at zero. */
export function residualSpec({ histogram }: Residuals, unit: string): Chart {
  const { edges, counts } = histogram;
  const values = counts.map((count, i) => ({ from: edges[i], to: edges[i + 1], count, floor: 0 }));
  return {
    spec: {
      data: { values },
      height: 330,
      layer: [
        {
          mark: { type: "rect", color: SERIES[0], opacity: 0.8 },
          encoding: {
            x: {
              field: "from",
              type: "quantitative",
              title: "actual − predicted",
              scale: { zero: false, nice: false },
            },
            x2: { field: "to" },
            y: { field: "count", type: "quantitative", title: unit },
            y2: { field: "floor" },
          },
        },
        {
          data: { values: [{ at: 0 }] },
          mark: { type: "rule", color: "var(--ink)", strokeDash: [4, 4] },
          encoding: { x: { field: "at", type: "quantitative" } },
        },
      ],
    },
    legend: [],
  };
}
