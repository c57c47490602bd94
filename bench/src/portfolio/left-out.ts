/**
 * Portfolios that were chosen without one data set, for comparisons on that data set. Made by
 * `build.ts` together with the families' own.
 */

import type { DataShape, Family } from "../../../engine/src/families/family.ts";
import { applyEntry, type PortfolioEntry } from "../../../engine/src/families/portfolio.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import leftOut from "./left-out.json" with { type: "json" };

export interface LeftOutPortfolios {
  /** By family and task: the entries that are named by their places. */
  readonly entries: readonly PortfolioEntry[];
  /** By data set: places of the entries, in the order of trying, chosen without it. */
  readonly without: Readonly<Record<string, readonly number[]>>;
}

const PORTFOLIOS: Readonly<Record<string, LeftOutPortfolios | undefined>> = leftOut;

/** The defaults, then a portfolio that does not know `dataset`; the family's own for other data. */
export function portfolioWithout(
  family: Family,
  shape: DataShape,
  dataset: string,
): readonly Parameters[] {
  const known = PORTFOLIOS[`${family.id} ${shape.task.kind}`];
  const places = known?.without[dataset];
  if (known === undefined || places === undefined) return family.portfolio(shape);
  const defaults = family.defaults(shape);
  return [
    defaults,
    ...places.map((place) => applyEntry(known.entries[place], defaults, family.parameters())),
  ];
}
