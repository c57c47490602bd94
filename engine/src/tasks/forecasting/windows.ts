/**
 * Rolling origin: each series is forecast from several origins, the last window ending where it ends,
 * by what lies before the origin (Tashman, "Out-of-sample tests of forecasting accuracy", 2000, §3).
 */

import type { SeriesFrame } from "../../data/frame.ts";
import {
  forecastBlocks,
  historyBefore,
  recentScaleOf,
  scaleOf,
} from "../../data/series-history.ts";
import { DataError } from "../../data/table.ts";
import type { SeriesRows } from "../../metrics/metric.ts";

export interface Window {
  /** Ascending rows. */
  readonly train: Uint32Array;
  readonly valid: Uint32Array;
}

export interface WindowRequest {
  readonly frame: SeriesFrame;
  readonly windows: number;
  /** Steps from one window to the next, at least the horizon. */
  readonly step: number;
}

export interface Backtest {
  readonly windows: readonly Window[];
  readonly warnings: readonly string[];
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
export function rollingOrigin({ frame, windows, step }: WindowRequest): Backtest {
  const { offsets, horizon, gap } = frame;
  const count = offsets.length - 1;
  const least = Array.from({ length: count }, (_, s) =>
    leastHistory(frame, knownSteps(frame, offsets[s], offsets[s + 1] - horizon - gap)),
  );
  const made: Window[] = [];
  const served: number[] = [];
  for (let back = windows - 1; back >= 0; back--) {
    const train: number[] = [];
    const valid: number[] = [];
    let own = 0;
    for (let s = 0; s < count; s++) {
      const start = offsets[s + 1] - horizon - back * step;
      const origin = start - gap;
      const known = knownSteps(frame, offsets[s], origin);
      if (known === 0 || (back > 0 && known < least[s])) continue;
      own++;
      for (let row = offsets[s]; row < origin; row++) train.push(row);
      for (let row = start; row < start + horizon; row++) valid.push(row);
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
  if (made.length < windows) {
    warnings.push(
      `The series are long enough for ${made.length} of ${windows} windows of ${horizon} steps.`,
    );
  }
  const [first] = served;
  if (first < count) {
    warnings.push(
      `${count - first} of ${count} series are too short for the first window of the backtest${served.at(-1) === count ? "" : `, and ${count - (served.at(-1) ?? 0)} for any: these are forecast, and not scored`}.`,
    );
  }
  return { windows: made, warnings };
}

/** From the first known value on. */
function knownSteps({ target }: SeriesFrame, from: number, to: number): number {
  for (let row = from; row < to; row++) if (!Number.isNaN(target[row])) return to - row;
  return 0;
}

/** What metrics scale each row's error by; of rows that no window validates it says nothing. */
export function seriesRows(
  frame: SeriesFrame,
  windows: readonly Window[],
  reference: (history: Float64Array, horizon: number) => Float64Array,
): SeriesRows {
  const { target, seasons, gap } = frame;
  const rows = target.length;
  const places = (): Uint32Array => new Uint32Array(new SharedArrayBuffer(rows * 4));
  const [group, ofSeries, window, step] = [places(), places(), places(), places()];
  const shared = (): Float64Array => new Float64Array(new SharedArrayBuffer(rows * 8)).fill(1);
  const [scale, squaredScale, recentScale, naive] = [shared(), shared(), shared(), shared()];
  let number = 0;
  for (const [w, { valid }] of windows.entries()) {
    for (const { series, from, to, origin } of forecastBlocks(frame, valid)) {
      const history = historyBefore(frame, series, origin);
      const { absolute, squared } = scaleOf(history, seasons[0] ?? 1);
      const recent = recentScaleOf(history, seasons[0] ?? 1, frame.horizon);
      const naive2 = reference(history, to - from + gap);
      for (let i = from; i < to; i++) {
        group[valid[i]] = number;
        ofSeries[valid[i]] = series;
        window[valid[i]] = w;
        step[valid[i]] = i - from;
        scale[valid[i]] = absolute;
        squaredScale[valid[i]] = squared;
        recentScale[valid[i]] = recent;
        naive[valid[i]] = naive2[i - from + gap];
      }
      number++;
    }
  }
  return {
    group,
    series: ofSeries,
    window,
    step,
    scale,
    squaredScale,
    recentScale,
    reference: naive,
  };
}
