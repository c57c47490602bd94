/** What becomes of two classes by the probability of one: gains, lift, and thresholds. */

import type { RunReport } from "../../document.ts";
import { draw } from "../charts/draw.ts";
import { gainsSpec, liftSpec } from "../charts/gains.ts";
import {
  COSTS_SAY,
  costsTable,
  gainsSays,
  gainsTable,
  liftSays,
  thresholdsSays,
  thresholdsTable,
  type WordTable,
} from "../decision-words.ts";
import { figure, type TableOf, table } from "../figure.ts";
import { type Html, html } from "../markup.ts";

type Decision = Pick<RunReport, "gains" | "thresholds">;

/** @param rows what is predicted once, of many */
export async function gainsCards({ gains }: Decision, rows: string): Promise<Html[]> {
  if (!gains) return [];
  const groups = tableOf("Gains and lift", gainsTable(gains, capital(rows)));
  return [
    figure({
      title: "Cumulative gains",
      says: gainsSays(gains, rows),
      chart: await draw(gainsSpec(gains, rows)),
      table: groups,
    }),
    figure({
      title: "Lift",
      says: liftSays(gains, rows),
      chart: await draw(liftSpec(gains, rows)),
      table: groups,
    }),
  ];
}

/** @param rows what is predicted once, of many */
export function thresholdCards({ thresholds }: Decision, rows: string): Html[] {
  if (!thresholds) return [];
  return [
    html`<div class="card wide"><h3>Thresholds</h3><p class="note">${thresholdsSays(thresholds)}</p>${table(
      tableOf("Thresholds", thresholdsTable(thresholds, rows)),
    )}</div>`,
    html`<div class="card wide"><h3>Thresholds by cost</h3><p class="note">${COSTS_SAY}</p>${table(
      tableOf("Thresholds by cost", costsTable(thresholds)),
    )}</div>`,
  ];
}

function tableOf(caption: string, { heads, rows }: WordTable): TableOf {
  return { caption, columns: heads.map((head) => ({ head, numeric: head !== "Which" })), rows };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
