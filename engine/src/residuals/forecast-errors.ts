/**
 * How far values lie from their forecasts: each error is divided by the scale of its series' recent past and by
 * how much errors grow until its step, and quantiles of what is left, drawn to those of usual errors where few windows
 * tell them (`usual-errors.ts`), times scale and growth of another forecast, are that one's (split conformal prediction in the normalised form: Lei et al.,
 * "Distribution-free predictive inference for regression", 2018, §5.2; by the steps of a horizon:
 * Stankevičiūtė, Alaa & van der Schaar, "Conformal time-series forecasting", NeurIPS 2021, §4).
 */

import { growthAt, growthOf } from "./error-growth.ts";
import { quantileAt } from "./quantile-at.ts";
import { ScoreDistribution } from "./score-distribution.ts";
import { stretchTails } from "./stretched-tails.ts";
import { type ErrorScope, likelyQuantile, likelySize, sizesOf } from "./usual-errors.ts";

/** Forecasts whose truth is known. */
export interface ForecastErrorRows {
  /** One a row. */
  readonly target: Float64Array;
  readonly predictions: Float64Array;
  /** Non-negative; null = all 1. */
  readonly weights: Float64Array | null;
  /** Of each, the scale of its series' recent past, positive. */
  readonly scale: Float64Array;
  /** Of each, its step from 0 on, below the horizon. */
  readonly step: Uint32Array;
  /** Of each, the number of the backtest's window that it is in, oldest first. */
  readonly window: Uint32Array;
}

/** Rows of a window that say by themselves how far forecasts lie from values. */
const ENOUGH_ROWS = 200;
/** What errors count a window further away. */
const FADING = 0.5;

/**
 * Errors of windows near the one that is forecast count more, since how well series can be forecast changes
 * with time, for all of them together (Barber et al., "Conformal prediction beyond exchangeability", Annals of
 * Statistics 51(2), 2023). Where each window has few rows, none can be spared and all count alike.
 *
 * @param asked the number of the window that is forecast
 */
export function nearerMore<Rows extends Pick<ForecastErrorRows, "weights" | "window">>(
  rows: Rows,
  asked: number,
): Rows {
  const counts = new Map<number, number>();
  for (const window of rows.window) counts.set(window, (counts.get(window) ?? 0) + 1);
  if (counts.size < 2 || Math.min(...counts.values()) < ENOUGH_ROWS) return rows;
  const weights = Float64Array.from(
    rows.window,
    (window, i) => (rows.weights?.[i] ?? 1) * FADING ** Math.abs(asked - window),
  );
  return { ...rows, weights };
}

/** Quantiles between those that are made are interpolated. */
export const LEVELS: readonly number[] = [
  0.005,
  ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
  0.995,
];
/** Of fewer forecasts tails would be told by luck alone. */
const LEAST_FREEDOM = 3;
/** With fewer errors each end goes by those of both signs, rather than by its own. */
const ERRORS_OF_ENDS = 5;

export class ForecastErrors {
  /** Of stretches of the horizon, equally long: the mean size of errors to come, over the scale of their series. */
  readonly growth: readonly number[];
  /** Of each of `LEVELS`, over that size. */
  readonly quantiles: readonly number[];
  /** The outermost levels that the rows tell by themselves; null: not even the middle. */
  readonly told: readonly [number, number] | null;
  /** As many errors, each for itself, would say as much of the next window as all rows do. */
  readonly worth: number;
  readonly #horizon: number;

  /** @param rows without one of a positive weight, quantiles are NaN */
  constructor(rows: ForecastErrorRows, scope: ErrorScope) {
    const { target, predictions, weights, scale, step } = rows;
    const { horizon, season } = scope;
    const scaled = target.map((y, i) => (y - predictions[i]) / scale[i]);
    const growth = relative(growthOf(scaled, rows, horizon, season), horizon);
    const ratios = scaled.map((each, i) => each / growthAt(growth, step[i], horizon));
    const { sizes, worth } = sizesOf(ratios, rows);
    const mean = meanOf(ratios, weights);
    this.#horizon = horizon;
    this.worth = worth;
    const forecasts = Math.round(counted(weights, ratios.length) / horizon);
    // The errors of one forecast go together: as many tell of tails as there were forecasts.
    const freedom = Math.max(LEAST_FREEDOM, forecasts - 1);
    const signed = signedQuantiles(ratios, weights);
    const ends = LEVELS.filter((_, i) => signed[i] !== null);
    this.told = ends.length > 0 ? [ends[0], ends[ends.length - 1]] : null;
    if (!(mean > 0)) {
      this.growth = growth;
      // Of no rows nothing is told.
      this.quantiles = LEVELS.map(() => (mean === 0 ? 0 : Number.NaN));
      return;
    }
    const size = likelySize(mean, worth, scope);
    this.growth = growth.map((each) => size * each);
    const own = stretchTails(LEVELS, signed, freedom);
    const either = stretchTails(LEVELS, bothSigns(sizes), freedom);
    const share = worth / (worth + ERRORS_OF_ENDS);
    this.quantiles = LEVELS.map((level, i) => {
      const [one, other] = [own[i], either[i]];
      const told = one === null || other === null ? null : share * one + (1 - share) * other;
      return likelyQuantile(told === null ? null : told / mean, level, worth);
    });
  }

  /** What is added to a forecast, over `unit`, for its quantile of a level from 0.005 to 0.995. */
  quantile(level: number): number {
    return quantileAt(LEVELS, this.quantiles, level) ?? Number.NaN;
  }

  /** What an error at that step of a series of that scale is measured in. */
  unit(scale: number, step: number): number {
    return scale * growthAt(this.growth, step, this.#horizon);
  }
}

/** So that its mean over the steps is 1. */
function relative(growth: readonly number[], horizon: number): number[] {
  let sum = 0;
  for (let step = 0; step < horizon; step++) sum += growthAt(growth, step, horizon);
  return growth.map((each) => (each * horizon) / sum);
}

function meanOf(ratios: Float64Array, weights: Float64Array | null): number {
  let [sum, total] = [0, 0];
  for (const [i, ratio] of ratios.entries()) {
    const weight = weights === null ? 1 : weights[i];
    sum += weight * Math.abs(ratio);
    total += weight;
  }
  return sum / total;
}

const counted = (weights: Float64Array | null, rows: number): number =>
  weights === null ? rows : weights.filter((weight) => weight > 0).length;

const finite = (end: number): number | null => (Number.isFinite(end) ? end : null);

/** Each end by its own errors. */
function signedQuantiles(ratios: Float64Array, weights: Float64Array | null): (number | null)[] {
  const above = new ScoreDistribution(ratios, weights);
  const below = new ScoreDistribution(
    ratios.map((ratio) => 0 - ratio),
    weights,
  );
  return LEVELS.map((level) =>
    finite(level >= 0.5 ? above.quantile(level) : 0 - below.quantile(1 - level)),
  );
}

/** Both ends by all errors. */
function bothSigns(sizes: ScoreDistribution): (number | null)[] {
  return LEVELS.map((level) => {
    const held = Math.abs(2 * level - 1);
    return held < 1e-9 ? 0 : finite(Math.sign(level - 0.5) * sizes.quantile(held));
  });
}
