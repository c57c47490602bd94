/**
 * What columns that are known in advance add to the values of series: a ridge regression of the series' changes on
 * those of the columns, one for all series, in units of their scales. Changes over a season have neither level nor season in
 * them, so that nothing needs to be known of these yet.
 */

import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { levelledBefore, scaleOf } from "../../data/series-history.ts";
import { fitRidgeMap, Moments } from "../dlinear/ridge-map.ts";
import type { FitContext } from "../family.ts";
import { trainingEnds } from "../local_forecast/local-model.ts";
import { readTerms, type Term, termsOf } from "./design.ts";

/** What changes are over: the shortest season, or a step. */
export const CHANGES = ["season", "step"] as const;

export interface Effects {
  readonly terms: readonly Term[];
  /** Of each term: what it adds, in units of a series, and its mean, at which it adds nothing. */
  readonly weights: Float64Array;
  readonly means: Float64Array;
  /** Of each series of training its scale; NaN where it has none. */
  readonly units: Float64Array;
  /** Of each row of training what was added to it, since a request says nothing of these; and where each series begins. */
  readonly history: Float64Array;
  readonly offsets: Uint32Array;
  /** Shares of the features, and of what the past explains behind them; they sum to 1. */
  readonly importance: Float64Array;
  readonly penalty: number;
  /** Whether there were enough changes to weigh the terms; without terms there is nothing to weigh. */
  readonly estimated: boolean;
}

/** Of the changes of a series, the latest, which choose the penalty. */
const LATER_SHARE = 0.25;
/** Columns of larger values, or of smaller ones than its inverse, are scaled: their squares would be no numbers. */
const LARGE = 1e100;
/** In units of a series: what a row far from those of training adds stays a number. */
const MOST_EFFECT = 1e12;
/** Multiplications of the moments; of more changes an even share is taken. */
const MOST_MULTIPLICATIONS = 1e9;

export function fitEffects(
  context: FitContext,
  frame: SeriesFrame,
  over: (typeof CHANGES)[number],
): Effects {
  const { data } = context;
  const terms = termsOf(data, frame);
  const ends = trainingEnds(frame, context.trainRows);
  const histories = new Map<number, Float64Array>();
  const units = new Float64Array(frame.names.length).fill(Number.NaN);
  for (const [s, end] of ends) {
    const history = levelledBefore(frame, s, end);
    histories.set(s, history);
    if (history.length > 0) units[s] = scaleOf(history, frame.seasons[0] ?? 1).absolute;
  }
  const weights = new Float64Array(terms.length);
  const readRaw = readTerms(data, terms);
  const sizes = readRaw.map((of) => sizeOf(ends, frame, of));
  const read = readRaw.map((of, j) =>
    sizes[j] === 1 ? of : (row: number): number => of(row) / sizes[j],
  );
  const levels = levelsOf(ends, frame, read);
  let penalty = 0;
  const changes =
    terms.length === 0
      ? []
      : changesOf(context, { frame, ends, histories, units, read, over, means: levels.means });
  const estimated = changes.length > terms.length || terms.length === 0;
  if (estimated && terms.length > 0) {
    const { means, deviations } = momentsOf(changes.map(({ terms: values }) => values));
    const mean = changes.reduce((sum, { value }) => sum + value, 0) / changes.length;
    const parts = [new Moments(terms.length, 1), new Moments(terms.length, 1)] as const;
    const one = new Float64Array(1);
    for (const { terms: values, value, weight, later } of changes) {
      one[0] = value - mean;
      const scaled = values.map((each, j) => standard(each, means[j], deviations[j]));
      parts[later ? 1 : 0].add(scaled, one, weight);
    }
    context.limits?.throwIfOver();
    const ridge = fitRidgeMap(...parts);
    penalty = ridge.penalty;
    for (const [j, weight] of ridge.map.entries()) {
      weights[j] = deviations[j] > 0 ? weight / deviations[j] : 0;
    }
  }
  const fitted = {
    terms,
    weights: weights.map((weight, j) => finiteOr(weight / sizes[j], 0)),
    means: levels.means.map((mean, j) => mean * sizes[j]),
  };
  const history = new Float64Array(frame.target.length);
  for (const [s, unit] of units.entries()) {
    if (Number.isNaN(unit)) continue;
    for (let row = frame.offsets[s]; row < frame.offsets[s + 1]; row++) {
      addEffects(fitted, readRaw, row, (_, effect) => {
        history[row] += unit * effect;
      });
    }
  }
  return {
    ...fitted,
    units,
    history,
    offsets: frame.offsets.slice(),
    importance: sharesOf({ terms, weights, deviations: levels.deviations }, data, frame, units),
    penalty,
    estimated,
  };
}

const standard = (value: number, mean: number, deviation: number): number =>
  deviation > 0 ? (value - mean) / deviation : 0;

interface Change {
  readonly terms: Float64Array;
  /** Of the series, in its unit. */
  readonly value: number;
  readonly weight: number;
  readonly later: boolean;
}

interface ChangeSources {
  readonly frame: SeriesFrame;
  readonly ends: ReadonlyMap<number, number>;
  /** Of each of these series, up to there, at the level that it has then. */
  readonly histories: ReadonlyMap<number, Float64Array>;
  /** By series. */
  readonly units: Float64Array;
  readonly read: readonly ((row: number) => number)[];
  readonly over: (typeof CHANGES)[number];
  /** Of the terms, where nothing is known of them: one gap would else take the change from all of them. */
  readonly means: Float64Array;
}

