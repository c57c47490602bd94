import type { RunReport } from "../../document.ts";
import { uniqueLabels } from "./labels.ts";
import type { Chart, ChartSpec } from "./spec.ts";

type Columns = NonNullable<RunReport["explanation"]>["columns"];

const ROW_HEIGHT = 30;
/** Places across, in each of which points stand one above another. */
const PLACES = 90;
/** Colours of the fifths of a column's values, from low to high. */
const HEAT = ["lowest", "low", "middle", "high", "highest"];

/** One dot a row and column; where many meet, they pile up. */
export function beeswarmSpec(columns: Columns, title: string): Chart {
  const labels = uniqueLabels(columns.map(({ column }) => column));
  const all = columns.flatMap(({ points }) => points.map(({ contribution }) => contribution));
  const low = Math.min(0, ...all);
  const width = Math.max(0, ...all) - low || 1;
  const values = columns.flatMap(({ points }, row) => {
    const piles = new Map<number, number>();
    const placeOf = (value: number): number => Math.round(((value - low) / width) * PLACES);
    for (const { contribution } of points) {
      const place = placeOf(contribution);
      piles.set(place, (piles.get(place) ?? 0) + 1);
    }
    const highest = Math.max(...piles.values());
    const step = Math.min(3, (ROW_HEIGHT - 8) / highest);
    const placed = new Map<number, number>();
    return points.map(({ contribution, value }) => {
      const place = placeOf(contribution);
      const before = placed.get(place) ?? 0;
      placed.set(place, before + 1);
      // Alternately above and below the middle.
      const side = before % 2 === 0 ? 1 : -1;
      return {
        label: labels[row],
        contribution,
        offset: (side * Math.ceil(before / 2) * step) / ROW_HEIGHT,
        heat: value === null ? "no order" : HEAT[Math.min(4, Math.floor(value * 5))],
      };
    });
  });
  const used = [...HEAT, "no order"].filter((heat) => values.some((value) => value.heat === heat));
  const spec: ChartSpec = {
    data: { values },
    height: 50 + ROW_HEIGHT * columns.length,
    layer: [
      {
        data: { values: [{ at: 0 }] },
        mark: { type: "rule", color: "var(--axis)" },
        encoding: { x: { field: "at", type: "quantitative", title } },
      },
      {
        mark: { type: "circle", size: 11, opacity: 1 },
        encoding: {
          x: { field: "contribution", type: "quantitative", scale: { zero: true } },
          y: {
            field: "label",
            type: "nominal",
            sort: null,
            axis: {
              title: null,
              ticks: false,
              domain: false,
              grid: true,
              labelColor: "var(--ink)",
            },
          },
          yOffset: { field: "offset", type: "quantitative", scale: { domain: [-0.5, 0.5] } },
          color: {
            field: "heat",
            type: "nominal",
            scale: { domain: used, range: used.map(colourOf) },
          },
        },
      },
    ],
  };
  return { spec, legend: used.map((heat) => ({ name: heat, colour: colourOf(heat) })) };
}

function colourOf(heat: string): string {
  const fifth = HEAT.indexOf(heat);
  return fifth < 0 ? "var(--s7)" : `var(--h${fifth + 1})`;
}
