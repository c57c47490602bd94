/** What is known of a series before some step, and how large its changes are: what forecasts start from. */

import type { SeriesFrame } from "./frame.ts";
import { levelled, unsettledStep } from "./level-shifts.ts";
import { shown } from "./shown.ts";
import { DataError } from "./table.ts";

/**
 * The values of one series before the row `end`, its gaps filled from what lies before `end` alone: by a
 * straight line between neighbours, or at the end by the value of a season before.
 *
 * @param end a row of the frame, beyond the series' first
 * @returns at least one finite value, from the first known one on; empty where none is known
 */
export function historyBefore(frame: SeriesFrame, series: number, end: number): Float64Array {
  const { target, offsets, seasons } = frame;
  let first = offsets[series];
  while (first < end && Number.isNaN(target[first])) first++;
  const values = target.slice(first, end);
  const season = seasons[0] ?? 1;
  let known = 0;
  for (let i = 1; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    const gap = i - known;
    for (let k = 1; k < gap; k++) {
      values[known + k] = values[known] + ((values[i] - values[known]) * k) / gap;
    }
    known = i;
  }
  for (let i = known + 1; i < values.length; i++) {
    values[i] = i >= season ? values[i - season] : values[known];
  }
  return values;
}

/** The same at the level that the series has in the end, which is what models are fitted to and forecasts start from. */
export function levelledBefore(frame: SeriesFrame, series: number, end: number): Float64Array {
  return levelled(historyBefore(frame, series, end), frame.seasons[0] ?? 1);
}

/**
 * That of a series that is to be forecast from there.
 *
 * @throws DataError where nothing is known of it
 */
export function knownHistory(frame: SeriesFrame, series: number, end: number): Float64Array {
  const history = levelledBefore(frame, series, end);
  if (history.length > 0) return history;
  throw new DataError(
    `The series ${shown(frame.names[series])} has no known values before the steps to forecast.`,
  );
}

export interface SeriesScale {
  /** Mean absolute, and mean squared, difference between values a season apart; positive. */
  readonly absolute: number;
  readonly squared: number;
}

/**
 * What errors are measured in: differences a season apart, where the history is too short or has none,
 * from step to step; of a constant series its size, or 1.
 */
export function scaleOf(history: Float64Array, season: number): SeriesScale {
  for (const lag of season > 1 ? [season, 1] : [1]) {
    let [absolute, squared] = [0, 0];
    const count = history.length - lag;
    for (let i = lag; i < history.length; i++) {
      const change = history[i] - history[i - lag];
      absolute += Math.abs(change);
      squared += change * change;
    }
    if (count > 0 && absolute > 0) return { absolute: absolute / count, squared: squared / count };
  }
  const size = Math.abs(history.at(-1) ?? 0) || 1;
  return { absolute: size, squared: size * size };
}

/**
 * What intervals are measured in: the mean absolute difference between values a season apart as `scaleOf` has
 * it, the later the more, half as much each season or horizon (the longer of them) before the end. Of hardly more than a
 * season the few changes that there are may be small by luck, and those from step to step count beside them. Of a series that
 * has come to rest it is what it moved by before, and of one that never moved its size, times how likely it moves again within
 * the horizon: h / (n + h) after n steps at rest, by Laplace's rule of succession. Where nobody knows
 * yet whether the last step stays, intervals reach about as far as it went.
 *
 * @returns positive
 */
export function recentScaleOf(history: Float64Array, season: number, horizon: number): number {
  const still = stepsAtRest(history);
  if (still === history.length || still >= LONG_REST * Math.max(season, horizon)) {
    const moved = history.subarray(0, history.length - still + 1);
    return (scaleOf(moved, season).absolute * horizon) / (still + horizon);
  }
  const seen = history.length - season;
  const missing = Math.min(season, ENOUGH_CHANGES) - seen;
  if (season > 1 && seen > 0 && missing > 0) {
    const [own, steps] = [season, 1].map((lag) => recentOf(history, lag, horizon));
    return (seen * own + missing * steps) / (seen + missing);
  }
  const unsettled = UNSETTLED_SHARE * unsettledStep(history, season);
  return Math.max(unsettled, recentOf(history, season, horizon));
}

/** Of a last step that may stay or not: of three windows of a season, ends of 90 % are then as far away as it went. */
const UNSETTLED_SHARE = 0.3;

