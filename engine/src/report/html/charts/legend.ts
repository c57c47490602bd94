/** What the colours of families stand for. */

import { type LegendEntry, SERIES } from "./spec.ts";

/** Every family has the colour of its place in the run, in whichever chart it is. */
export function familyLegend(
  families: readonly string[],
  shown: ReadonlySet<string>,
): LegendEntry[] {
  return families
    .map((name, i) => ({ name, colour: SERIES[i % SERIES.length] }))
    .filter(({ name }) => shown.has(name));
}
