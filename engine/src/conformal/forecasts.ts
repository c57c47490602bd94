/**
 * Quantiles of steps to come, from what the windows of a backtest missed (`residuals/forecast-errors.ts`),
 * added to each forecast in the scale of its own series and step.
 */

import { within } from "../data/series-history.ts";
import { growthAt } from "../residuals/error-growth.ts";
import { ForecastErrors, LEVELS, nearerMore } from "../residuals/forecast-errors.ts";
import { quantileAt } from "../residuals/quantile-at.ts";
import type { ErrorScope } from "../residuals/usual-errors.ts";
import type { ForecastPart, UncertaintyCard } from "./document.ts";
import {
  type BacktestPlaces,
  eachPart,
  type ForecastPlaces,
  type OutOfFold,
} from "./out-of-fold.ts";

export interface ForecastRows extends OutOfFold {
  readonly places: BacktestPlaces;
}

export function fitForecasts(
  rows: ForecastRows,
  coverage: number,
  scope: ErrorScope,
): { readonly part: ForecastPart; readonly card: UncertaintyCard } {
  const next = 1 + lastOf(rows.places.window);
  const errors = new ForecastErrors(nearerMore({ ...rows, ...rows.places }, next), scope);
  const { growth, quantiles, told } = errors;
  const isTold = told?.[0] === LEVELS[0] && told[1] === LEVELS[LEVELS.length - 1];
  const part: ForecastPart = {
    kind: "forecast",
    coverage,
    rows: counted(rows),
    horizon: scope.horizon,
    scale: "recent",
    growth: [...growth],
    levels: [...LEVELS],
    quantiles: [...quantiles],
    ...(isTold ? {} : { told: told ? [...told] : [0.5, 0.5] }),
  };
  return { part, card: { ...measure(rows, coverage, scope), ...restingOn(rows, errors, scope) } };
}

/** How many windows the coverage rests on, and whether they are too few to know it by. */
function restingOn(
  { places }: ForecastRows,
  { worth, quantiles }: ForecastErrors,
  { horizon }: ErrorScope,
): Pick<UncertaintyCard, "warnings" | "windows"> {
  const windows = new Set(places.window).size;
  const forecasts = places.step.length / horizon;
  const isEnough = worth >= FEW_ERRORS && forecasts >= FEW_FORECASTS;
  // What was forecast exactly is taken to stay so.
  if (isEnough || quantiles.every((each) => each === 0)) return { windows, warnings: [] };
  const worthOf =
    worth < FEW_ERRORS
      ? `, which ${windows === 1 ? "says" : "say"} as much of the next one as ${plural(Math.round(worth), "error")} of ${Math.round(worth) === 1 ? "its" : "their"} own would`
      : "";
  return {
    windows,
    warnings: [
      `The intervals rest on ${plural(windows, "window")} of ${plural(horizon, "step")}${worthOf}: too few to know how often they will hold. They are drawn to how far forecasts of series usually miss, and wider for what is not known; with a longer history, a shorter horizon or more series they go by this data.`,
    ],
  };
}

/** The coverage that the rows tell, where the ends of an asked one are stretched from its; else null. */
export function stretchedFrom({ told }: ForecastPart, coverage: number): number | null {
  if (told === undefined) return null;
  const most = Math.min(1 - 2 * told[0], 2 * told[1] - 1);
  return coverage > most + 1e-9 ? most : null;
}

/** Errors, each for itself, from which on they say more than what errors usually are. */
const FEW_ERRORS = 20;
/** Of fewer forecasts not even that is known. */
const FEW_FORECASTS = 8;

const plural = (number: number, one: string): string =>
  `${number} ${one}${number === 1 ? "" : "s"}`;

/** Row-major, rows × levels, within the bounds; null where the rows were too few for one of the levels. */
export function forecastQuantiles(
  part: ForecastPart,
  values: Float64Array,
  { scale, step, bounds }: ForecastPlaces,
  levels: readonly number[],
): Float64Array | null {
  const at = levels.map((level) => quantileAt(part.levels, part.quantiles, level));
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

/** Each part by what the others say. */
function measure(rows: ForecastRows, coverage: number, scope: ErrorScope): UncertaintyCard {
  const tail = (1 - coverage) / 2;
  let [held, total, width] = [0, 0, 0];
  for (const { others, part } of eachPart(rows)) {
    if (others.places === undefined || part.places === undefined) continue;
    const known = nearerMore({ ...others, ...others.places }, lastOf(part.places.window));
    const errors = new ForecastErrors(known, scope);
    const [low, high] = [errors.quantile(tail), errors.quantile(1 - tail)];
    for (const [i, y] of part.target.entries()) {
      const weight = part.weights === null ? 1 : part.weights[i];
      if (weight === 0) continue;
      total += weight;
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
    meanWidth: total > 0 ? width / total : null,
    warnings: [],
  };
}
