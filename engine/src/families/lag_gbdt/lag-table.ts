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
/** Categories of a feature beyond which it tells series apart rather than kinds of them. */
const MOST_CATEGORIES = 50;

export interface LagShape {
  /** Last values before the origin. */
  readonly lags: number;
  /** Steps of a season, ascending. */
  readonly seasons: readonly number[];
}

/** A step to be forecast from what lies before an origin of its series. */
export interface Example {
  readonly series: number;
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
function lagNames({ lags, seasons }: LagShape): string[] {
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
 * @param histories of each series that examples name: its values from its first row on, gaps filled
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
  for (const [i, { series, row, origin }] of examples.entries()) {
    const values = histories.get(series);
    if (!values) throw new RangeError(`The series ${series} has no history.`);
    const start = frame.offsets[series];
    const end = origin - start;
    const at = row - start;
    let unit = scales.get(series);
    if (unit === undefined) {
      unit = scaleOf(values, season).absolute;
      scales.set(series, unit);
    }
    const baseAt = season > 1 ? phaseOf(values, at, end, season, 1) : values[end - 1];
    const own = Number.isNaN(baseAt) ? values[end - 1] : baseAt;
    base[i] = own;
    scale[i] = unit;
    write(columns, i, { values, at, end, own, unit, step: row - origin }, shape);
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
