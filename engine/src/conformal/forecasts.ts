/**
 * Quantiles of steps to come, from what the windows of a backtest missed: each error is divided by the
 * scale of its series' past and by how much errors grow until its step, and the quantiles of what is left
 * are added, in the scale of its own series and step, to each forecast (split conformal prediction in
 * the normalised form: Lei et al. 2018, §5.2; by the steps of a horizon: Stankevičiūtė, Alaa & van der
 * Schaar, "Conformal time-series forecasting", NeurIPS 2021, §4).
 */

import type { ForecastPart, UncertaintyCard } from "./document.ts";
import { eachPart, type ForecastPlaces, type OutOfFold } from "./out-of-fold.ts";
import { ScoreDistribution } from "./score-distribution.ts";

export interface ForecastRows extends OutOfFold {
  readonly places: ForecastPlaces;
}

/** Quantiles between those that are kept are interpolated. */
const LEVELS: readonly number[] = [
  0.005,
  ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
  0.995,
];
/** Growth is measured over so many stretches of a long horizon. */
const MOST_STRETCHES = 60;

interface Fitted {
  readonly growth: readonly number[];
  /** Of each of `LEVELS`; null: too few rows. */
  readonly quantiles: readonly (number | null)[];
}

/** @param horizon steps */
export function fitForecasts(
  rows: ForecastRows,
  coverage: number,
  horizon: number,
): { readonly part: ForecastPart; readonly card: UncertaintyCard } {
  const { growth, quantiles } = fit(rows, horizon);
  const isNever = (below: boolean): 0 | null =>
    rows.target.every((y) => (below ? y >= 0 : y <= 0)) ? 0 : null;
  const part: ForecastPart = {
    kind: "forecast",
    coverage,
    rows: counted(rows),
    horizon,
    growth: [...growth],
    levels: [...LEVELS],
    quantiles: [...quantiles],
    least: isNever(true),
    most: isNever(false),
  };
  return { part, card: measure(rows, coverage, horizon) };
}

/** Row-major, rows × levels; null where the rows were too few for one of the levels. */
export function forecastQuantiles(
  part: ForecastPart,
  values: Float64Array,
  { scale, step }: ForecastPlaces,
  levels: readonly number[],
): Float64Array | null {
  const at = levels.map((level) => quantileAt(part, level));
  if (at.some((quantile) => quantile === null)) return null;
  const out = new Float64Array(values.length * levels.length);
  for (const [row, value] of values.entries()) {
    const unit = scale[row] * growthAt(part.growth, step[row], part.horizon);
    for (const [k, quantile] of at.entries()) {
      const end = value + (quantile ?? 0) * unit;
      out[row * levels.length + k] = clipped(end, part);
    }
  }
  return out;
}

/** Lower and upper ends that hold a share of `coverage`, as much above as below. */
export function forecastIntervals(
  part: ForecastPart,
  values: Float64Array,
  places: ForecastPlaces,
  coverage: number = part.coverage,
): {
  readonly level: number;
  readonly bounds: { lower: Float64Array; upper: Float64Array } | null;
} {
  const tail = (1 - coverage) / 2;
  const ends = forecastQuantiles(part, values, places, [tail, 1 - tail]);
  if (ends === null) return { level: coverage, bounds: null };
  return {
    level: coverage,
    bounds: {
      lower: ends.filter((_, i) => i % 2 === 0),
      upper: ends.filter((_, i) => i % 2 === 1),
    },
  };
}

function clipped(value: number, { least, most }: Pick<ForecastPart, "least" | "most">): number {
  if (least !== null && value < least) return least;
  return most !== null && value > most ? most : value;
}

function counted({ target, weights }: OutOfFold): number {
  return weights === null ? target.length : weights.filter((weight) => weight > 0).length;
}

function fit(rows: ForecastRows, horizon: number): Fitted {
  const { target, predictions, weights, places } = rows;
  const scaled = target.map((y, i) => (y - predictions[i]) / places.scale[i]);
  const growth = growthOf(scaled, rows, horizon);
  const ratios = scaled.map((each, i) => each / growthAt(growth, places.step[i], horizon));
  const above = new ScoreDistribution(ratios, weights);
  const below = new ScoreDistribution(
    ratios.map((ratio) => 0 - ratio),
    weights,
  );
  return {
    growth,
    quantiles: LEVELS.map((level) => {
      const end = level >= 0.5 ? above.quantile(level) : 0 - below.quantile(1 - level);
      return Number.isFinite(end) ? end : null;
    }),
  };
}

