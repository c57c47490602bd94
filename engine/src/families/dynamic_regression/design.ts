/** The columns that are known in advance, as numbers that a regression weighs: one a number, one a category. */

import { Arena } from "../../compute/arena.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";

/** Rarer categories have no weight of their own. */
const MOST_CATEGORIES = 20;
/** More than that are words of texts, or many columns; the first ones are weighed. */
const MOST_TERMS = 300;

/** A number of each row: the feature's value, or whether it is that category. */
export interface Term {
  readonly feature: number;
  readonly code?: number | undefined;
}

export function termsOf({ features }: EncodedData, { known = [] }: SeriesFrame): Term[] {
  const terms = features.flatMap((feature, f): Term[] => {
    if (!known.includes(feature.column)) return [];
    if (feature.kind === "numeric") return [{ feature: f }];
    const count = Math.min(MOST_CATEGORIES, feature.categories.length);
    return Array.from({ length: count }, (_, code) => ({ feature: f, code }));
  });
  return terms.slice(0, MOST_TERMS);
}

/** Of each term, a function of rows; NaN where nothing is known. */
export function readTerms(data: EncodedData, terms: readonly Term[]): ((row: number) => number)[] {
  const { values, rows } = data;
  if (values === null) throw new TypeError("Known columns are read as values.");
  const arena = Arena.attach(data.arena);
  return terms.map(({ feature, code }) => {
    const column = arena.f64(values + feature * rows * 8, rows);
    if (code === undefined) return (row) => column[row];
    return (row) => {
      const value = column[row];
      return Number.isNaN(value) || value < 0 ? Number.NaN : Number(value === code);
    };
  });
}
