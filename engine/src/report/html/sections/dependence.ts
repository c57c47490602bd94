/** How predictions change with the columns that the model relies on most: one drawing each. */

import type { RunReport } from "../../document.ts";
import { dependenceRange, dependenceSpec } from "../charts/dependence.ts";
import { draw } from "../charts/draw.ts";
import {
  dependenceNote,
  dependenceSays,
  dependenceTable,
  dependenceUnit,
} from "../dependence-words.ts";
import { figure, type Section } from "../figure.ts";
import { shortened } from "../format.ts";
import { type Html, html } from "../markup.ts";

export async function dependenceSection({ dependence, run }: RunReport): Promise<Section | null> {
  if (!dependence) return null;
  const { of } = dependence;
  const said = dependenceUnit(dependence, run.label);
  const range = dependenceRange(dependence);
  const cards: Html[] = [];
  for (const column of dependence.columns) {
    const { heads, rows } = dependenceTable(column, of);
    cards.push(
      figure({
        title: shortened(column.column, 60),
        says: dependenceSays(column, range),
        chart: await draw(dependenceSpec(column, { of, said, range })),
        table: {
          caption: `Predictions by ${shortened(column.column, 60)}`,
          columns: heads.map((head, i) => ({ head, numeric: i > 0 })),
          rows,
        },
      }),
    );
  }
  return {
    id: "dependence",
    title: "How predictions change with a column",
    content: html`<p class="note">${dependenceNote(dependence)}</p><div class="grid">${cards}</div>`,
  };
}
