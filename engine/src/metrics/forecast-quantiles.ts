/**
 * Quantiles around forecasts that are to be scored, made as a model makes those of its answers
 * (`residuals/forecast-errors.ts`) and cross-fitted, so that no value has a say in the quantiles that it
 * is scored against: each window of a backtest by the errors of the others; rows of one window by those of
 * other series, a fifth of them at a time; and of one series by its other steps.
 */

import { numbersAt, rowNumbers, rowsWhere, valuesAt } from "../compute/row-lists.ts";
import { within } from "../data/series-history.ts";
import { ForecastErrors, nearerMore } from "../residuals/forecast-errors.ts";
import { type Metric, pickRowsOf, type ScoredRows, type SeriesRows, seriesOf } from "./metric.ts";

/** Of what is not told apart by windows. */
const PARTS = 5;

/**
 * A series that never was negative (or positive) has no such quantile.
 *
 * @param levels ascending
 * @returns row-major, rows × levels; NaN where there are no other rows
 */
export function crossFittedQuantiles(
  rows: ScoredRows,
  levels: readonly number[],
  metric: string,
): Float64Array {
  const series = seriesOf(rows, metric);
  const { target, predictions } = rows;
  const out = new Float64Array(target.length * levels.length);
  for (const { own, errors } of errorsOf(rows, series)) {
    const ends = levels.map((level) => errors.quantile(level));
    for (const i of own) {
      const unit = errors.unit(series.recentScale[i], series.step[i]);
      const bounds = { least: series.least[i], most: series.most[i] };
      for (let k = 0; k < ends.length; k++) {
        const value = predictions[i] + ends[k] * unit;
        out[i * levels.length + k] = within(value, bounds);
      }
    }
  }
  return out;
}

/** What one part of the rows is scored by. */
interface OtherErrors {
  readonly own: Uint32Array;
  /** Of the rows of all other parts. */
  readonly errors: ForecastErrors;
}

const SHARED = new WeakMap<ScoredRows, readonly OtherErrors[] | null>();

/**
 * The same rows, whose errors are sorted once for all metrics that score this very object: most of what these cost. What
 * is in them must not change.
 */
export function scoredByMany(rows: ScoredRows): ScoredRows {
  if (rows.series) SHARED.set(rows, null);
  return rows;
}

function errorsOf(rows: ScoredRows, series: SeriesRows): readonly OtherErrors[] {
  const shared = SHARED.get(rows);
  if (shared) return shared;
  const parts = partsOf(series);
  const all = rowNumbers(parts.length);
  const horizon = series.step.reduce((most, step) => Math.max(most, step), 0) + 1;
  const made = [...new Set(parts)].map((part): OtherErrors => {
    const others = rowsWhere(all, (row) => parts[row] !== part);
    const own = rowsWhere(all, (row) => parts[row] === part);
    const known = nearerMore(pickErrors(rows, series, others), series.window[own[0]]);
    return { own, errors: new ForecastErrors(known, { horizon, season: series.season ?? 1 }) };
  });
  if (shared === null) SHARED.set(rows, made);
  return made;
}

function partsOf({ window, series }: SeriesRows): Uint32Array {
  if (window.some((each) => each !== window[0])) return window;
  if (series.every((each) => each === series[0])) return series.map((_, row) => row % PARTS);
  const rank = new Map([...new Set(series)].map((each, i) => [each, i % PARTS]));
  return series.map((each) => rank.get(each) ?? 0);
}

function pickErrors(
  { target, predictions, weights }: ScoredRows,
  { recentScale, step, window }: SeriesRows,
  places: Uint32Array,
): ConstructorParameters<typeof ForecastErrors>[0] {
  const pick = (values: Float64Array): Float64Array => valuesAt(values, places);
  return {
    target: pick(target),
    predictions: pick(predictions),
    weights: weights && pick(weights),
    scale: pick(recentScale),
    step: numbersAt(step, places),
    window: numbersAt(window, places),
  };
}

/**
 * A metric of forecasts that reads quantiles of these levels.
 *
 * @param score quantiles are row-major, rows × levels
 */
export function ofCrossFitted(
  metric: Metric,
  levels: readonly number[],
  score: (rows: ScoredRows, quantiles: Float64Array) => number,
): Metric {
  return scoredBy(metric, levels.length, score, (rows) =>
    crossFittedQuantiles(rows, levels, metric.name),
  );
}

/**
 * A metric of forecasts that reads their central intervals, which never are without the forecast itself.
 *
 * @param coverage the share of values that an interval is to hold
 * @param score ends are lower and upper, row by row
 */
export function ofCrossFittedIntervals(
  metric: Metric,
  coverage: number,
  score: (rows: ScoredRows, ends: Float64Array) => number,
): Metric {
  const tail = (1 - coverage) / 2;
  return scoredBy(metric, 2, score, (rows) =>
    crossFittedQuantiles(rows, [tail, 1 - tail], metric.name).map((end, i) =>
      (i % 2 === 0 ? Math.min : Math.max)(end, rows.predictions[i >> 1]),
    ),
  );
}

function scoredBy(
  metric: Metric,
  width: number,
  score: (rows: ScoredRows, made: Float64Array) => number,
  make: (rows: ScoredRows) => Float64Array,
): Metric {
  return {
    ...metric,
    score: (rows) => score(rows, make(rows)),
    scoreParts(rows, parts, picked) {
      const made = make(rows);
      return parts.map((part, i) => score(picked[i], pickRowsOf(made, width, part)));
    },
  };
}
