/**
 * Forecasts as the report shows them: of the hardest series, the median one and the easiest, beside how
 * the backtest went by window, step and series, what is seasonal in them, and what their errors have left.
 */

import type { SeriesFrame } from "../../data/frame.ts";
import { quantile } from "../../data/quantile.ts";
import { forecastBlocks } from "../../data/series-history.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import type { Model } from "../../model/model.ts";
import type { ModelPredictions } from "../../model/predictions.ts";
import type { SeriesCalendar } from "../../tasks/framing.ts";
import { typeOf } from "../../tasks/index.ts";
import { evenlySpaced } from "../../trainer/plan/data-profile.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import { autocorrelation } from "../figures/autocorrelation.ts";
import {
  type ErrorFigures,
  errorsBy,
  type ForecastErrors,
  forecastErrors,
} from "../figures/forecast-errors.ts";
import { type SeasonedSeries, seasonalProfile } from "../figures/seasonal-profile.ts";
import type { ForecastsSection } from "../forecast-document.ts";

/** Of the fans, narrowest first. */
const COVERAGES = [0.5, 0.8, 0.95];
const MOST_HISTORY = 400;
const LEAST_HISTORY = 60;
/** Of a longer horizon, errors are shown by so many stretches. */
const STRETCHES = 60;
/** Fewer series are no distribution. */
const LEAST_SERIES = 5;
const BINS = 30;
const HARDEST = 10;
/** Series that seasons are looked at in, and last steps of each. */
const SEASON_SERIES = 50;
const SEASON_STEPS = 5000;
const MOST_PLACES = 400;
const LEAST_LAGS = 20;
const MOST_LAGS = 60;

export interface ForecastSources {
  readonly run: PreparedRun;
  readonly model: Model;
  /** Row-major over the rows that fits forecast, one fit after the other. */
  readonly predictions: Float64Array;
  /** That forecasts may take; 0: none is made. */
  readonly seconds: number;
}

/** Null of a run whose rows are no steps of series. */
export function forecastsSection(sources: ForecastSources): ForecastsSection | null {
  const { run, predictions } = sources;
  const { frame } = run.data;
  const calendar = run.savedFrame && typeOf(run.task).framing?.calendar?.(run.savedFrame);
  if (frame?.kind !== "series" || !calendar || !run.series) return null;
  const folds = run.folds.map(({ valid }) => valid);
  const errors = forecastErrors(frame, folds, predictions, run.series);
  const count = frame.names.length;
  const bySeries = errorsBy(errors, errors.series, count);
  const ranked = bySeries
    .flatMap((figures, series) => (figures ? [{ series, figures }] : []))
    .sort((a, b) => b.figures.mase - a.figures.mase || a.series - b.series);
  const spread = spreadOf(frame, ranked);
  const runs = residualRuns(frame, errors);
  const residuals = autocorrelation(runs, lagsOf(frame, runs));
  return {
    step: calendar.step,
    isTime: calendar.isTime,
    horizon: frame.horizon,
    gap: frame.gap,
    series: count,
    scored: ranked.length,
    knownAhead: [...calendar.knownAhead],
    shown: shownSeries(sources, frame, calendar, ranked),
    ...windowFigures(frame, calendar, blocksOfWindows(frame, folds, run.series), errors),
    bySteps: stepFigures(frame, errors),
    ...(spread ? { bySeries: spread } : {}),
    seasons: seasonFigures(frame, calendar),
    ...(residuals
      ? {
          autocorrelation: {
            values: [...residuals.values],
            bound: residuals.bound,
            count: residuals.count,
          },
        }
      : {}),
  };
}

interface Ranked {
  readonly series: number;
  readonly figures: ErrorFigures;
}

type Shown = ForecastsSection["shown"][number];

function shownSeries(
  sources: ForecastSources,
  frame: SeriesFrame,
  calendar: SeriesCalendar,
  ranked: readonly Ranked[],
): Shown[] {
  const began = performance.now();
  const shown: Shown[] = [];
  for (const { rank, of } of picked(ranked)) {
    const spent = (performance.now() - began) / 1000;
    const isInTime = sources.seconds > 0 && 2 * spent < sources.seconds;
    shown.push({
      name: frame.names[of.series],
      rank,
      ...of.figures,
      ...pastOf(sources, frame, calendar, of.series),
      forecast: isInTime ? fanOf(sources.model, calendar, of.series) : [],
    });
  }
  return shown;
}

