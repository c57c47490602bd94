/**
 * How much of the label one column explains by itself, out of fold: the cheap look that shows a
 * column which would not be known when a prediction is asked for (Kaufman, Rosset & Perlich,
 * "Leakage in data mining", KDD 2011).
 *
 * The column is cut into bins; a value's label is foretold by the other folds' rows of its bin: by
 * a line for numbers (so that a copy of a skewed label is seen as one), by frequencies for classes.
 * The share is R² for a number, of its value or its rank, whichever is more (a curve of a skewed
 * label keeps its order), and 1 − log-loss / entropy for classes: 0 says nothing, 1 says all.
 *
 * Few rows leave bins that never look pure, so the share of classes is taken of what a column that
 * says all would have in the same bins, and a number that puts the classes in order (Gini, 2 AUC − 1)
 * needs no bins.
 */

import { ascendingOrder } from "../../../compute/ascending-order.ts";
import { CounterRandom, type RandomKey } from "../../../compute/random.ts";
import { valuesAt } from "../../../compute/row-lists.ts";
import { sortNumbers } from "../../../compute/sort-numbers.ts";
import type { Column } from "../../../data/table.ts";
import { metricByName } from "../../../tasks/fitting-metrics.ts";
import { hasClasses, type Task } from "../../../tasks/index.ts";
import { evenlySpaced } from "../data-profile.ts";

const SAMPLED_ROWS = 20_000;
const BINS = 32;
/** Fewer rows than this say little of a bin. */
const BIN_ROWS = 8;
/** Numbers with no more values than this have a bin each. */
const FEW_VALUES = 256;
const FOLDS = 5;
/** Rows that each class must have for their order to be no chance. */
const ORDERED_ROWS = 8;
/** One honest column of few rows may come this near: only beyond, order is taken for the share. */
const ORDERED = 0.98;
/** Rows of each class that are looked at first, and by how much less they must show for the rest to be left alone. */
const FIRST_ROWS = 400;
const FIRST_MARGIN = 0.1;

/** Rows that numbers are looked at first, and the share that they must show for the others to be looked at. */
const GLANCED_ROWS = 2000;
const GLANCED_SHARE = 0.6;
/** Rows of the glance that a class must have, and the most that may share one number, for it to tell anything. */
const GLANCED_CLASS = 20;
const GLANCED_EQUAL = 0.5;

export interface LabelSample extends LabelRows {
  /** Some of them; null where there are few, or where these would say too little of the label. */
  readonly glance: LabelRows | null;
}

interface LabelRows {
  readonly task: Task;
  /** Rows of the table that are looked at, and their labels, weights and folds. */
  readonly rows: Uint32Array;
  readonly target: Float64Array;
  /** The target's place in order, from 0 to 1, where it is a number; else empty. */
  readonly ranks: Float64Array;
  readonly weights: Float64Array;
  readonly folds: Uint8Array;
}

/**
 * @param rows of the table, by the order of `target`; null = all
 * @param weights by the order of `target`; null = all 1
 * @param groups by the order of `target`; rows of one are of one fold, as they are where models are scored: what tells
 * groups apart says nothing of other groups. Null: each row is dealt by itself
 */
export function sampleLabels(
  task: Task,
  target: Float64Array,
  {
    rows,
    weights,
    groups,
    key,
  }: {
    readonly rows: Uint32Array | null;
    readonly weights: Float64Array | null;
    readonly groups: Int32Array | null;
    readonly key: RandomKey;
  },
): LabelSample {
  const random = new CounterRandom(key);
  const sampled = (most: number): LabelRows => {
    const chosen = evenlySpaced(target.length, most);
    const labels = valuesAt(target, chosen);
    return {
      task,
      rows: chosen.map((at) => rows?.[at] ?? at),
      target: labels,
      ranks: hasClasses(task) ? new Float64Array(0) : ranksOf(labels),
      weights: Float64Array.from(chosen, (at) => weights?.[at] ?? 1),
      folds: dealt(chosen, groups, random),
    };
  };
  const sample = sampled(SAMPLED_ROWS);
  if (sample.target.length <= GLANCED_ROWS) return { ...sample, glance: null };
  const glance = sampled(GLANCED_ROWS);
  return { ...sample, glance: tellsOfLabel(glance) ? glance : null };
}

/** A fold of each row, by its place among all. */
function dealt(places: Uint32Array, groups: Int32Array | null, random: CounterRandom): Uint8Array {
  const ofGroup = new Map<number, number>();
  return Uint8Array.from(places, (at) => {
    if (groups === null) return random.nextInteger(FOLDS);
    const group = groups[at];
    const known = ofGroup.get(group);
    if (known !== undefined) return known;
    const fold = random.nextInteger(FOLDS);
    ofGroup.set(group, fold);
    return fold;
  });
}

function tellsOfLabel({ task, target, weights }: LabelRows): boolean {
  const rows = new Map<number, number>();
  for (let i = 0; i < target.length; i++) {
    if (weights[i] > 0) rows.set(target[i], (rows.get(target[i]) ?? 0) + 1);
  }
  const counts = [...rows.values()];
  return hasClasses(task)
    ? counts.length === task.classes.length && Math.min(...counts) >= GLANCED_CLASS
    : Math.max(...counts) <= GLANCED_EQUAL * target.length;
}

