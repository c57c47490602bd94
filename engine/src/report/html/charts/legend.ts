/** What the colours of a chart stand for. */

import { SERIES } from "./spec.ts";

export interface LegendEntry {
  readonly name: string;
  /** A colour of the page, such as `var(--s1)`. */
  readonly colour: string;
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
