import type { Html } from "../markup.ts";
import { draw, SERIES } from "./chart.ts";
import { withLegend } from "./legend.ts";

export interface ParetoPoint {
  readonly x: number;
  readonly y: number;
  readonly kind: "trial" | "model";
}

/** Trials as faint dots, the run's models as large ones. */
export async function paretoChart(
  points: readonly ParetoPoint[],
  axes: { readonly x: string; readonly y: string },
): Promise<Html> {
  const scale = { zero: false, nice: true };
  const chart = await draw({
    data: { values: points.map((point) => ({ ...point })) },
    height: 300,
    layer: [
      {
        mark: { type: "point", filled: true },
        encoding: {
          x: { field: "x", type: "quantitative", title: axes.x, scale },
          y: { field: "y", type: "quantitative", title: axes.y, scale },
          color: {
            field: "kind",
            type: "nominal",
            scale: { domain: ["trial", "model"], range: ["var(--axis)", SERIES[1]] },
          },
          size: {
            field: "kind",
            type: "nominal",
            scale: { domain: ["trial", "model"], range: [22, 80] },
          },
        },
      },
    ],
  });
  return withLegend(
    [
      { name: "trial", colour: "var(--axis)" },
      { name: "model", colour: SERIES[1] },
    ],
    chart,
  );
}