/**
 * From 0 to 1; null for texts, which are not looked at as a whole. A number that shows little of the label at a glance
 * is not looked at again.
 */
export function explainedShare(column: Column, sample: LabelSample): number | null {
  if (column.kind === "text") return null;
  if (sample.glance !== null && column.kind !== "categorical") {
    const glanced = shareAmong(column, sample.glance);
    if (glanced < GLANCED_SHARE) return glanced;
  }
  return shareAmong(column, sample);
}

function shareAmong(column: Exclude<Column, { kind: "text" }>, sample: LabelRows): number {
  const values = valuesOf(column, sample.rows);
  const bins = column.kind === "categorical" ? denseCodes(values) : binsOf(values);
  if (hasClasses(sample.task)) {
    return Math.max(0, shareOfClasses(bins, sample), orderShare(values, column, sample));
  }
  const ordered = column.kind !== "categorical";
  const ofRanks = { ...sample, target: sample.ranks };
  return Math.max(
    0,
    shareOfValue(values, bins, sample, ordered),
    shareOfValue(values, bins, ofRanks, ordered),
  );
}

/** Mid-ranks: equal values share one. */
function ranksOf(values: Float64Array): Float64Array {
  const order = ascendingOrder(values);
  const ranks = new Float64Array(values.length);
  for (let from = 0, to = 0; from < order.length; from = to) {
    const value = values[order[from]];
    while (to < order.length && values[order[to]] === value) to++;
    for (let at = from; at < to; at++) ranks[order[at]] = (from + to) / (2 * order.length);
  }
  return ranks;
}

/** Numbers, NaN where missing. */
function valuesOf(column: Exclude<Column, { kind: "text" }>, rows: Uint32Array): Float64Array {
  const cells = column.kind === "categorical" ? column.codes : column.values;
  const missing = column.kind === "categorical" ? -1 : column.kind === "boolean" ? 255 : Number.NaN;
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const value = cells[rows[i]];
    values[i] = value === missing ? Number.NaN : value;
  }
  return values;
}

interface Bins {
  readonly of: Uint32Array;
  readonly count: number;
}

/** One a value; missing ones share one. */
function denseCodes(values: Float64Array): Bins {
  const numbers = new Map<number, number>();
  const of = Uint32Array.from(values, (value) => {
    const known = numbers.get(value);
    if (known !== undefined) return known;
    numbers.set(value, numbers.size);
    return numbers.size - 1;
  });
  return { of, count: numbers.size };
}

/** By quantiles; one a value where there are few. The last is for missing values. */
function binsOf(values: Float64Array): Bins {
  const sorted = sortNumbers(values.filter((value) => !Number.isNaN(value)));
  const few = Math.min(FEW_VALUES, sorted.length / BIN_ROWS);
  const bins = Math.max(2, Math.min(BINS, Math.floor(sorted.length / BIN_ROWS)));
  const candidates =
    distinctUpTo(few, sorted) ??
    Array.from({ length: bins }, (_, i) => sorted[Math.floor((i * sorted.length) / bins)]);
  const edges: number[] = [];
  for (const value of candidates) if (value !== edges.at(-1)) edges.push(value);
  const of = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    let bin = 0;
    for (let step = FEW_VALUES; step > 0; step >>= 1) {
      if (bin + step < edges.length && edges[bin + step] <= value) bin += step;
    }
    of[i] = Number.isNaN(value) ? edges.length : bin;
  }
  return { of, count: edges.length + 1 };
}

/** Null of more than `most`. */
function distinctUpTo(most: number, sorted: Float64Array): number[] | null {
  const distinct: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    if (distinct.length + 1 > most) return null;
    distinct.push(sorted[i]);
  }
  return distinct;
}

/** Weight, and sums of x, y, xx and xy. */
const SUMS = 5;

