import type { RunReport } from "../../document.ts";
import { type Chart, SERIES } from "./spec.ts";

type Groups = NonNullable<NonNullable<RunReport["residuals"]>["groups"]>;

/** Residuals over the mean prediction of each group: the median, and lines from the quantile .1 to .9. */
export function residualGroupsSpec(groups: Groups, label: string): Chart {
  const x = {
    field: "predicted",
    type: "quantitative",
    title: `predicted ${label}`,
    scale: { zero: false, nice: true, padding: 8 },
    axis: { tickCount: 5 },
  } as const;
  const y = {
    type: "quantitative",
    title: "actual − predicted",
    axis: { tickCount: 5 },
  } as const;
  return {
    spec: {
      data: {
        values: groups.map(({ predicted, low, median, high }) => ({
          predicted,
          low,
          median,
          high,
        })),
      },
      height: 330,
      layer: [
        {
          data: { values: [{ zero: 0 }] },
          mark: { type: "rule", color: "var(--axis)", strokeDash: [4, 4] },
          encoding: { y: { ...y, field: "zero" } },
        },
        {
          mark: { type: "rule", color: SERIES[0], strokeWidth: 2, opacity: 0.6 },
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
        {
          mark: { type: "point", filled: true, size: 60, color: SERIES[0], opacity: 1 },
          encoding: { x, y: { ...y, field: "median" } },
        },
      ],
    },
    legend: [],
  };
}
