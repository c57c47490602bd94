/**
 * Methods for intermittent demand, many of whose values are 0.
 *
 * - `classic`: sizes of demands and intervals between them smoothed apart. Croston, "Forecasting and stock
 *   control for intermittent demands", Operational Research Quarterly 23(3), 1972.
 * - `sba`: with the correction of its bias. Syntetos & Boylan, "The accuracy of intermittent demand
 *   estimates", Int. J. Forecasting 21(2), 2005.
 * - `tsb`: the probability of a demand is smoothed at every step, so that it falls where demand ends. Teunter,
 *   Syntetos & Babai, "Intermittent demand: linking forecasting to inventory obsolescence", Eur. J. Oper. Res.
 *   214(3), 2011.
 * - `adida`: sums over the mean interval are smoothed and shared out again. Nikolopoulos et al., "An
 *   aggregate-disaggregate intermittent demand approach (ADIDA)", J. Oper. Res. Soc. 62(3), 2011.
 * - `imapa`: the mean of that over all lengths of the sums up to the mean interval. Petropoulos & Kourentzes,
 *   "Forecast combinations for intermittent demand", J. Oper. Res. Soc. 66(6), 2015.
 *
 * Values that are not 0 count as demands, those below 0 too. Forecasts are flat.
 */

import { minimiseScalar } from "../optimise/scalar-minimum.ts";
import { checkHistory, checkRequest, type SeriesModel } from "../series-model.ts";
import { scaled, scaleOf, unscaled } from "../standardise.ts";

export const CROSTON_METHODS = ["classic", "sba", "tsb", "adida", "imapa"] as const;
export type CrostonMethod = (typeof CROSTON_METHODS)[number];

export interface CrostonOptions {
  /** Default: sba. */
  readonly method?: CrostonMethod;
  /** Smoothing of sizes, from 0 to 1; default 0.1, for `tsb` 0.2. `adida` and `imapa` fit theirs. */
  readonly alpha?: number;
  /** Smoothing of intervals, or for `tsb` of the probability; default as `alpha`. */
  readonly beta?: number;
}

export interface SavedCroston {
  readonly method: CrostonMethod;
  readonly alpha: number;
  readonly beta: number;
  /** Of `adida` and `imapa`: lengths of the sums, each with its smoothing; else empty. */
  readonly sums: readonly { readonly length: number; readonly alpha: number }[];
}

const ALPHA = 0.1;
const TSB_ALPHA = 0.2;
/** Of the smoothing of sums; Croston (1972) and later authors advise small values. */
const SUM_ALPHA = { low: 0.1, high: 0.3, start: 0.2, step: 0.05, tolerance: 1e-4 };

/**
 * @throws RangeError where the history is empty or not finite
 * @throws RangeError where a smoothing parameter is not between 0 and 1
 */
export function fitCroston(
  history: Float64Array,
  options: CrostonOptions = {},
): SeriesModel<SavedCroston> {
  const { method = "sba" } = options;
  const alpha = options.alpha ?? (method === "tsb" ? TSB_ALPHA : ALPHA);
  const beta = options.beta ?? alpha;
  for (const value of [alpha, beta]) {
    if (!(value > 0 && value <= 1)) {
      throw new RangeError(`A smoothing parameter is above 0 and at most 1, not ${value}.`);
    }
  }
  checkHistory(history);
  const values = scaled(history, scaleOf(history));
  const longest = Math.min(values.length, Math.max(1, Math.round(meanInterval(values))));
  const lengths =
    method === "adida"
      ? [longest]
      : method === "imapa"
        ? Array.from({ length: longest }, (_, i) => i + 1)
        : [];
  const sums = lengths.map((length) => ({ length, alpha: fitAlpha(sumsOf(values, length)) }));
  return loadCroston({ method, alpha, beta, sums });
}

export function loadCroston(saved: SavedCroston): SeriesModel<SavedCroston> {
  return {
    saved,
    forecast(history, horizon) {
      checkRequest(history, horizon);
      const scale = scaleOf(history);
      const level = levelOf(scaled(history, scale), saved);
      return unscaled(new Float64Array(horizon).fill(level), scale);
    },
  };
}

function levelOf(values: Float64Array, { method, alpha, beta, sums }: SavedCroston): number {
  const demands = values.filter((value) => value !== 0);
  if (demands.length === 0) return 0;
  switch (method) {
    case "tsb": {
      const occurs = values.map((value) => (value !== 0 ? 1 : 0));
      return smooth(demands, alpha) * smooth(occurs, beta);
    }
    case "adida":
    case "imapa": {
      let mean = 0;
      for (const { length, alpha: own } of sums) {
        const whole = sumsOf(values, Math.min(length, values.length));
        mean += smooth(whole, own) / Math.min(length, values.length) / sums.length;
      }
      return mean;
    }
    default: {
      const rate = smooth(demands, alpha) / smooth(intervalsOf(values), beta);
      return method === "sba" ? (1 - beta / 2) * rate : rate;
    }
  }
}

/** Steps from one demand to the next, the first counted from before the first value. */
function intervalsOf(values: Float64Array): Float64Array {
  const intervals: number[] = [];
  let last = -1;
  values.forEach((value, t) => {
    if (value === 0) return;
    intervals.push(t - last);
    last = t;
  });
  return Float64Array.from(intervals);
}

function meanInterval(values: Float64Array): number {
  const intervals = intervalsOf(values);
  return intervals.length > 0
    ? intervals.reduce((sum, value) => sum + value) / intervals.length
    : 1;
}

/** Sums of the last whole runs of `length` values; what does not fill a run at the start is left out. */
function sumsOf(values: Float64Array, length: number): Float64Array {
  const count = Math.floor(values.length / length);
  const start = values.length - count * length;
  return Float64Array.from({ length: count }, (_, run) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += values[start + run * length + i];
    return sum;
  });
}

/** The level after the last value; it begins at the first one. */
function smooth(values: Float64Array, alpha: number): number {
  let level = values[0];
  for (let t = 1; t < values.length; t++) level += alpha * (values[t] - level);
  return level;
}

/** The smoothing with the least squared one-step errors. */
function fitAlpha(values: Float64Array): number {
  return minimiseScalar((alpha) => {
    let level = values[0];
    let squares = 0;
    for (let t = 1; t < values.length; t++) {
      const error = values[t] - level;
      squares += error * error;
      level += alpha * error;
    }
    return squares;
  }, SUM_ALPHA);
}
