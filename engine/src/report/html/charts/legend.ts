/** What the colours of a chart stand for; in HTML, so that it wraps where there is little room. */

import { type Html, html } from "../markup.ts";
import { SERIES } from "./chart.ts";

export interface LegendEntry {
  readonly name: string;
  /** A colour of the page, such as `var(--s1)`. */
  readonly colour: string;
}

/** Under a heading of one entry a legend says nothing, and is left out. */
export function legend(entries: readonly LegendEntry[]): Html {
  if (entries.length < 2) return html``;
  return html`<ul class="legend">${entries.map(
    ({ name, colour }) =>
      html`<li><svg class="dot" viewBox="0 0 10 10" aria-hidden="true" focusable="false"><circle cx="5" cy="5" r="5" fill="${colour}"/></svg>${name}</li>`,
  )}</ul>`;
}

/** The chart below its legend. */
export function withLegend(entries: readonly LegendEntry[], chart: Html): Html {
  return html`${legend(entries)}${chart}`;
}

/** Every family has the colour of its place in the run, in whichever chart it is. */
export function familyLegend(
  families: readonly string[],
  shown: ReadonlySet<string>,
): LegendEntry[] {
  return families
    .map((name, i) => ({ name, colour: SERIES[i % SERIES.length] }))
    .filter(({ name }) => shown.has(name));
}
