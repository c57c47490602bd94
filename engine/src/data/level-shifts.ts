/**
 * Series whose level has shifted, as they would be had it always been what it is now, and without a lone spike (`spikes.ts`).
 * A step that is many times larger than all others is no example of how the series moves: a model that is fitted to it sees
 * trends, seasons and autocorrelation that it alone makes (level shifts as interventions: Chen & Liu, "Joint estimation of
 * model parameters and outlier effects in time series", JASA 88(421), 1993). `docs/decisions/forecasting.md` has what was
 * measured.
 */

import { withoutSpike } from "./spikes.ts";

/** By how many times the smallest shift is larger than the largest other change. */
const CLEAR = 5;
/** The same of a last step of which nobody knows whether it stays: that costs no more than a wide interval. */
const UNSETTLED = 3;
/** More shifts are how the series moves. */
const MOST_SHIFTS = 3;
/** Of the largest change, below which others are rounding: what moves by such steps alone moves so, and will again. */
const LEAST_OTHER = 1e-9;
/** Steps of a level, on either side of a shift: of fewer it may be an outlier. */
const LEAST_STEPS = 4;
/** Of fewer changes nobody knows how large they can be. */
const LEAST_CHANGES = 50;
/** Seasons, of fewer of which nobody knows what comes with each. */
const LEAST_SEASONS = 3;

/**
 * @param history finite
 * @param season steps of the shortest season; 1: none
 * @returns the same where no level has shifted and there is no spike; the last level is always as it was
 */
export function levelled(history: Float64Array, season: number): Float64Array {
  const changes = changesOf(history, season);
  if (changes.length < LEAST_CHANGES) return history;
  const plain = withoutSpike(history, changes);
  const shifts = shiftsOf(plain === history ? changes : changesOf(plain, season));
  return shifts.length === 0 ? plain : atLastLevel(plain, shifts, season);
}

/**
 * The size of the last step where it is many times as large as all others: a shift, or a spike that is yet to come back.
 *
 * @param history as `levelled` gives it
 * @returns 0 where it is none
 */
export function unsettledStep(history: Float64Array, season: number): number {
  const sizes = changesOf(history, season).map(Math.abs);
  if (sizes.length < LEAST_CHANGES) return 0;
  const last = sizes[sizes.length - 1];
  const other = sizes.subarray(0, -1).reduce((largest, each) => Math.max(largest, each), 0);
  return other > 0 && last >= UNSETTLED * other ? last : 0;
}

/** @param shifts first steps of the levels but the first, ascending */
function atLastLevel(
  history: Float64Array,
  shifts: readonly number[],
  season: number,
): Float64Array {
  const n = history.length;
  let sum = history[n - 1] - history[0];
  for (const t of shifts) sum -= history[t] - history[t - 1];
  const drift = sum / (n - 1 - shifts.length);
  const values = history.slice();
  const isPositive = history.every((value) => value >= 0);
  for (const [i, t] of shifts.entries()) {
    const lag = t - (shifts[i - 1] ?? 0) >= season ? season : 1;
    const steps = Math.min(lag, (shifts[i + 1] ?? n) - t);
    let [before, after] = [0, 0];
    for (let k = 0; k < steps; k++) {
      before += (history[t + k - lag] + lag * drift) / steps;
      after += history[t + k] / steps;
    }
    const past = values.subarray(0, t);
    // A level that was far higher moved by more: lowered, it would go below 0.
    const isRatio = isPositive && past.some((value) => value + after < before);
    for (let k = 0; k < t; k++) {
      past[k] = isRatio ? (past[k] * after) / before : past[k] + after - before;
    }
  }
  return values;
}

/** From each step to the next, and beyond those that come each season, where three show them. */
function changesOf(history: Float64Array, season: number): Float64Array {
  const changes = history.subarray(1).map((value, t) => value - history[t]);
  if (season < 2 || changes.length < LEAST_SEASONS * season) return changes;
  const usual = Float64Array.from({ length: season }, (_, phase) => {
    const own = Float64Array.from(
      { length: Math.ceil((changes.length - phase) / season) },
      (_, i) => changes[phase + i * season],
    ).sort();
    return own[own.length >> 1];
  });
  return changes.map((change, t) => change - usual[t % season]);
}

/** The first step of each level but the first; none where it has not shifted. */
function shiftsOf(changes: Float64Array): number[] {
  // One more than there may be, the largest change first.
  const largest: { readonly t: number; readonly size: number }[] = [];
  for (const [before, change] of changes.entries()) {
    const [t, size] = [before + 1, Math.abs(change)];
    if (largest.length > MOST_SHIFTS && size <= largest[MOST_SHIFTS].size) continue;
    largest.push({ t, size });
    largest.sort((a, b) => b.size - a.size);
    largest.length = Math.min(largest.length, MOST_SHIFTS + 1);
  }
  const count = largest.findIndex(({ size }, i) => {
    const other = largest[i + 1]?.size ?? Number.POSITIVE_INFINITY;
    return other > LEAST_OTHER * size && size >= CLEAR * other;
  });
  const shifts = largest
    .slice(0, count + 1)
    .map(({ t }) => t)
    .sort((a, b) => a - b);
  const ends = [...shifts, changes.length + 1];
  return ends.every((end, i) => end - (ends[i - 1] ?? 0) >= LEAST_STEPS) ? shifts : [];
}
