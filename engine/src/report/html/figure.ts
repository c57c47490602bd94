/** A chart with its title, what it shows in words, and its numbers as a table. */

import type { RunReport } from "../document.ts";
import { figure as number, shortened } from "./format.ts";
import { type Content, type Html, html } from "./markup.ts";

export interface Column {
  readonly head: string;
  /** Numbers stand right. */
  readonly numeric?: boolean;
}

export interface TableOf {
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The first cell of each row is its head. */
  readonly rows: readonly (readonly Content[])[];
  /** On a narrow screen each row becomes a card of its own, of one line a cell. */
  readonly stacks?: boolean;
}

export interface Figure {
  readonly title: string;
  /** One sentence that says what is to be seen; for everybody. */
  readonly says: Content;
  readonly chart: Html;
  /** The same numbers; opened on demand. */
  readonly table?: TableOf;
}

export function figure({ title, says, chart, table: numbers }: Figure): Html {
  return html`<figure class="card"><figcaption><h3>${title}</h3><p>${says}</p></figcaption>
<div class="chart">${chart}</div>
${numbers && html`<details><summary>The numbers</summary>${table(numbers)}</details>`}</figure>
`;
}

export function table({ caption, columns, rows, stacks = false }: TableOf): Html {
  const head = (index: number): Html =>
    stacks ? html` data-head="${columns[index].head}"` : html``;
  const cell = (content: Content, index: number): Html =>
    index === 0
      ? html`<th scope="row"${numeric(columns[0])}${head(0)}>${content}</th>`
      : html`<td${numeric(columns[index])}${head(index)}>${content}</td>`;
  const stacked = stacks ? html` class="stacks"` : html``;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table${stacked}><caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col"${numeric(column)}>${column.head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody></table></div>`;
}

function numeric(column: Column): Html {
  return column.numeric ? html` class="n"` : html``;
}

/** Lines of figures with a note on what they are. */
export function figuresCard(
  title: string,
  { note, figures }: NonNullable<RunReport["uncertainty"]>,
): Html {
  return html`<div class="card"><h3>${title}</h3>${note !== "" && html`<p class="note">${note}</p>`}${table(
    {
      caption: title,
      columns: [{ head: "Figure" }, { head: "Value", numeric: true }],
      rows: figures.map(({ name, value }) => [
        shortened(name, 80),
        typeof value === "number" ? number(value) : shortened(value, 80),
      ]),
    },
  )}</div>`;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

export function section({ id, title, content }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${content}</section>
`;
}
