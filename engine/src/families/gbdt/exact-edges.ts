/**
 * A bin for each value of numbers that repeat: steps of a grid, prices, coordinates, settings of a machine. A byte's 255
 * bins put neighbours among them together that may have little in common; of numbers that hardly repeat, finer bins
 * bring nothing (`docs/decisions/exact-bins.md`).
 *
 * A column of bins holds 254 edges. More are dealt on several columns, each of a part of the values' range: those below
 * it share its first bin, and those above its last. All cuts of all columns are those of one column of as many bins.
 */

import { sortNumbers } from "../../compute/sort-numbers.ts";
import { MAX_BINS, MIN_DATA_IN_BIN, numericEdges } from "../../data/binning/fit-binning.ts";
import type { BinnedData, EncodedData } from "../../data/encoded.ts";
import { valueColumns } from "../../data/value-columns.ts";

/** Bins of the data: columns of fewer have no more values, but where nearly all rows have a few of them. */
const LEAST_BINS = 64;
/**
 * Of a value on average, but for the most frequent one, which is often 0, in the rows that are looked at: of fewer, a
 * bin is hardly told from its neighbours.
 */
const ROWS_A_VALUE = 10;
/** Rows that are looked at, at most. */
const SAMPLE = 200_000;

/**
 * By numeric feature, of those whose distinct values in the rows are more than the data's bins, and `most` at most: the
 * edges of its columns. None where `most` is no more than a byte holds, or the data has no values.
 */
export function exactEdges(
  data: EncodedData,
  { bins }: BinnedData,
  rows: Uint32Array,
  most: number,
): ReadonlyMap<number, readonly Float64Array[]> {
  const exact = new Map<number, readonly Float64Array[]>();
  if (most <= MAX_BINS || data.values === null) return exact;
  const valuesOf = valueColumns(data);
  bins.forEach(({ kind, valueBins }, feature) => {
    if (kind !== "numeric" || valueBins < LEAST_BINS) return;
    const sorted = sortedValues(valuesOf(feature), rows);
    const { distinct, others } = repeatsOf(sorted);
    if (distinct > most || others < ROWS_A_VALUE * (distinct - 1)) return;
    const edges = numericEdges(sorted, distinct, MIN_DATA_IN_BIN);
    if (edges.length >= valueBins) exact.set(feature, parted(edges));
  });
  return exact;
}

/** Of every so many of the rows. */
function sortedValues(column: Float64Array, rows: Uint32Array): Float64Array {
  const step = Math.ceil(rows.length / SAMPLE);
  const present = new Float64Array(Math.ceil(rows.length / step));
  let count = 0;
  for (let i = 0; i < rows.length; i += step) {
    const value = column[rows[i]];
    if (!Number.isNaN(value)) present[count++] = value;
  }
  return sortNumbers(present.subarray(0, count));
}

/** How many values there are, and rows without the most frequent one. */
function repeatsOf(sorted: Float64Array): { readonly distinct: number; readonly others: number } {
  let distinct = 0;
  let begin = 0;
  let longest = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[begin]) continue;
    distinct++;
    longest = Math.max(longest, i - begin);
    begin = i;
  }
  return { distinct, others: sorted.length - longest };
}

/** In as few parts as there can be, of about the same size. */
function parted(edges: Float64Array): Float64Array[] {
  const count = Math.ceil(edges.length / (MAX_BINS - 1));
  return Array.from({ length: count }, (_, part) =>
    edges.slice((part * edges.length) / count, ((part + 1) * edges.length) / count),
  );
}
