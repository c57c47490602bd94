/**
 * What a network reads of a row: numbers, scaled and bounded, and codes of categories.
 *
 * - number: (x - median) / quartile range, bounded smoothly to (-3, 3) (Holzmüller, Grinsztajn &
 *   Steinwart, "Better by default", NeurIPS 2024, §3); a missing or infinite cell is 0;
 * - missing: 1 where a numeric cell is missing; made where the training rows have such cells;
 * - one_hot: one column a category, where categories are few;
 * - embedded: a learned vector a category, where each has many rows; a missing or unknown one has its own;
 * - statistics: what is known of the labels of a category's rows (`category-statistics.ts`), where it has few.
 */

import { z } from "zod";
import type { EncodedData, Feature } from "../../data/encoded.ts";
import { valueColumns } from "../../data/value-columns.ts";

const feature = z.int().min(0);

export const inputTermSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("number"),
    feature,
    centre: z.number(),
    factor: z.number(),
    /** Ascending, of scaled and bounded numbers: the ends of the pieces; absent: there are none. */
    knots: z.array(z.number()).min(2).optional(),
  }),
  z.strictObject({ kind: z.literal("missing"), feature }),
  z.strictObject({ kind: z.literal("one_hot"), feature, count: z.int().min(1) }),
  z.strictObject({ kind: z.literal("embedded"), feature, count: z.int().min(1) }),
  z.strictObject({
    kind: z.literal("statistics"),
    feature,
    count: z.int().min(1),
    /** One table a column: a number a category, the last for a missing or unknown one. */
    tables: z.array(z.array(z.number())).min(1),
  }),
]);

export type InputTerm = z.infer<typeof inputTermSchema>;

/** Rows as a network reads them. */
export interface NetworkInputs {
  readonly rows: number;
  /** Column-major, number terms × rows. */
  readonly numbers: Float32Array;
  /** Likewise: the place of each among the pieces of its term, from 0 on; empty without pieces. */
  readonly places: Float32Array;
  /** Column-major, missing and one-hot terms × rows: a column among the term's own, or -1 for none. */
  readonly oneHot: Int32Array;
  /** Column-major, embedded terms × rows: a row of the term's table, the last for unknown. */
  readonly embedded: Int32Array;
  /** Column-major, columns of statistics × rows. */
  readonly statistics: Float32Array;
}

/** Terms in the order of their kinds. */
export interface ArrangedTerms {
  readonly numbers: readonly Extract<InputTerm, { kind: "number" }>[];
  readonly oneHot: readonly Extract<InputTerm, { kind: "missing" | "one_hot" }>[];
  readonly embedded: readonly Extract<InputTerm, { kind: "embedded" }>[];
  readonly statistics: readonly StatisticsTerm[];
}

export type StatisticsTerm = Extract<InputTerm, { kind: "statistics" }>;

export function arrangeTerms(terms: readonly InputTerm[]): ArrangedTerms {
  return {
    numbers: terms.filter((term) => term.kind === "number"),
    oneHot: terms.filter((term) => term.kind === "missing" || term.kind === "one_hot"),
    embedded: terms.filter((term) => term.kind === "embedded"),
    statistics: terms.filter((term) => term.kind === "statistics"),
  };
}

export const oneHotColumns = (term: ArrangedTerms["oneHot"][number]): number =>
  term.kind === "missing" ? 1 : term.count;

export const statisticsColumns = (terms: readonly StatisticsTerm[]): number =>
  terms.reduce((sum, { tables }) => sum + tables.length, 0);

/** Rows that quantiles are taken of, evenly spaced. */
const QUANTILE_ROWS = 50_000;
/** Of scaled numbers. */
export const BOUND = 3;

export interface TermLimits {
  /** Categories of a feature that is not embedded. */
  readonly oneHotMost: number;
  /** Rows a category, in the mean, of a feature that is embedded; with fewer it is known by statistics. */
  readonly leastRows: number;
  /** Of each number, between quantiles; 0: none. */
  readonly pieces: number;
}

/** @returns terms; of those of statistics, the tables are empty */
export function fitTerms(
  data: EncodedData,
  trainRows: Uint32Array,
  { oneHotMost, leastRows, pieces }: TermLimits,
): readonly InputTerm[] {
  const cellsOf = valueColumns(data);
  const terms: InputTerm[] = [];
  data.features.forEach((each: Feature, index) => {
    if (each.kind === "categorical") {
      const count = each.categories.length;
      if (count === 0) return;
      const isRare = count > oneHotMost && trainRows.length < leastRows * count;
      if (isRare) terms.push({ kind: "statistics", feature: index, count, tables: [] });
      else terms.push({ kind: count > oneHotMost ? "embedded" : "one_hot", feature: index, count });
      return;
    }
    const cells = cellsOf(index);
    const scale = robustScale(cells, trainRows);
    if (scale !== null) {
      const knots = pieces > 0 && { knots: knotsOf(cells, trainRows, scale, pieces) };
      terms.push({ kind: "number", feature: index, ...scale, ...knots });
    }
    let present = 0;
    for (const row of trainRows) if (Number.isFinite(cells[row])) present++;
    if (present > 0 && present < trainRows.length) terms.push({ kind: "missing", feature: index });
  });
  return terms;
}

