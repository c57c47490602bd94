/** What a column looks like: the numbers that a dataset's page and a model's card show. */

import { sortNumbers } from "../compute/sort-numbers.ts";
import { type Implausible, implausibleValues } from "./implausible.ts";
import type { Column, ColumnKind, Table } from "./table.ts";

/** How many of the most frequent values a profile lists. */
export const TOP_VALUES = 10;
/** Bins of a profile's histogram at most. */
export const HISTOGRAM_BINS = 20;
/** Of whole numbers over a wider range a bin holds so many that one more or less does not show. */
const COUNTED_RANGE = 1000;
/** Distinct texts are counted exactly up to here and estimated beyond. */
const MAX_COUNTED_TEXTS = 100_000;
/** The quantiles that a profile lists, in [0, 1], ascending. */
export const QUANTILES: readonly number[] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

/** A column of numbers or times in figures; missing and infinite values are left out. */
export interface NumberSummary {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** Sample standard deviation; 0 for one value. */
  readonly std: number;
  /** Linear between the two nearest values. */
  readonly quantiles: readonly { readonly q: number; readonly value: number }[];
  /** Equal widths from min to max (see `histogramEdges`): counts[i] are in [edges[i], edges[i + 1]), the last closed. */
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] };
}

/** What one column looks like. */
export interface ColumnProfile {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly count: number;
  readonly missing: number;
  readonly distinct: number;
  /** Whether `distinct` is an estimate, within some 5 %. */
  readonly distinctIsEstimate: boolean;
  /** Infinite numbers, which the summary leaves out; 0 for other kinds. */
  readonly infinite: number;
  /** What its values hardly mean; absent where nothing was found or nobody looked. */
  readonly implausible?: readonly Implausible[];
  /** Of numbers, and of times in milliseconds since 1970; null for other kinds or no values. */
  readonly summary: NumberSummary | null;
  /** Of booleans, categories and texts: the most frequent values, most frequent first. */
  readonly top: readonly { readonly value: string; readonly count: number }[];
}

export function profileTable(table: Table): ColumnProfile[] {
  return table.columns.map(profileColumn);
}

export function profileColumn(column: Column): ColumnProfile {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return profileNumbers(column.name, column.kind, column.values);
    case "boolean": {
      const counts = new Map<string, number>();
      for (const value of column.values) {
        if (value !== 255) increase(counts, value === 1 ? "true" : "false");
      }
      return profileCounts(column, column.values.length, counts, counts.size, false);
    }
    case "categorical": {
      const counts = new Float64Array(column.categories.length);
      for (const code of column.codes) if (code >= 0) counts[code]++;
      const byText = new Map<string, number>();
      for (const [code, count] of counts.entries()) {
        if (count > 0) byText.set(column.categories[code], count);
      }
      return profileCounts(column, column.codes.length, byText, byText.size, false);
    }
    case "text":
      return profileTexts(column, column.values);
  }
}

function profileNumbers(
  name: string,
  kind: "numeric" | "timestamp",
  values: Float64Array,
): ColumnProfile {
  const present = sortNumbers(presentOf(values));
  let distinct = 0;
  let infinite = 0;
  for (let i = 0; i < present.length; i++) {
    if (i === 0 || present[i] !== present[i - 1]) distinct++;
    if (!Number.isFinite(present[i])) infinite++;
  }
  const implausible = implausibleValues({ name, kind }, present);
  const finite = infinite === 0 ? present : present.filter((value) => Number.isFinite(value));
  return {
    name,
    kind,
    count: values.length,
    missing: values.length - present.length,
    distinct,
    distinctIsEstimate: false,
    infinite,
    ...(implausible.length > 0 ? { implausible } : {}),
    summary: finite.length === 0 ? null : summarise(finite, kind),
    top: [],
  };
}

function presentOf(values: Float64Array): Float64Array<ArrayBuffer> {
  const present = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i])) present[count++] = values[i];
  }
  return present.subarray(0, count);
}

function summarise(sorted: Float64Array, kind: "numeric" | "timestamp"): NumberSummary {
  const count = sorted.length;
  // Plus zero: a negative zero is shown as zero.
  const min = sorted[0] + 0;
  const max = sorted[count - 1] + 0;
  const scale = squarableScale(Math.max(-min, max));
  let mean = 0;
  let squares = 0;
  // Welford's recurrence: large offsets (milliseconds since 1970) lose no digits.
  for (let i = 0; i < count; i++) {
    const value = sorted[i] * scale;
    const delta = value - mean;
    mean += delta / (i + 1);
    squares += delta * (value - mean);
  }
  const quantiles = QUANTILES.map((q) => {
    const place = q * (count - 1);
    const low = Math.floor(place);
    const from = sorted[low] * scale;
    const to = sorted[Math.min(count - 1, low + 1)] * scale;
    return { q, value: (from + (place - low) * (to - from)) / scale };
  });
  const isWhole = kind === "numeric" && sorted.every(Number.isInteger);
  const edges = histogramEdges(min, max, isWhole);
  const bins = edges.length - 1;
  const counts = new Array<number>(bins).fill(0);
  let bin = 0;
  for (const value of sorted) {
    while (bin < bins - 1 && value >= edges[bin + 1]) bin++;
    counts[bin]++;
  }
  // Of two values at both ends of the doubles it is beyond them.
  const std = count > 1 ? Math.min(Number.MAX_VALUE, Math.sqrt(squares / (count - 1)) / scale) : 0;
  return { min, max, mean: mean / scale, std, quantiles, histogram: { edges, counts } };
}

