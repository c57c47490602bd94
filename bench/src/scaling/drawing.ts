/** Measured points and the power law through them, both axes logarithmic, as a picture that stands alone. */

import { draw } from "../../../engine/src/report/html/charts/draw.ts";
import { DARK, LIGHT } from "../../../engine/src/report/html/style.ts";
import { fitPowerLaw } from "./power-law.ts";

export interface Curve {
  readonly x: string;
  readonly y: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Of the report's charts, whose page has them as variables. */
const STYLE = `<style>svg{${LIGHT};background:var(--card)}@media(prefers-color-scheme:dark){svg{${DARK}}}</style>`;

const WIDTH = 560;

/** @returns an SVG document */
export async function drawCurve({ x, y, points }: Curve): Promise<string> {
  const law = fitPowerLaw(points);
  const title = `${y}: exponent ${law.exponent.toFixed(2)}`;
  const axes = {
    x: { field: "x", type: "quantitative", scale: { type: "log", nice: false }, title: x },
    y: { field: "y", type: "quantitative", scale: { type: "log" }, title },
  } as const;
  const { text } = await draw({
    legend: [],
    spec: {
      height: 260,
      layer: [
        {
          data: { values: points.map(([at]) => ({ x: at, y: law.at(at) })) },
          mark: { type: "line", color: "var(--s2)", strokeDash: [5, 4] },
          encoding: axes,
        },
        {
          data: { values: points.map(([at, value]) => ({ x: at, y: value })) },
          mark: { type: "point", color: "var(--s1)", size: 50 },
          encoding: axes,
        },
      ],
    },
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" role="img" aria-label="${title} of ${x}"`;
  return text
    .replace(/^<svg(?: aria-hidden="true")?(?: focusable="false")?/, head)
    .replace(">", `>${STYLE}`);
}
