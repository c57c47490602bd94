/** The values that rows are given in a column, to see how predictions change with it. */

import type { DataProfile } from "../../trainer/plan/data-profile.ts";
import { nearestPlace } from "../figures/tenths.ts";

export type Sample = DataProfile["sample"];
export type Cell = Sample["data"][number][number];

/** A column, and the values that are asked for. */
export interface AskedValues {
  readonly column: string;
  /** Of the column, in the sample. */
  readonly place: number;
  /** Of all rows of the sample. */
  readonly cells: readonly Cell[];
  /** Ascending numbers, or the most frequent categories; without a missing one. */
  readonly values: readonly Cell[];
  /** Rows of the sample whose own value is each, or nearest to it. */
  readonly counts: readonly number[];
  /** Whether they are drawn over an axis of numbers. */
  readonly isAxis: boolean;
  /** Categories beyond those in `values`. */
  readonly leftOut: number;
  /** Rows of the sample without a value. */
  readonly missing: number;
}

const MOST_LEVELS = 12;
/** Up to so many different numbers each is asked for: the hours of a day. */
const MOST_NUMBERS = 25;
/** Of more, between those that are asked for. */
const INTERVALS = 20;

/** Null where there is nothing to compare. */
export function askedValues(
  sample: Sample,
  column: string,
  isNumeric: boolean,
): AskedValues | null {
  const place = sample.columns.indexOf(column);
  const cells = sample.data.map((row) => row[place]);
  const known = cells.filter((cell) => cell !== null);
  const missing = cells.length - known.length;
  const facts = { column, place, cells, missing };
  const numbers = isNumeric ? known.filter((cell) => typeof cell === "number") : [];
  const edges = edgesOf(numbers);
  // Two numbers are rather a yes and a no.
  if (edges.length > 2) {
    return { ...facts, values: edges, counts: countsOf(numbers, edges), isAxis: true, leftOut: 0 };
  }
  const levels = levelsOf(known);
  const shown = levels.slice(0, MOST_LEVELS);
  if (shown.length + (missing > 0 ? 1 : 0) < 2) return null;
  return {
    ...facts,
    values: shown.map(({ cell }) => cell),
    counts: shown.map(({ count }) => count),
    isAxis: false,
    leftOut: levels.length - shown.length,
  };
}

/** Distinct numbers at evenly spaced ranks, the least and the greatest among them; all of few. */
function edgesOf(numbers: readonly number[]): number[] {
  const sorted = [...numbers].sort((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  if (distinct.length <= MOST_NUMBERS) return distinct;
  const ranks = Array.from({ length: INTERVALS + 1 }, (_, k) =>
    Math.round((k * (sorted.length - 1)) / INTERVALS),
  );
  return [...new Set(ranks.map((rank) => sorted[rank]))];
}

/** How many numbers each edge is nearest to. */
function countsOf(numbers: readonly number[], edges: readonly number[]): number[] {
  const counts = edges.map(() => 0);
  for (const value of numbers) counts[nearestPlace(edges, value)]++;
  return counts;
}

/** The most frequent first. */
function levelsOf(known: readonly Cell[]): { readonly cell: Cell; readonly count: number }[] {
  const counts = new Map<Cell, number>();
  for (const cell of known) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return [...counts].map(([cell, count]) => ({ cell, count })).sort((a, b) => b.count - a.count);
}