/** @param ranked hardest first */
function picked(ranked: readonly Ranked[]): { rank: Shown["rank"]; of: Ranked }[] {
  if (ranked.length === 0) return [];
  if (ranked.length === 1) return [{ rank: "only", of: ranked[0] }];
  const middle = ranked[(ranked.length - 1) >> 1];
  return [
    { rank: "hardest", of: ranked[0] },
    ...(ranked.length > 2 ? [{ rank: "median" as const, of: middle }] : []),
    { rank: "easiest", of: ranked[ranked.length - 1] },
  ];
}

const timeIn = (calendar: SeriesCalendar, series: number, offset: number): string | number => {
  const at = calendar.timeOf(series, offset);
  return calendar.isTime ? new Date(at).toISOString() : at;
};

function pastOf(
  { run, predictions }: ForecastSources,
  frame: SeriesFrame,
  calendar: SeriesCalendar,
  series: number,
): Pick<Shown, "history" | "backtest"> {
  const { offsets, target, horizon, gap, seasons } = frame;
  const [start, end] = [offsets[series], offsets[series + 1]];
  const wanted = Math.max(LEAST_HISTORY, 3 * (horizon + gap), 3 * (seasons[0] ?? 1));
  const first = Math.max(start, end - Math.min(MOST_HISTORY, wanted));
  const at = (row: number): string | number => timeIn(calendar, series, row - start);
  const history: Shown["history"] = [];
  for (let row = first; row < end; row++) {
    history.push([at(row), Number.isNaN(target[row]) ? null : target[row]]);
  }
  const backtest: Shown["backtest"] = [];
  let before = 0;
  for (const { valid } of run.folds) {
    let window: number | undefined;
    for (const [i, row] of valid.entries()) {
      if (row < first || row >= end) continue;
      if (run.series?.window[row] !== window || backtest.length === 0) backtest.push([]);
      window = run.series?.window[row];
      backtest[backtest.length - 1].push([at(row), predictions[before + i]]);
    }
    before += valid.length;
  }
  return { history, backtest };
}

const NO_ROWS = { rows: 0, columns: [] };

function fanOf(model: Model, calendar: SeriesCalendar, series: number): Shown["forecast"] {
  const asked = calendar.askedAs(series);
  const answers = COVERAGES.map((coverage) => ({
    coverage,
    answer: model.predict(NO_ROWS, { ...asked, coverage }),
  }));
  const [{ answer: first }] = answers;
  return Array.from(first.values, (value, i) => ({
    time: timeOfKey(first, i),
    value,
    ranges: answers.flatMap(({ coverage, answer }) => {
      const bounds = answer.intervals?.bounds;
      return bounds ? [{ coverage, low: bounds.lower[i], high: bounds.upper[i] }] : [];
    }),
  }));
}

function timeOfKey({ keys }: ModelPredictions, i: number): string | number {
  const time = keys?.[i]?.["time"];
  if (typeof time === "string" || typeof time === "number") return time;
  throw new TypeError("A forecast says its step.");
}

/** Of each window its series, each with the rows before it and its own ones. */
type WindowBlocks = readonly {
  readonly series: number;
  readonly origin: number;
  readonly first: number;
  readonly last: number;
}[];

function blocksOfWindows(
  frame: SeriesFrame,
  folds: readonly Uint32Array[],
  { window }: SeriesRows,
): WindowBlocks[] {
  const windows: WindowBlocks[number][][] = [];
  for (const rows of folds) {
    for (const { series, origin, from, to } of forecastBlocks(frame, rows)) {
      windows[window[rows[from]]] ??= [];
      windows[window[rows[from]]].push({ series, origin, first: rows[from], last: rows[to - 1] });
    }
  }
  return windows;
}

function windowFigures(
  frame: SeriesFrame,
  calendar: SeriesCalendar,
  windows: readonly WindowBlocks[],
  errors: ForecastErrors,
): Pick<ForecastsSection, "windows" | "windowsOf" | "endsDiffer"> {
  const { offsets, names } = frame;
  const lengths = names.map((_, s) => offsets[s + 1] - offsets[s]);
  const longest = lengths.indexOf(lengths.reduce((a, b) => Math.max(a, b), 0));
  const end = (s: number): number => calendar.timeOf(s, lengths[s] - 1);
  const found = errorsBy(errors, errors.window, windows.length);
  const at = (row: number): string | number => timeIn(calendar, longest, row - offsets[longest]);
  return {
    windows: windows.flatMap((blocks, window) => {
      const own = blocks.find(({ series }) => series === longest);
      const figures = found[window];
      if (!own || !figures) return [];
      return [
        {
          learned: { from: at(offsets[longest]), to: at(own.origin - 1) },
          tested: { from: at(own.first), to: at(own.last) },
          series: blocks.length,
          ...figures,
        },
      ];
    }),
    windowsOf: names[longest],
    endsDiffer: names.some((_, s) => end(s) !== end(longest)),
  };
}

