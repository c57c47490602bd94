/** Rows in the order of their probability: how many of the class are found, and by how much more than at random. */

import type { GainsSection } from "../../decision-document.ts";
import { lineSpec } from "./lines.ts";
import { type Chart, SERIES } from "./spec.ts";

export function gainsSpec({ curve, prevalence }: GainsSection, rows: string): Chart {
  return lineSpec({
    lines: [
      { name: "the model", points: curve },
      {
        name: "a perfect order",
        points: [
          [0, 0],
          [prevalence, 1],
          [1, 1],
        ],
      },
    ],
    x: `share of ${rows}`,
    y: "share of the class found",
    unit: true,
    reference: [
      [0, 0],
      [1, 1],
    ],
  });
}

/** Of each group by itself, at the middle of its share of the rows. */
export function liftSpec({ groups, prevalence }: GainsSection, rows: string): Chart {
  const values = groups.map(({ share, lift, low, high }, at) => ({
    at: (share + (groups[at - 1]?.share ?? 0)) / 2,
    lift,
    low: low / prevalence,
    high: high / prevalence,
  }));
  const domain: [first: number, last: number] = [0, 1];
  const x = {
    type: "quantitative",
    title: `share of ${rows}, the most probable first`,
    scale: { domain, nice: false },
    axis: { tickCount: 5 },
  } as const;
  const y = {
    type: "quantitative",
    title: "lift",
    scale: { zero: true, nice: true },
    axis: { tickCount: 5 },
  } as const;
  return {
    spec: {
      data: { values },
      height: 330,
      layer: [
        {
          data: { values: [{ one: 1 }] },
          mark: { type: "rule", color: "var(--axis)", strokeDash: [4, 4] },
          encoding: { y: { ...y, field: "one" } },
        },
        {
          mark: { type: "rule", color: SERIES[0], strokeWidth: 1.5, opacity: 0.7 },
          encoding: { x: { ...x, field: "at" }, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
        {
          mark: { type: "line", point: { size: 45, filled: true, color: SERIES[0] } },
          encoding: { x: { ...x, field: "at" }, y: { ...y, field: "lift" } },
        },
      ],
    },
    legend: [],
  };
}