/** Mean absolute error of each stretch of steps, made to rise; at least a little. */
function growthOf(scaled: Float64Array, rows: ForecastRows, horizon: number): number[] {
  const stretches = Math.min(horizon, MOST_STRETCHES);
  const sums = new Float64Array(stretches);
  const counts = new Float64Array(stretches);
  for (const [i, each] of scaled.entries()) {
    const weight = rows.weights === null ? 1 : rows.weights[i];
    const stretch = Math.floor((rows.places.step[i] * stretches) / horizon);
    sums[stretch] += weight * Math.abs(each);
    counts[stretch] += weight;
  }
  const total =
    sums.reduce((a, b) => a + b, 0) /
    Math.max(
      1,
      counts.reduce((a, b) => a + b, 0),
    );
  if (!(total > 0)) return new Array<number>(stretches).fill(1);
  // Pool adjacent violators: isotonic regression of the means.
  const pools: { sum: number; count: number; stretches: number }[] = [];
  for (let s = 0; s < stretches; s++) {
    // A stretch without rows takes part by a trifle of the mean.
    pools.push({ sum: sums[s] + 1e-6 * total, count: counts[s] + 1e-6, stretches: 1 });
    for (;;) {
      const [before, last] = [pools.at(-2), pools.at(-1)];
      if (!before || !last || before.sum / before.count <= last.sum / last.count) break;
      pools.splice(-2, 2, {
        sum: before.sum + last.sum,
        count: before.count + last.count,
        stretches: before.stretches + last.stretches,
      });
    }
  }
  return pools.flatMap(({ sum, count, stretches: length }) =>
    new Array<number>(length).fill(Math.max(sum / count, 1e-3 * total)),
  );
}

function growthAt(growth: readonly number[], step: number, horizon: number): number {
  return growth[Math.min(growth.length - 1, Math.floor((step * growth.length) / horizon))];
}

function quantileAt(
  {
    levels,
    quantiles,
  }: { readonly levels: readonly number[]; readonly quantiles: readonly (number | null)[] },
  level: number,
): number | null {
  const above = levels.findIndex((each) => each >= level - 1e-12);
  if (above < 0) return null;
  if (above === 0 || Math.abs(levels[above] - level) < 1e-12) {
    return Math.abs(levels[above] - level) < 1e-12 ? quantiles[above] : null;
  }
  const [lower, upper] = [quantiles[above - 1], quantiles[above]];
  if (lower === null || upper === null) return null;
  const share = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
  return lower + share * (upper - lower);
}

/** Each part by what the others say. */
function measure(rows: ForecastRows, coverage: number, horizon: number): UncertaintyCard {
  const tail = (1 - coverage) / 2;
  let [held, total, width] = [0, 0, 0];
  let isEndless = false;
  for (const { others, part } of eachPart(rows)) {
    if (others.places === undefined || part.places === undefined) continue;
    const fitted = fit({ ...others, places: others.places }, horizon);
    const kept = { ...fitted, levels: LEVELS };
    const [low, high] = [quantileAt(kept, tail), quantileAt(kept, 1 - tail)];
    for (const [i, y] of part.target.entries()) {
      const weight = part.weights === null ? 1 : part.weights[i];
      if (weight === 0) continue;
      total += weight;
      if (low === null || high === null) {
        isEndless = true;
        held += weight;
        continue;
      }
      const unit = part.places.scale[i] * growthAt(fitted.growth, part.places.step[i], horizon);
      const error = y - part.predictions[i];
      if (error >= low * unit && error <= high * unit) held += weight;
      width += weight * (high - low) * unit;
    }
  }
  return {
    kind: "forecast",
    coverage,
    measured: total > 0 ? held / total : null,
    meanWidth: total > 0 && !isEndless ? width / total : null,
    warnings: [],
  };
}