function stepFigures(
  { horizon }: SeriesFrame,
  errors: ForecastErrors,
): ForecastsSection["bySteps"] {
  const stretches = Math.min(horizon, STRETCHES);
  const stretchOf = (step: number): number => Math.floor((step * stretches) / horizon);
  const found = errorsBy(errors, errors.step.map(stretchOf), stretches);
  return found.flatMap((figures, stretch) => {
    if (!figures) return [];
    const from = Math.ceil((stretch * horizon) / stretches) + 1;
    return [{ from, to: Math.ceil(((stretch + 1) * horizon) / stretches), ...figures }];
  });
}

function spreadOf(
  { names }: SeriesFrame,
  ranked: readonly Ranked[],
): ForecastsSection["bySeries"] | null {
  if (ranked.length < LEAST_SERIES) return null;
  const sorted = Float64Array.from(ranked, ({ figures }) => figures.mase).sort();
  // A few series far from all others would press these into one bar.
  const highest = sorted[sorted.length - 1];
  const end = Math.min(highest, 2 * quantile(sorted, 0.95)) || 1;
  const counts = new Array<number>(BINS).fill(0);
  let beyond = 0;
  for (const value of sorted) {
    if (value > end) beyond++;
    else counts[Math.min(BINS - 1, Math.floor((value * BINS) / end))]++;
  }
  return {
    edges: Array.from({ length: BINS + 1 }, (_, i) => (i * end) / BINS),
    counts,
    beyond,
    median: quantile(sorted, 0.5),
    hardest: ranked
      .slice(0, HARDEST)
      .map(({ series, figures }) => ({ name: names[series], ...figures })),
  };
}

function seasonFigures(frame: SeriesFrame, calendar: SeriesCalendar): ForecastsSection["seasons"] {
  const { names, offsets, target, seasons } = frame;
  const looked = [...evenlySpaced(names.length, SEASON_SERIES)];
  const relative = names.length > 1;
  return seasons.flatMap((length) => {
    if (length > MOST_PLACES) return [];
    const places = calendar.seasonPlaces(length);
    const profile = seasonalProfile(
      looked.flatMap((s): SeasonedSeries[] => {
        const first = Math.max(offsets[s], offsets[s + 1] - SEASON_STEPS);
        const values = target.subarray(first, offsets[s + 1]);
        const unit = relative ? meanSize(values) : 1;
        if (unit === 0) return [];
        return [{ values, unit, placeOf: (step) => places.of(s, first - offsets[s] + step) }];
      }),
      length,
    );
    if (!profile) return [];
    return [
      {
        length,
        relative,
        series: looked.length,
        places: profile.map(({ mean, low, high }, place) => ({
          name: places.names?.[place] ?? String(place + 1),
          mean,
          low,
          high,
        })),
      },
    ];
  });
}

function meanSize(values: Float64Array): number {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += Math.abs(value);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** Errors of each series by its steps, from the first that was forecast on. */
function residualRuns({ offsets }: SeriesFrame, errors: ForecastErrors): Float64Array[] {
  const rowsOf = new Map<number, number[]>();
  for (const [i, series] of errors.series.entries()) {
    const own = rowsOf.get(series);
    if (own) own.push(i);
    else rowsOf.set(series, [i]);
  }
  return Array.from(rowsOf, ([series, places]) => {
    const first = places.reduce((least, i) => Math.min(least, errors.rows[i]), offsets[series + 1]);
    const run = new Float64Array(offsets[series + 1] - first).fill(Number.NaN);
    for (const i of places) run[errors.rows[i] - first] = errors.residuals[i] / errors.scale[i];
    return run;
  });
}

/** Two of the shortest season, as far as errors reach. */
function lagsOf({ seasons }: SeriesFrame, runs: readonly Float64Array[]): number {
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 1);
  return Math.min(MOST_LAGS, Math.max(LEAST_LAGS, 2 * (seasons[0] ?? 1)), longest - 1);
}