/** Null where the training rows have one value, or none. */
function robustScale(
  cells: Float64Array,
  rows: Uint32Array,
): { centre: number; factor: number } | null {
  const stride = Math.max(1, Math.floor(rows.length / QUANTILE_ROWS));
  const sample: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows.length; i++) {
    const cell = cells[rows[i]];
    if (!Number.isFinite(cell)) continue;
    least = Math.min(least, cell);
    most = Math.max(most, cell);
    if (i % stride === 0) sample.push(cell);
  }
  if (!(most > least)) return null;
  const sorted = Float64Array.from(sample).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? least;
  const quartiles = at(0.75) - at(0.25);
  // Where most cells are one value, the whole range stands in for twice that of the quartiles.
  const range = quartiles > 0 ? quartiles : (most - least) / 2;
  const factor = 1 / range;
  return Number.isFinite(factor) && Number.isFinite(range) ? { centre: at(0.5) + 0, factor } : null;
}

/** Quantiles of the scaled numbers, as far apart as rows, of which equal ones are one. */
function knotsOf(
  cells: Float64Array,
  rows: Uint32Array,
  { centre, factor }: { readonly centre: number; readonly factor: number },
  pieces: number,
): number[] {
  const stride = Math.max(1, Math.floor(rows.length / QUANTILE_ROWS));
  const sample: number[] = [];
  for (const [i, row] of rows.entries()) {
    if (i % stride === 0 && Number.isFinite(cells[row])) {
      sample.push(Math.fround(bounded((cells[row] - centre) * factor)));
    }
  }
  const sorted = Float64Array.from(sample).sort();
  const knots = new Set<number>();
  for (let k = 0; k <= pieces; k++) {
    knots.add((sorted[Math.round((k / pieces) * (sorted.length - 1))] ?? 0) + 0);
  }
  const [least] = knots;
  return knots.size > 1 ? [...knots] : [least, least + 1];
}

/** From 0 at the first knot to one less than their number at the last, and beyond them as at them. */
function placeOf(knots: readonly number[], x: number): number {
  let low = 0;
  let high = knots.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (x >= knots[middle]) low = middle;
    else high = middle - 1;
  }
  const share = (x - knots[low]) / (knots[low + 1] - knots[low]);
  return low + Math.max(0, Math.min(1, share));
}

/** @param rows of `data`; null = all */
export function readInputs(
  data: EncodedData,
  { numbers, oneHot, embedded, statistics }: ArrangedTerms,
  rows: Uint32Array | null,
): NetworkInputs {
  const cellsOf = valueColumns(data);
  const count = rows?.length ?? data.rows;
  const inputs = {
    rows: count,
    numbers: new Float32Array(numbers.length * count),
    places: new Float32Array(numbers.some(({ knots }) => knots) ? numbers.length * count : 0),
    oneHot: new Int32Array(oneHot.length * count),
    embedded: new Int32Array(embedded.length * count),
    statistics: new Float32Array(statisticsColumns(statistics) * count),
  };
  numbers.forEach(({ feature: index, centre, factor, knots }, t) => {
    const cells = cellsOf(index);
    const out = inputs.numbers.subarray(t * count, (t + 1) * count);
    for (let i = 0; i < count; i++) {
      const cell = cells[rows ? rows[i] : i];
      out[i] = Number.isFinite(cell) ? bounded((cell - centre) * factor) : 0;
    }
    if (!knots) return;
    const places = inputs.places.subarray(t * count, (t + 1) * count);
    for (let i = 0; i < count; i++) places[i] = placeOf(knots, out[i]);
  });
  oneHot.forEach((term, t) => {
    const cells = cellsOf(term.feature);
    const out = inputs.oneHot.subarray(t * count, (t + 1) * count);
    for (let i = 0; i < count; i++) {
      const cell = cells[rows ? rows[i] : i];
      if (term.kind === "missing") out[i] = Number.isFinite(cell) ? -1 : 0;
      else out[i] = cell >= 0 && cell < term.count ? cell : -1;
    }
  });
  embedded.forEach(({ feature: index, count: categories }, t) => {
    const cells = cellsOf(index);
    const out = inputs.embedded.subarray(t * count, (t + 1) * count);
    for (let i = 0; i < count; i++) {
      const cell = cells[rows ? rows[i] : i];
      out[i] = cell >= 0 && cell < categories ? cell : categories;
    }
  });
  let column = 0;
  for (const { feature: index, count: categories, tables } of statistics) {
    const cells = cellsOf(index);
    for (const table of tables) {
      const out = inputs.statistics.subarray(column * count, (column + 1) * count);
      for (let i = 0; i < count; i++) {
        const cell = cells[rows ? rows[i] : i];
        out[i] = table[cell >= 0 && cell < categories ? cell : categories];
      }
      column++;
    }
  }
  return inputs;
}

function bounded(scaled: number): number {
  const within = Math.max(-1e6, Math.min(1e6, scaled));
  return within / Math.sqrt(1 + (within / BOUND) ** 2);
}