function shareOfValue(
  values: Float64Array,
  bins: Bins,
  { target, weights, folds }: LabelRows,
  ordered: boolean,
): number {
  const rows = target.length;
  const centre = values.find(Number.isFinite) ?? 0;
  const x = new Float64Array(rows);
  if (ordered) {
    for (let i = 0; i < rows; i++) if (Number.isFinite(values[i])) x[i] = values[i] - centre;
  }
  // By fold, and last over all of them.
  const size = bins.count * SUMS;
  const all = FOLDS * size;
  const sums = new Float64Array(all + size);
  const whole = new Float64Array((FOLDS + 1) * 2);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < rows; i++) {
    const [y, w] = [target[i], weights[i]];
    low = Math.min(low, y);
    high = Math.max(high, y);
    const at = folds[i] * size + bins.of[i] * SUMS;
    sums[at] += w;
    sums[at + 1] += w * x[i];
    sums[at + 2] += w * y;
    sums[at + 3] += w * x[i] * x[i];
    sums[at + 4] += w * x[i] * y;
    whole[2 * folds[i]] += w;
    whole[2 * folds[i] + 1] += w * y;
  }
  for (let at = 0; at < all; at++) sums[all + (at % size)] += sums[at];
  for (let at = 0; at < 2 * FOLDS; at++) whole[2 * FOLDS + (at % 2)] += whole[at];
  let [missed, spread] = [0, 0];
  for (let i = 0; i < rows; i++) {
    const y = target[i];
    const own = folds[i] * size + bins.of[i] * SUMS;
    const other = all + bins.of[i] * SUMS;
    const n = sums[other] - sums[own];
    const sx = sums[other + 1] - sums[own + 1];
    const sy = sums[other + 2] - sums[own + 2];
    const sxx = sums[other + 3] - sums[own + 3];
    const sxy = sums[other + 4] - sums[own + 4];
    const rest = whole[2 * FOLDS] - whole[2 * folds[i]];
    const mean = rest > 0 ? (whole[2 * FOLDS + 1] - whole[2 * folds[i] + 1]) / rest : 0;
    let guess = mean;
    if (n > 0) {
      const variance = sxx - (sx * sx) / n;
      const slope = variance > 1e-9 * sxx ? (sxy - (sx * sy) / n) / variance : 0;
      guess = Math.min(high, Math.max(low, sy / n + slope * (x[i] - sx / n)));
    }
    missed += weights[i] * (y - guess) ** 2;
    spread += weights[i] * (y - mean) ** 2;
  }
  return spread > 0 ? 1 - missed / spread : 0;
}

function shareOfClasses(bins: Bins, { task, target, weights, folds }: LabelRows): number {
  const classes = task.classes.length;
  const size = bins.count * classes;
  const counts = new Float64Array((FOLDS + 1) * size);
  const inBin = new Float64Array((FOLDS + 1) * bins.count);
  const whole = new Float64Array(classes);
  let total = 0;
  for (const [i, k] of target.entries()) {
    for (const fold of [folds[i], FOLDS]) {
      counts[fold * size + bins.of[i] * classes + k] += weights[i];
      inBin[fold * bins.count + bins.of[i]] += weights[i];
    }
    whole[k] += weights[i];
    total += weights[i];
  }
  let [loss, least, entropy] = [0, 0, 0];
  for (const [i, k] of target.entries()) {
    const bin = bins.of[i];
    const hits =
      counts[FOLDS * size + bin * classes + k] - counts[folds[i] * size + bin * classes + k];
    const seen = inBin[FOLDS * bins.count + bin] - inBin[folds[i] * bins.count + bin];
    const prior = whole[k] / total;
    // Half a row of the label's own frequencies, so that nothing is ever impossible.
    loss -= weights[i] * Math.log((hits + 0.5 * prior) / (seen + 0.5));
    least -= weights[i] * Math.log((seen + 0.5 * prior) / (seen + 0.5));
    entropy -= weights[i] * Math.log(prior);
  }
  // A bin a row says nothing of the others: there is no share to take.
  return entropy > least ? Math.min(1, (entropy - loss) / (entropy - least)) : 0;
}

/**
 * How surely a number puts each class before the next, taken in the order of their means: the least
 * Gini of neighbours. 0 where that is not all but sure.
 */
function orderShare(
  values: Float64Array,
  column: Column,
  { task, target, weights }: LabelRows,
): number {
  if (column.kind === "categorical") return 0;
  const rowsOf = task.classes.map((): number[] => []);
  let known = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    known++;
    rowsOf[target[i]].push(i);
  }
  if (known < 0.5 * values.length) return 0;
  if (rowsOf.some(({ length }) => length < ORDERED_ROWS)) return 0;
  const meanOf = (rows: readonly number[]): number =>
    rows.reduce((sum, i) => sum + values[i], 0) / rows.length;
  const ordered = rowsOf
    .map((rows) => ({ rows, mean: meanOf(rows) }))
    .sort((a, b) => a.mean - b.mean)
    .map(({ rows }) => rows);
  const area = metricByName("roc_auc");
  const giniOf = (below: readonly number[], above: readonly number[]): number => {
    const both = [...below, ...above];
    const score = area.score({
      target: Float64Array.from(both, (_, i) => (i < below.length ? 0 : 1)),
      predictions: Float64Array.from(both, (i) => values[i]),
      outputs: 1,
      weights: Float64Array.from(both, (i) => weights[i]),
    });
    return 2 * score - 1;
  };
  let least = 1;
  for (let k = 0; k + 1 < ordered.length && least >= ORDERED; k++) {
    const [below, above] = [ordered[k], ordered[k + 1]];
    if (giniOf(spaced(below), spaced(above)) < ORDERED - FIRST_MARGIN) return 0;
    least = Math.min(least, giniOf(below, above));
  }
  return least >= ORDERED ? least : 0;
}

/** `FIRST_ROWS` of them, or all. */
function spaced(rows: readonly number[]): readonly number[] {
  if (rows.length <= FIRST_ROWS) return rows;
  return Array.from(evenlySpaced(rows.length, FIRST_ROWS), (at) => rows[at]);
}
