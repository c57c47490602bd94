import type { ShapesSection } from "../../shapes-document.ts";
import { uniqueLabels } from "./labels.ts";
import type { Chart } from "./spec.ts";

type Pair = ShapesSection["pairs"][number];

const RAISES = "var(--h5)";
const LOWERS = "var(--h1)";
const CELL = 20;
const AXES = 130;
const FULLEST = 0.9;

/** A pair as a heat map: the fuller a cell, the more it adds; cells without a row are left blank. */
export function shapeGridSpec({ down, across, values }: Pair): Chart {
  const rows = uniqueLabels(down.lines, 110);
  const columns = uniqueLabels(across.lines, 90);
  const largest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  const cells = values.flatMap((value, at) =>
    value === null
      ? []
      : [
          {
            row: rows[Math.floor(at / columns.length)],
            column: columns[at % columns.length],
            colour: value >= 0 ? "raises" : "lowers",
            share: largest > 0 ? (FULLEST * Math.abs(value)) / largest : 0,
          },
        ],
  );
  const axis = {
    ticks: false,
    domain: false,
    labelColor: "var(--ink)",
    labelPadding: 4,
    labelOverlap: false,
  } as const;
  const titleOf = (name: string): string => uniqueLabels([name], 220)[0];
  return {
    spec: {
      height: AXES + CELL * rows.length,
      data: { values: cells },
      layer: [
        {
          mark: { type: "rect", stroke: "var(--line)", strokeWidth: 0.5 },
          encoding: {
            x: {
              field: "column",
              type: "nominal",
              scale: { domain: columns },
              title: titleOf(across.feature),
              axis: { ...axis, labelAngle: -45 },
            },
            y: {
              field: "row",
              type: "nominal",
              // Numbers rise upwards, as on other axes.
              scale: { domain: rows.toReversed() },
              title: titleOf(down.feature),
              axis,
            },
            color: {
              field: "colour",
              type: "nominal",
              scale: { domain: ["raises", "lowers"], range: [RAISES, LOWERS] },
            },
            fillOpacity: {
              field: "share",
              type: "quantitative",
              scale: { domain: [0, 1], range: [0, 1] },
            },
          },
        },
      ],
    },
    legend: [
      { name: "raises", colour: RAISES },
      { name: "lowers", colour: LOWERS },
    ],
  };
}
