/**
 * Rolling origin: each series is forecast from several origins, the last window ending where it ends,
 * by what lies before the origin (Tashman, "Out-of-sample tests of forecasting accuracy", 2000, §3).
 */

import type { SeriesFrame } from "../../data/frame.ts";
import { levelled } from "../../data/level-shifts.ts";
import {
  boundsBefore,
  forecastBlocks,
  historyBefore,
  recentScaleOf,
  scaleOf,
} from "../../data/series-history.ts";
import { DataError } from "../../data/table.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import type { SeriesBounds } from "./value-bounds.ts";

/** One fit: what it learns from, and the windows that it forecasts, one after another. */
export interface Fold {
  /** Ascending rows. */
  readonly train: Uint32Array;
  readonly valid: Uint32Array;
}

export interface WindowRequest {
  readonly frame: SeriesFrame;
  /** Fits of the backtest, of which each has one window or more. */
  readonly folds: number;
  /** Steps from one window to the next, at least the horizon. */
  readonly step: number;
  /** Whether a fit has one window and no more. */
  readonly single: boolean;
}

export interface Backtest {
  readonly folds: readonly Fold[];
  readonly warnings: readonly string[];
}

/**
 * Three windows of one series choose by luck. So long ones have more of them, up to as many forecasts of series as tell methods
 * apart, without more fits: each forecasts several windows, of each by all that lies before it.
 */
const ENOUGH_FORECASTS = 24;
const MOST_WINDOWS = 8;
/**
 * Of longer series a forecast takes as long as a part of a fit, and more windows were no better
 * (docs/decisions/forecasting.md).
 */
const MOST_STEPS = 3000;
/** Of a series, at most, all windows together: parameters are to be those of a history nearly as long. */
const TESTED_SHARE = 0.3;

/**
 * Of each series: windows of one fit.
 *
 * @param least of each series the steps that its first window has to leave
 */
function windowsOfFit(
  { frame, folds, step, single }: WindowRequest,
  least: readonly number[],
): number[] {
  const { offsets, horizon, gap } = frame;
  const count = offsets.length - 1;
  const wanted = Math.min(MOST_WINDOWS, Math.ceil(ENOUGH_FORECASTS / (folds * count)));
  return Array.from({ length: count }, (_, s) => {
    if (single || step > horizon) return 1;
    const known = knownSteps(frame, offsets[s], offsets[s + 1]);
    const tested = Math.min(TESTED_SHARE * known, known - gap - least[s]);
    if (known > MOST_STEPS) return 1;
    const most = Math.min(wanted, tested / (folds * horizon));
    return Math.max(1, Math.floor(most));
  });
}

/**
 * Windows before a series' last one have to leave it enough to learn from. Of a few steps every method forecasts something
 * else than of all of them, so that such windows, whose errors are the largest, choose by what no model will meet.
 */
const LEAST_STEPS = 5;
const LEAST_HORIZONS = 0.75;

/** @param last steps that are known before the series' last window */
function leastHistory({ horizon, gap, seasons }: SeriesFrame, last: number): number {
  const twice = 2 * (seasons[0] ?? 0);
  // Two seasons show one, and where no window has as many, all are without.
  return Math.max(LEAST_STEPS, LEAST_HORIZONS * (horizon + gap), last >= twice ? twice : 0);
}

