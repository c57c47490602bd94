/**
 * Quantiles of steps to come, from what the windows of a backtest missed (`residuals/forecast-errors.ts`),
 * added to each forecast in the scale of its own series and step.
 */

import { within } from "../data/series-history.ts";
import { growthAt } from "../residuals/error-growth.ts";
import { ForecastErrors, nearerMore } from "../residuals/forecast-errors.ts";
import type { ForecastPart, UncertaintyCard } from "./document.ts";
import {
  type BacktestPlaces,
  eachPart,
  type ForecastPlaces,
  type OutOfFold,
} from "./out-of-fold.ts";
import { stretchTails } from "./stretched-tails.ts";

export interface ForecastRows extends OutOfFold {
  readonly places: BacktestPlaces;
}

/** Quantiles between those that are kept are interpolated. */
const LEVELS: readonly number[] = [
  0.005,
  ...Array.from({ length: 99 }, (_, i) => (i + 1) / 100),
  0.995,
];
/** Of fewer forecasts tails would be told by luck alone. */
const LEAST_FREEDOM = 3;

/** @param horizon steps */
export function fitForecasts(
  rows: ForecastRows,
  coverage: number,
  horizon: number,
): { readonly part: ForecastPart; readonly card: UncertaintyCard } {
  const next = 1 + lastOf(rows.places.window);
  const errors = new ForecastErrors(nearerMore({ ...rows, ...rows.places }, next), horizon);
  const count = counted(rows);
  const { quantiles, told } = quantilesOf(errors, count, horizon);
  const part: ForecastPart = {
    kind: "forecast",
    coverage,
    rows: count,
    horizon,
    scale: "recent",
    growth: [...errors.growth],
    levels: [...LEVELS],
    quantiles: [...quantiles],
    ...(told && { told }),
  };
  return { part, card: measure(rows, coverage, horizon) };
}

/** The coverage that the rows tell, where the ends of an asked one are stretched from its; else null. */
export function stretchedFrom({ told }: ForecastPart, coverage: number): number | null {
  if (told === undefined) return null;
  const most = Math.min(1 - 2 * told[0], 2 * told[1] - 1);
  return coverage > most + 1e-9 ? most : null;
}

/** Row-major, rows × levels, within the bounds; null where the rows were too few for one of the levels. */
export function forecastQuantiles(
  part: ForecastPart,
  values: Float64Array,
  { scale, step, bounds }: ForecastPlaces,
  levels: readonly number[],
): Float64Array | null {
  const at = levels.map((level) => quantileAt(part, level));
  if (at.some((quantile) => quantile === null)) return null;
  const out = new Float64Array(values.length * levels.length);
  for (const [row, value] of values.entries()) {
    const unit = scale[row] * growthAt(part.growth, step[row], part.horizon);
    for (const [k, quantile] of at.entries()) {
      const end = value + (quantile ?? 0) * unit;
      out[row * levels.length + k] = within(end, bounds[row]);
    }
  }
  return out;
}

/**
 * Lower and upper ends that hold a share of `coverage`, as much above as below. A forecast that lies beyond an end, as where all
 * that the backtest missed was above, is the end: too few errors say so for a forecast to be moved by them.
 */
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
      lower: values.map((value, row) => Math.min(value, ends[2 * row])),
      upper: values.map((value, row) => Math.max(value, ends[2 * row + 1])),
    },
  };
}

function counted({ target, weights }: OutOfFold): number {
  return weights === null ? target.length : weights.filter((weight) => weight > 0).length;
}

const lastOf = (windows: Uint32Array): number =>
  windows.reduce((last, window) => Math.max(last, window), 0);

interface LevelQuantiles {
  /** Of each of `LEVELS`; null: too few rows. */
  readonly quantiles: readonly (number | null)[];
  /** The outermost levels that the errors tell; null where none is stretched from them. */
  readonly told: [number, number] | null;
}

/** @param rows that the errors are of */
function quantilesOf(errors: ForecastErrors, rows: number, horizon: number): LevelQuantiles {
  const seen = LEVELS.map((level) => errors.quantile(level));
  // The errors of one forecast go together: as many tell of tails as there were forecasts.
  const freedom = Math.max(LEAST_FREEDOM, Math.round(rows / horizon) - 1);
  const quantiles = stretchTails(LEVELS, seen, freedom);
  const told = LEVELS.filter((_, i) => seen[i] !== null);
  const isStretched = quantiles !== seen && told.length < LEVELS.length;
  return { quantiles, told: isStretched ? [told[0], told[told.length - 1]] : null };
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
    const known = nearerMore({ ...others, ...others.places }, lastOf(part.places.window));
    const errors = new ForecastErrors(known, horizon);
    const { quantiles } = quantilesOf(errors, counted(others), horizon);
    const kept = { quantiles, levels: LEVELS };
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
      const { scale, step, bounds } = part.places;
      const [value, unit] = [part.predictions[i], errors.unit(scale[i], step[i])];
      const lower = Math.min(value, within(value + low * unit, bounds[i]));
      const upper = Math.max(value, within(value + high * unit, bounds[i]));
      if (y >= lower && y <= upper) held += weight;
      width += weight * (upper - lower);
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