/** Seasons, or horizons, after which values that are all the same say more than those before them. */
const LONG_REST = 2;

/** How many values at the end are all the same. */
function stepsAtRest(history: Float64Array): number {
  const last = history.length - 1;
  let from = last;
  while (from > 0 && history[from - 1] === history[last]) from--;
  return last - from + 1;
}

/** Changes a season apart, from which on they say by themselves how large they are. */
const ENOUGH_CHANGES = 6;

function recentOf(history: Float64Array, season: number, horizon: number): number {
  const fading = 0.5 ** (1 / Math.max(season, horizon));
  for (const lag of season > 1 ? [season, 1] : [1]) {
    let [sum, total] = [0, 0];
    for (let i = lag; i < history.length; i++) {
      sum = fading * sum + Math.abs(history[i] - history[i - lag]);
      total = fading * total + 1;
    }
    if (sum > LEAST_RECENT * total * scaleOf(history, season).absolute) return sum / total;
  }
  return scaleOf(history, season).absolute;
}

/** Of the scale of all of a history, below which the recent one says nothing of what is to come. */
const LEAST_RECENT = 0.01;

/** What values of a series lie between, both inside. */
export interface ValueBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * The bounds of the series where none of the known values before the row `end` lies beyond them. What is forecast beyond is
 * nearer to the truth at them. Models of former versions have none, and go by signs: where no value is negative, none will
 * be, and where none is positive (and not all are 0), none will be.
 */
export function boundsBefore(
  { target, offsets, least, most }: Pick<SeriesFrame, "least" | "most" | "offsets" | "target">,
  series: number,
  end: number,
): ValueBounds {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = offsets[series]; row < end; row++) {
    if (target[row] < lowest) lowest = target[row];
    if (target[row] > highest) highest = target[row];
  }
  const [from, to] = [
    least?.[series] ?? 0,
    most?.[series] ?? (lowest < 0 ? 0 : Number.POSITIVE_INFINITY),
  ];
  return {
    least: lowest >= from && highest >= from ? from : Number.NEGATIVE_INFINITY,
    most: lowest <= to && highest <= to ? to : Number.POSITIVE_INFINITY,
  };
}

/** The value, or the bound that it lies beyond. */
export function within(value: number, { least, most }: ValueBounds): number {
  return value < least ? least : value > most ? most : value;
}

/** Rows of one series that are forecast together, from one origin: up to a horizon of them. */
export interface ForecastBlock {
  readonly series: number;
  /** Places of its first row, and beyond its last, among the rows that were asked for. */
  readonly from: number;
  readonly to: number;
  /** The row from which on nothing is known: what lies before is the history. */
  readonly origin: number;
}

/**
 * @param rows ascending; of each series, rows from one origin on, or several horizons of them, each from an origin of its own
 */
export function forecastBlocks(frame: SeriesFrame, rows: Uint32Array): ForecastBlock[] {
  const { offsets, gap, horizon } = frame;
  const blocks: ForecastBlock[] = [];
  let series = 0;
  for (let from = 0; from < rows.length; ) {
    while (rows[from] >= offsets[series + 1]) series++;
    let to = from + 1;
    const end = Math.min(offsets[series + 1], rows[from] + horizon);
    while (to < rows.length && rows[to] < end) to++;
    blocks.push({ series, from, to, origin: Math.max(offsets[series], rows[from] - gap) });
    from = to;
  }
  return blocks;
}

/** Holds forecasts of these rows, one each, within what the past of their series allows: in place. */
export function holdWithin(frame: SeriesFrame, rows: Uint32Array, values: Float64Array): void {
  for (const { series, from, to, origin } of forecastBlocks(frame, rows)) {
    const bounds = boundsBefore(frame, series, origin);
    for (let i = from; i < to; i++) values[i] = within(values[i], bounds);
  }
}

/** Of each row that is forecast, its step from its origin and the gap on, from 0. */
export function stepsOf(frame: SeriesFrame, rows: Uint32Array): Uint32Array {
  const steps = new Uint32Array(rows.length);
  for (const { from, to } of forecastBlocks(frame, rows)) {
    for (let i = from; i < to; i++) steps[i] = rows[i] - rows[from];
  }
  return steps;
}
