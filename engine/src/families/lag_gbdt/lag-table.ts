/**
 * What boosted trees learn forecasts from: for a step and an origin before it, the last values, those of
 * the same phase in the seasons before, means over seasons, and what is known of the step itself. Values
 * are differences to a base forecast, over the scale of the series, so that series of any size and level
 * are alike (Montero-Manso & Hyndman, "Principles and algorithms for forecasting groups of time series",
 * 2021, §5: global models with lags; direct, with the step as a feature).
 */

import { Arena } from "../../compute/arena.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { SeriesFrame } from "../../data/frame.ts";
import { scaleOf } from "../../data/series-history.ts";
import type { NumericColumn, Table } from "../../data/table.ts";

/** Seasons before whose same phase is looked at. */
const PHASES = 3;
/** Last values of a column of the past that are looked at. */
const PAST_LAGS = 3;
/** Categories of a feature beyond which it tells series apart rather than kinds of them. */
const MOST_CATEGORIES = 50;

export interface LagShape {
  /** Last values before the origin. */
  readonly lags: number;
  /** Steps of a season, ascending. */
  readonly seasons: readonly number[];
  /** Columns that are known of the past alone. */
  readonly past: readonly string[];
  /**
   * What the scale of a series is of: its known values; or, in models of former versions, all from its first row on, so that
   * a series that begins with unknown ones was taken for a constant.
   */
  readonly scaleOf: (typeof SCALES)[number];
}

export const SCALES = ["known", "whole"] as const;

/** A step to be forecast from what lies before an origin of its series. */
export interface Example {
  readonly series: number;
  /** The key of what lies before its origin, among the histories. */
  readonly history: number;
  /** The row of the step. */
  readonly row: number;
  /** The first row that is not known. */
  readonly origin: number;
}

export interface LagTable {
  readonly table: Table;
  /** Of each example, what is added to its difference once that is multiplied by the scale. */
  readonly base: Float64Array;
  readonly scale: Float64Array;
}

/** Names of the columns made of the past; those of the data's features follow. */
function lagNames({ lags, seasons, past }: LagShape): string[] {
  return [
    "step",
    ...Array.from({ length: lags }, (_, i) => `lag ${i + 1}`),
    ...seasons.flatMap((season) => [
      ...Array.from({ length: PHASES }, (_, i) => `phase ${i + 1} of ${season}`),
      `mean of ${season}`,
      `change of ${season}`,
      `deviation of ${season}`,
    ]),
    "mean of lags",
    "deviation of lags",
    ...past.flatMap((name, p) => [
      ...Array.from({ length: PAST_LAGS }, (_, i) => `past ${p} ${name} lag ${i + 1}`),
      `past ${p} ${name} mean of lags`,
      `past ${p} ${name} change since the mean`,
      `past ${p} ${name} change since the base`,
    ]),
  ];
}

/** The place of the data's feature that a column is made of; null for one of the past. */
export function knownFeature(column: string): number | null {
  const known = /^known (\d+) /.exec(column);
  return known ? Number(known[1]) : null;
}

/** Places of the data's features that trees read as numbers. */
function usedFeatures({ features }: EncodedData): number[] {
  return [...features.keys()].filter((f) => {
    const feature = features[f];
    return feature.kind === "numeric" || feature.categories.length <= MOST_CATEGORIES;
  });
}

/**
 * @param histories that examples name: values of a series from its first row on, gaps filled
 * @param known rows of the past that scales are of: up to the origin
 */
export function lagTable(
  data: EncodedData,
  frame: SeriesFrame,
  examples: readonly Example[],
  histories: ReadonlyMap<number, Float64Array>,
  shape: LagShape,
): LagTable {
  const names = lagNames(shape);
  const columns = names.map(() => new Float64Array(examples.length));
  const base = new Float64Array(examples.length);
  const scale = new Float64Array(examples.length);
  const season = shape.seasons[0] ?? 1;
  const scales = new Map<number, number>();
  const past = shape.past.map((name) => pastColumn(frame, name));
  const firstPast = names.length - past.length * (PAST_LAGS + 3);
  for (const [i, { series, history, row, origin }] of examples.entries()) {
    const values = histories.get(history);
    if (!values) throw new RangeError(`The series ${series} has no history.`);
    const start = frame.offsets[series];
    const end = origin - start;
    const at = row - start;
    let unit = scales.get(history);
    if (unit === undefined) {
      const known = shape.scaleOf === "known" ? values.subarray(firstKnown(values)) : values;
      unit = scaleOf(known, season).absolute;
      scales.set(history, unit);
    }
    const baseAt = season > 1 ? phaseOf(values, at, end, season, 1) : values[end - 1];
    const own = Number.isNaN(baseAt) ? values[end - 1] : baseAt;
    base[i] = own;
    scale[i] = unit;
    write(columns, i, { values, at, end, own, unit, step: row - origin }, shape);
    for (const [p, column] of past.entries()) {
      const to = columns.slice(firstPast + p * (PAST_LAGS + 3));
      writePast(to, i, column.subarray(start, origin), { at, season, lags: shape.lags });
    }
  }
  const made: NumericColumn[] = names.map((name, c) => ({
    kind: "numeric",
    name,
    values: columns[c],
  }));
  return {
    table: { rows: examples.length, columns: [...made, ...knownColumns(data, examples)] },
    base,
    scale,
  };
}