/** @throws DataError where no series is long enough for any window */
export function rollingOrigin(request: WindowRequest): Backtest {
  const { frame, folds, step } = request;
  const { offsets, horizon, gap } = frame;
  const count = offsets.length - 1;
  const least = Array.from({ length: count }, (_, s) =>
    leastHistory(frame, knownSteps(frame, offsets[s], offsets[s + 1] - horizon - gap)),
  );
  const windows = windowsOfFit(request, least);
  const made: Fold[] = [];
  const served: number[] = [];
  for (let back = folds - 1; back >= 0; back--) {
    const train: number[] = [];
    const valid: number[] = [];
    let own = 0;
    for (let s = 0; s < count; s++) {
      const steps = horizon * windows[s];
      const start = offsets[s + 1] - steps - back * step * windows[s];
      const origin = start - gap;
      const known = knownSteps(frame, offsets[s], origin);
      if (known === 0 || (back > 0 && known < least[s])) continue;
      // Of a window in a gap nothing is to be scored.
      if (knownSteps(frame, start, start + steps) === 0) continue;
      own++;
      for (let row = offsets[s]; row < origin; row++) train.push(row);
      for (let row = start; row < start + steps; row++) valid.push(row);
    }
    if (own === 0) continue;
    made.push({ train: Uint32Array.from(train), valid: Uint32Array.from(valid) });
    served.push(own);
  }
  if (made.length === 0) {
    const longest = Math.max(
      ...Array.from({ length: count }, (_, s) => offsets[s + 1] - offsets[s]),
    );
    throw new DataError(
      `The longest series has ${longest} steps; to forecast ${horizon}${gap > 0 ? ` after a gap of ${gap}` : ""} and check it, at least ${horizon + gap + 1} are needed. Lower the horizon.`,
      { member: "horizon" },
    );
  }
  const warnings: string[] = [];
  if (made.length < folds) {
    warnings.push(
      `The series are long enough for ${made.length} of ${folds} windows of ${horizon} ${horizon === 1 ? "step" : "steps"}.`,
    );
  }
  const [first] = served;
  if (first < count) {
    warnings.push(
      `${count - first} of ${count} series are too short for the first window of the backtest${served.at(-1) === count ? "" : `, and ${count - (served.at(-1) ?? 0)} for any: these are forecast, and not scored`}.`,
    );
  }
  return { folds: made, warnings };
}

/** From the first known value on. */
function knownSteps({ target }: SeriesFrame, from: number, to: number): number {
  for (let row = from; row < to; row++) if (!Number.isNaN(target[row])) return to - row;
  return 0;
}

export interface RowsRequest {
  readonly reference: (history: Float64Array, horizon: number) => Float64Array;
  /** By the rows that each series is known before. */
  readonly boundsBefore: (ends: Uint32Array) => SeriesBounds;
}

/** What metrics scale each row's error by, and its place; of rows that no window validates it says nothing. */
export function seriesRows(
  frame: SeriesFrame,
  folds: readonly Fold[],
  { reference, boundsBefore: boundsAt }: RowsRequest,
): SeriesRows {
  const { target, seasons, gap } = frame;
  const rows = target.length;
  const places = (): Uint32Array => new Uint32Array(new SharedArrayBuffer(rows * 4));
  const [group, ofSeries, window, step] = [places(), places(), places(), places()];
  const shared = (): Float64Array => new Float64Array(new SharedArrayBuffer(rows * 8)).fill(1);
  const [scale, squaredScale, recentScale, naive] = [shared(), shared(), shared(), shared()];
  const [least, most] = [shared(), shared()];
  let number = 0;
  let windows = 0;
  for (const { valid } of folds) {
    const blocks = forecastBlocks(frame, valid);
    const firsts = frame.offsets.slice(0, -1);
    for (const { series, origin } of [...blocks].reverse()) firsts[series] = origin;
    const bounded = { ...frame, ...boundsAt(firsts) };
    const left = new Map<number, number>();
    for (const { series } of blocks) left.set(series, (left.get(series) ?? 0) + 1);
    // Those of all series are numbered from the last one back, where all have one.
    windows += [...left.values()].reduce((most, each) => Math.max(most, each), 0);
    for (const { series, from, to, origin } of blocks) {
      const after = left.get(series) ?? 1;
      left.set(series, after - 1);
      const history = historyBefore(frame, series, origin);
      const { absolute, squared } = scaleOf(history, seasons[0] ?? 1);
      const level = levelled(history, seasons[0] ?? 1);
      const recent = recentScaleOf(level, seasons[0] ?? 1, frame.horizon);
      const bounds = boundsBefore(bounded, series, origin);
      const naive2 = reference(history, to - from + gap);
      for (let i = from; i < to; i++) {
        group[valid[i]] = number;
        ofSeries[valid[i]] = series;
        window[valid[i]] = windows - after;
        step[valid[i]] = i - from;
        scale[valid[i]] = absolute;
        squaredScale[valid[i]] = squared;
        recentScale[valid[i]] = recent;
        least[valid[i]] = bounds.least;
        most[valid[i]] = bounds.most;
        naive[valid[i]] = naive2[i - from + gap];
      }
      number++;
    }
  }
  return {
    season: seasons[0] ?? 1,
    group,
    series: ofSeries,
    window,
    step,
    scale,
    squaredScale,
    recentScale,
    least,
    most,
    reference: naive,
  };
}