function changesOf(
  context: FitContext,
  { frame, ends, histories, units, read, over, means }: ChangeSources,
): Change[] {
  const { offsets, target, seasons } = frame;
  const { weights: rowWeights } = context;
  const season = over === "season" ? (seasons[0] ?? 1) : 1;
  let rows = 0;
  for (const [s, end] of ends) rows += end - offsets[s];
  const stride = Math.max(1, Math.ceil((rows * read.length ** 2) / 2 / MOST_MULTIPLICATIONS));
  const changes: Change[] = [];
  for (const [s, end] of ends) {
    const start = offsets[s];
    // Without two seasons to compare, what changes from step to step.
    const lag = end - start >= 2 * season + 2 ? season : 1;
    const history = histories.get(s) ?? new Float64Array();
    const first = end - history.length;
    const later = end - Math.floor(LATER_SHARE * (end - start - lag));
    for (let row = start + lag; row < end; row += stride) {
      const isKnown = !Number.isNaN(target[row] - target[row - lag]);
      const value = isKnown
        ? (history[row - first] - history[row - lag - first]) / units[s]
        : Number.NaN;
      const terms = Float64Array.from(
        read,
        (of, j) => finiteOr(of(row), means[j]) - finiteOr(of(row - lag), means[j]),
      );
      const weight = rowWeights ? rowWeights[row] : 1;
      if (!(weight > 0) || !Number.isFinite(value)) continue;
      changes.push({ terms, value, weight, later: row >= later });
    }
  }
  return changes;
}

const finiteOr = (value: number, mean: number): number => (Number.isFinite(value) ? value : mean);

/** The greatest of a column's values, of columns that have to be scaled; else 1. */
function sizeOf(
  ends: ReadonlyMap<number, number>,
  { offsets }: SeriesFrame,
  of: (row: number) => number,
): number {
  let most = 0;
  for (const [s, end] of ends) {
    for (let row = offsets[s]; row < end; row++) {
      const size = Math.abs(of(row));
      if (size > most && size < Number.POSITIVE_INFINITY) most = size;
    }
  }
  return most > LARGE || (most > 0 && most < 1 / LARGE) ? most : 1;
}

interface Levels {
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

/** Of the terms where they are known. */
function levelsOf(
  ends: ReadonlyMap<number, number>,
  { offsets }: SeriesFrame,
  read: readonly ((row: number) => number)[],
): Levels {
  const means = new Float64Array(read.length);
  const deviations = new Float64Array(read.length);
  for (const [j, of] of read.entries()) {
    let [count, sum, squares] = [0, 0, 0];
    for (const [s, end] of ends) {
      for (let row = offsets[s]; row < end; row++) {
        const value = of(row);
        if (!Number.isFinite(value)) continue;
        count++;
        // Welford's, since a column may be far from 0.
        const before = value - sum;
        sum += before / count;
        squares += before * (value - sum);
      }
    }
    means[j] = sum;
    deviations[j] = count > 0 ? Math.sqrt(squares / count) : 0;
  }
  return { means, deviations };
}

function momentsOf(rows: readonly Float64Array[]): Levels {
  const width = rows[0].length;
  const means = new Float64Array(width);
  const deviations = new Float64Array(width);
  for (let j = 0; j < width; j++) {
    for (const row of rows) means[j] += row[j] / rows.length;
    for (const row of rows) deviations[j] += (row[j] - means[j]) ** 2 / rows.length;
    deviations[j] = Math.sqrt(deviations[j]);
  }
  return { means, deviations };
}

/** How far each feature moves forecasts, beside how far series move, both in their units. */
function sharesOf(
  {
    terms,
    weights,
    deviations,
  }: Pick<Effects, "terms" | "weights"> & { readonly deviations: Float64Array },
  { features }: EncodedData,
  { target, offsets }: SeriesFrame,
  units: Float64Array,
): Float64Array {
  const shares = new Float64Array(features.length + 1);
  for (const [j, { feature }] of terms.entries()) {
    shares[feature] += Math.abs(weights[j]) * deviations[j];
  }
  let [sum, series] = [0, 0];
  for (const [s, unit] of units.entries()) {
    const own = target.subarray(offsets[s], offsets[s + 1]).filter(Number.isFinite);
    if (own.length === 0 || Number.isNaN(unit)) continue;
    const mean = own.reduce((a, b) => a + b, 0) / own.length;
    sum += Math.sqrt(own.reduce((a, b) => a + (b - mean) ** 2, 0) / own.length) / unit;
    series++;
  }
  const moved = shares.reduce((a, b) => a + b, 0);
  const own = series > 0 ? sum / series : 1;
  // Of independent parts variances add up.
  shares[features.length] = Math.sqrt(Math.max(own ** 2 - moved ** 2, 0.01 * own ** 2)) || 1;
  const all = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / all);
}

/** What each feature adds to a row, in units of its series; nothing where nothing is known of it. */
export function addEffects(
  { terms, weights, means }: Pick<Effects, "terms" | "weights" | "means">,
  read: readonly ((row: number) => number)[],
  row: number,
  add: (feature: number, effect: number) => void,
): void {
  for (const [j, { feature }] of terms.entries()) {
    const value = read[j](row);
    if (!Number.isFinite(value) || weights[j] === 0) continue;
    const effect = weights[j] * (value - means[j]);
    add(feature, Math.max(-MOST_EFFECT, Math.min(MOST_EFFECT, effect)));
  }
}