/** @param values gaps are filled */
function firstKnown(values: Float64Array): number {
  return Math.max(0, values.findIndex(Number.isFinite));
}

interface Past {
  readonly values: Float64Array;
  /** Place of the step, and of the first value that is not known. */
  readonly at: number;
  readonly end: number;
  readonly own: number;
  readonly unit: number;
  readonly step: number;
}

function write(
  columns: readonly Float64Array[],
  row: number,
  { values, at, end, own, unit, step }: Past,
  { lags, seasons }: LagShape,
): void {
  let c = 0;
  const put = (value: number): void => {
    columns[c++][row] = value;
  };
  const scaled = (value: number): number => (value - own) / unit;
  put(step);
  for (let lag = 1; lag <= lags; lag++) put(lag <= end ? scaled(values[end - lag]) : Number.NaN);
  for (const season of seasons) {
    for (let phase = 1; phase <= PHASES; phase++) {
      put(scaled(phaseOf(values, at, end, season, phase)));
    }
    const last = moments(values, end - season, end);
    const before = moments(values, end - 2 * season, end - season);
    put(scaled(last.mean));
    put((last.mean - before.mean) / unit);
    put(last.deviation / unit);
  }
  const recent = moments(values, end - Math.max(2, lags), end);
  put(scaled(recent.mean));
  put(recent.deviation / unit);
}

/** @throws RangeError where the frame has no such column */
function pastColumn({ past = [] }: SeriesFrame, name: string): Float64Array {
  const column = past.find((each) => each.name === name);
  if (!column) throw new RangeError(`The series have no column ${name} of the past.`);
  return column.values;
}

/** @param known the column's values before the origin; NaN where there is none */
function writePast(
  columns: readonly Float64Array[],
  row: number,
  known: Float64Array,
  { at, season, lags }: { readonly at: number; readonly season: number; readonly lags: number },
): void {
  const end = known.length;
  for (let lag = 1; lag <= PAST_LAGS; lag++) {
    columns[lag - 1][row] = lag <= end ? known[end - lag] : Number.NaN;
  }
  const last = end > 0 ? known[end - 1] : Number.NaN;
  let [sum, count] = [0, 0];
  for (let i = Math.max(0, end - Math.max(2, lags)); i < end; i++) {
    if (Number.isNaN(known[i])) continue;
    sum += known[i];
    count++;
  }
  const mean = count > 0 ? sum / count : Number.NaN;
  columns[PAST_LAGS][row] = mean;
  columns[PAST_LAGS + 1][row] = last - mean;
  columns[PAST_LAGS + 2][row] =
    last - (season > 1 ? phaseOf(known, at, end, season, 1) : (known[end - 2] ?? Number.NaN));
}

/** The value at the step's phase, so many of the seasons back that are whole before the origin. */
function phaseOf(
  values: Float64Array,
  at: number,
  end: number,
  season: number,
  back: number,
): number {
  const seasons = Math.ceil((at - end + 1) / season) + back - 1;
  const place = at - seasons * season;
  return place >= 0 ? values[place] : Number.NaN;
}

function moments(
  values: Float64Array,
  from: number,
  to: number,
): { readonly mean: number; readonly deviation: number } {
  if (from < 0) return { mean: Number.NaN, deviation: Number.NaN };
  let [sum, squares] = [0, 0];
  for (let i = from; i < to; i++) sum += values[i];
  const mean = sum / (to - from);
  for (let i = from; i < to; i++) squares += (values[i] - mean) ** 2;
  return { mean, deviation: Math.sqrt(squares / (to - from)) };
}

/** The data's own features of the steps: the calendar, what is constant or known ahead. */
function knownColumns(data: EncodedData, examples: readonly Example[]): NumericColumn[] {
  const used = usedFeatures(data);
  if (used.length === 0 || data.values === null) return [];
  const arena = Arena.attach(data.arena);
  const { values: pointer, rows, features } = data;
  return used.map((f) => {
    const column = arena.f64(pointer + f * rows * 8, rows);
    return {
      kind: "numeric",
      name: `known ${f} ${features[f].name}`,
      values: Float64Array.from(examples, ({ row }) => column[row]),
    };
  });
}
