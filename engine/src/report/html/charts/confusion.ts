import type { RunReport } from "../../document.ts";
import { uniqueLabels } from "./labels.ts";
import type { Chart, ChartSpec } from "./spec.ts";

/** Counts in cells that cannot hold them would run into each other. */
const COUNTED_CLASSES = 10;
const CELL = 26;
const SMALL_CELL = 18;

/** Each row is one true class; the fuller a cell's colour, the larger its share of the row. */
export function confusionSpec({
  labels,
  cells,
}: Pick<NonNullable<RunReport["confusion"]>, "labels" | "cells">): Chart {
  const size = labels.length;
  const names = uniqueLabels(
    labels.map((label) => label ?? "others"),
    size > 12 ? 80 : 110,
  );
  const values = cells.map((count, at) => {
    const row = Math.floor(at / size);
    const total = cells.slice(row * size, (row + 1) * size).reduce((sum, each) => sum + each, 0);
    return {
      truth: names[row],
      said: names[at % size],
      count,
      share: total > 0 ? count / total : 0,
    };
  });
  const axis = { ticks: false, domain: false, labelColor: "var(--ink)", labelPadding: 4 } as const;
  const x = {
    field: "said",
    type: "nominal",
    sort: null,
    title: "predicted",
    axis: { ...axis, orient: "top", labelAngle: size > 4 ? -45 : 0, labelOverlap: false },
  } as const;
  const y = { field: "truth", type: "nominal", sort: null, title: "true", axis } as const;
  const layer: ChartSpec["layer"] = [
    {
      mark: { type: "rect", color: "var(--cell)", stroke: "var(--line)", strokeWidth: 0.5 },
      encoding: {
        x,
        y,
        fillOpacity: {
          field: "share",
          type: "quantitative",
          scale: { domain: [0, 1], range: [0, 0.75] },
        },
      },
    },
  ];
  if (size <= COUNTED_CLASSES) {
    layer.push({
      mark: { type: "text", fontSize: size > 6 ? 9 : 12 },
      encoding: { x, y, text: { field: "count", type: "quantitative", format: ",d" } },
    });
  }
  return {
    spec: {
      data: { values },
      height: 90 + Math.max(150, (size > 12 ? SMALL_CELL : CELL) * size),
      layer,
    },
    legend: [],
  };
}
