/** The functions that an additive model is a sum of: one drawing each. */

import type { RunReport } from "../../document.ts";
import type { ShapesSection } from "../../shapes-document.ts";
import { draw } from "../charts/draw.ts";
import { shapeGridSpec } from "../charts/shape-grid.ts";
import { shapeLevelsSpec } from "../charts/shape-levels.ts";
import { shapeStepsSpec } from "../charts/shape-steps.ts";
import { figure, type Section, type TableOf } from "../figure.ts";
import { figure as number, shortened } from "../format.ts";
import { type Html, html } from "../markup.ts";
import { shapesNote, shapeUnit, termRows, termSays } from "../shape-words.ts";

export async function shapesSection({ shapes, run }: RunReport): Promise<Section | null> {
  if (!shapes || shapes.terms.length === 0) return null;
  const cards: Html[] = [];
  for (const term of shapes.terms) cards.push(await termCard(term, shapes, run.label));
  for (const pair of shapes.pairs) cards.push(await pairCard(pair, run.label));
  return {
    id: "shapes",
    title: "Shape functions",
    content: html`<p class="note">${shapesNote(shapes, run.label)}</p><div class="grid">${cards}</div>`,
  };
}

async function termCard(
  term: ShapesSection["terms"][number],
  shapes: ShapesSection,
  label: string,
): Promise<Html> {
  const { of } = shapes;
  const unit = shapeUnit(shapes, label);
  return figure({
    title: shortened(term.feature, 60),
    says: termSays(term),
    chart: await draw(
      term.steps ? shapeStepsSpec(term, { of, y: unit }) : shapeLevelsSpec(term, { of, x: unit }),
    ),
    table: termTable(term, of),
  });
}

function termTable(term: ShapesSection["terms"][number], of: readonly string[]): TableOf {
  const { heads, rows } = termRows(term, of);
  return {
    caption: `The shape of ${shortened(term.feature, 60)}`,
    columns: heads.map((head, i) => ({ head, numeric: i > 0 })),
    rows,
  };
}

async function pairCard(pair: ShapesSection["pairs"][number], label: string): Promise<Html> {
  const { down, across, values, size, of } = pair;
  const whose = shortened(of ?? label, 60);
  return figure({
    title: `${shortened(down.feature, 40)} with ${shortened(across.feature, 40)}`,
    says: `What both together add for ${whose} beyond what each adds alone. Mean size ${number(size)}. Cells without a training row are blank.`,
    chart: await draw(shapeGridSpec(pair)),
    table: {
      caption: `What ${shortened(down.feature, 40)} and ${shortened(across.feature, 40)} add together`,
      columns: [
        { head: shortened(down.feature, 40) },
        ...across.lines.map((line) => ({ head: shortened(line, 40), numeric: true })),
      ],
      rows: down.lines.map((line, row) => [
        shortened(line, 60),
        ...across.lines.map((_, column) => number(values[row * across.lines.length + column])),
      ]),
    },
  });
}