/** The power of two, 1 unless values are extreme, under which their squares neither overflow nor vanish. */
function squarableScale(largest: number): number {
  if (largest > 1e150) return 2 ** -600;
  return largest > 0 && largest < 1e-150 ? 2 ** 600 : 1;
}

/**
 * Bins of equal widths, one where all values are equal. Of whole numbers over a range of less than 1000 each holds
 * as many of them, and the last edge may lie beyond the greatest: else some bins held one number more than others.
 *
 * @param isWhole whether all values are whole numbers
 */
export function histogramEdges(min: number, max: number, isWhole: boolean): number[] {
  const width = wholeWidth(min, max, isWhole);
  if (width !== null) {
    const bins = Math.ceil((max - min + 1) / width);
    return Array.from({ length: bins + 1 }, (_, i) => min + i * width);
  }
  const bins = min === max ? 1 : HISTOGRAM_BINS;
  // Between both ends of the doubles a range is beyond them.
  const isWide = !Number.isFinite(max - min);
  return Array.from({ length: bins + 1 }, (_, i) => {
    if (i === bins) return max;
    return isWide ? min * (1 - i / bins) + max * (i / bins) : min + (max - min) * (i / bins);
  });
}

/** Whole numbers of a bin, where each holds as many; else null. */
export function wholeWidth(min: number, max: number, isWhole: boolean): number | null {
  const isCounted = isWhole && min < max && max - min < COUNTED_RANGE;
  return isCounted ? Math.ceil((max - min + 1) / HISTOGRAM_BINS) : null;
}

function profileTexts(column: Column, values: readonly (string | null)[]): ColumnProfile {
  const counts = new Map<string, number>();
  const sketch = new DistinctSketch();
  let full = false;
  for (const value of values) {
    if (value === null) continue;
    sketch.add(value);
    if (counts.has(value)) increase(counts, value);
    else if (counts.size < MAX_COUNTED_TEXTS) counts.set(value, 1);
    else full = true;
  }
  const distinct = full ? Math.max(MAX_COUNTED_TEXTS, sketch.estimate()) : counts.size;
  const profile = profileCounts(column, values.length, counts, distinct, full);
  return { ...profile, missing: values.filter((value) => value === null).length };
}

function profileCounts(
  column: Column,
  count: number,
  counts: ReadonlyMap<string, number>,
  distinct: number,
  distinctIsEstimate: boolean,
): ColumnProfile {
  let present = 0;
  for (const seen of counts.values()) present += seen;
  const top = [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, TOP_VALUES)
    .map(([value, seen]) => ({ value, count: seen }));
  const { name, kind } = column;
  const missing = count - present;
  return {
    name,
    kind,
    count,
    missing,
    distinct,
    distinctIsEstimate,
    infinite: 0,
    summary: null,
    top,
  };
}

function increase(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

/**
 * The number of distinct texts from the k smallest of their hashes (Bar-Yossef et al., "Counting
 * distinct elements in a data stream", RANDOM 2002); its relative error is about 1/√k.
 */
class DistinctSketch {
  static readonly k = 1024;
  #smallest: number[] = [];
  readonly #kept = new Set<number>();
  #limit = 2 ** 53;

  add(text: string): void {
    const hash = hash53(text);
    if (hash >= this.#limit || this.#kept.has(hash)) return;
    this.#kept.add(hash);
    this.#smallest.push(hash);
    if (this.#smallest.length < 2 * DistinctSketch.k) return;
    this.#smallest.sort((a, b) => a - b);
    for (const dropped of this.#smallest.splice(DistinctSketch.k)) this.#kept.delete(dropped);
    this.#limit = this.#smallest[DistinctSketch.k - 1];
  }

  estimate(): number {
    const { k } = DistinctSketch;
    if (this.#smallest.length < k) return this.#smallest.length;
    this.#smallest.sort((a, b) => a - b);
    return Math.round((k - 1) / (this.#smallest[k - 1] / 2 ** 53));
  }
}

/** 53 well-mixed bits of a text: two multiplicative hashes with a final avalanche. */
function hash53(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0);
}
