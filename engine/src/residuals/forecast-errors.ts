/**
 * How far values lie from their forecasts: each error is divided by the scale of its series' recent past and by
 * how much errors grow until its step, and quantiles of what is left, times scale and growth of another
 * forecast, are that one's (split conformal prediction in the normalised form: Lei et al.,
 * "Distribution-free predictive inference for regression", 2018, §5.2; by the steps of a horizon:
 * Stankevičiūtė, Alaa & van der Schaar, "Conformal time-series forecasting", NeurIPS 2021, §4).
 */

import { growthAt, growthOf } from "./error-growth.ts";
import { ScoreDistribution } from "./score-distribution.ts";

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

export class ForecastErrors {
  /** Of stretches of the horizon, equally long: see `growthOf`. */
  readonly growth: readonly number[];
  readonly #horizon: number;
  readonly #above: ScoreDistribution;
  readonly #below: ScoreDistribution;

  /** @param horizon steps */
  constructor(rows: ForecastErrorRows, horizon: number) {
    const { target, predictions, weights, scale, step } = rows;
    const scaled = target.map((y, i) => (y - predictions[i]) / scale[i]);
    const growth = growthOf(scaled, rows, horizon);
    const ratios = scaled.map((each, i) => each / growthAt(growth, step[i], horizon));
    this.growth = growth;
    this.#horizon = horizon;
    this.#above = new ScoreDistribution(ratios, weights);
    this.#below = new ScoreDistribution(
      ratios.map((ratio) => 0 - ratio),
      weights,
    );
  }

  /** What is added to a forecast, over `unit`, for its quantile of a level; null: too few rows. */
  quantile(level: number): number | null {
    const end = level >= 0.5 ? this.#above.quantile(level) : 0 - this.#below.quantile(1 - level);
    return Number.isFinite(end) ? end : null;
  }

  /** The same; where the rows are too few, their outermost error. NaN without rows. */
  quantileWithin(level: number): number {
    const end = this.quantile(level);
    if (end !== null) return end;
    return level >= 0.5 ? this.#above.highest : 0 - this.#below.highest;
  }

  /** What an error at that step of a series of that scale is measured in. */
  unit(scale: number, step: number): number {
    return scale * growthAt(this.growth, step, this.#horizon);
  }
}
