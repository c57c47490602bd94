/**
 * Weights of a blend of forecasts, series by series: each member's pooled weight times a power of how well it
 * did on the series beside how well it does on all (weights by inverse errors: Bates & Granger, Operational
 * Research Quarterly 20(4), 1969). Errors of a window share its luck, so a series' own are drawn towards those
 * of all series as if by two windows more. `docs/decisions/forecasting.md` has what was measured.
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import type { SeriesRows } from "../metrics/metric.ts";
import { type CrossFit, type LabelledRows, pickRows } from "./labelled-rows.ts";
import { shownScore } from "./shown-loss.ts";

/** Of relative errors, gentlest first; none of them may be what a run takes. */
const POWERS = [2, 4];
/** Windows as many as which count what is known of all series. */
const PRIOR_WINDOWS = 2;
/** Of the loss, by which it is to be lower in every window. */
const LEAST_GAIN = 0.001;
/** Of the error of all members, below which one counts as no nearer. */
const LEAST_RATIO = 1e-3;

export interface SeriesWeighing {
  /** Of each candidate, its weight for each series; those of a series sum to 1. */
  readonly weights: readonly Float64Array[];
  /** See `POWERS`. */
  readonly power: number;
}

export interface SeriesWeighingRequest {
  /** Of each candidate: values, one a row. */
  readonly predictions: readonly Float64Array[];
  readonly rows: LabelledRows & { readonly series: SeriesRows };
  /** Windows, each against the others. */
  readonly folds: readonly CrossFit[];
  /** Pooled: one a candidate, and the same by the rows that each cross-fit learns from. */
  readonly weights: readonly number[];
  readonly byFold: readonly (readonly number[])[];
  /** Predictions of each row by pooled weights that were chosen without it. */
  readonly pooled: Float64Array;
  readonly metric: Metric;
}

export interface FittedSeriesWeights {
  /** Null: pooled weights serve every series. */
  readonly weighing: SeriesWeighing | null;
  /** Of each row by what was fitted, and chosen, without its window. */
  readonly crossFitted: Float64Array;
  readonly note: string;
}

/**
 * The power of which each window would have been forecast better by the others than with pooled weights, and
 * all of them together best; pooled weights where there is none.
 *
 * @returns null where there is nothing to choose: one window, one series, or one member
 */
export function fitSeriesWeights(request: SeriesWeighingRequest): FittedSeriesWeights | null {
  const { predictions, rows, folds, weights, byFold, pooled, metric } = request;
  const windows = folds.length;
  const members = weights.filter((weight) => weight > 0).length;
  // Of one window folds are others, which say nothing of a series.
  const seen = new Set(rows.series.window).size;
  if (folds.length < 2 || folds.length > seen || members < 2) return null;
  if (new Set(rows.series.series).size < 2) return null;
  const all = [...folds.keys()];
  const errors = folds.map(({ apply }) => errorsOf(request, apply));
  const horizon = 1 + rows.series.step.reduce((most, each) => Math.max(most, each), 0);
  const ownWeights = (learned: readonly number[], weighed: Weighed): Float64Array[] =>
    weightsOfSeries(
      learned.map((window) => errors[window]),
      horizon,
      weighed,
    );
  const blended = (window: number, learned: readonly number[], weighed: Weighed) => {
    const own = ownWeights(learned, weighed);
    return Float64Array.from(folds[window].apply, (row) => {
      let value = 0;
      for (const [k, each] of own.entries()) {
        const weight = each[rows.series.series[row]];
        if (weight > 0) value += weight * predictions[k][row];
      }
      return value;
    });
  };
  const lossOf = (window: number, values: Float64Array): number => {
    const scored = { ...pickRows(rows, folds[window].apply), predictions: values };
    return toLoss(metric, metric.score(scored));
  };
  /** Of some windows each is forecast by the others. */
  const tried = (kept: readonly number[], weightsOf: (window: number) => readonly number[]) =>
    [0, ...POWERS].map((power) =>
      kept.map((window) => {
        const others = kept.filter((other) => other !== window);
        return lossOf(window, blended(window, others, { power, weights: weightsOf(window) }));
      }),
    );
  const losses = tried(all, (window) => byFold[window]);
  const power = bestPower(losses);
  const crossFitted = pooled.slice();
  for (const window of all) {
    // What is chosen for a window has not seen it, nor have the weights that this is chosen by.
    const others = all.filter((other) => other !== window);
    const chosen = others.length > 1 ? bestPower(tried(others, () => byFold[window])) : 0;
    if (chosen === 0) continue;
    const values = blended(window, others, { power: chosen, weights: byFold[window] });
    for (const [i, row] of folds[window].apply.entries()) crossFitted[row] = values[i];
  }
  if (power === 0) {
    return {
      weighing: null,
      crossFitted,
      note: `Weights are those of all series: weights by series are not better in each of the ${windows} windows, by the others.`,
    };
  }
  const shown = (each: readonly number[]): string => shownScore(metric, mean(each));
  const own = losses[1 + POWERS.indexOf(power)];
  return {
    weighing: { weights: ownWeights(all, { power, weights }), power },
    crossFitted,
    note: `Each series has weights of its own, drawn towards those of all: in each of the ${windows} windows they are better, by the others (mean ${metric.name} ${shown(own)} against ${shown(losses[0])}). A series that is new has the weights of all.`,
  };
}

interface Weighed {
  /** 0: series weigh alike. */
  readonly power: number;
  /** Pooled. */
  readonly weights: readonly number[];
}

/**
 * 0: pooled weights are not beaten in each of the windows.
 *
 * @param losses of pooled weights, and of each of `POWERS`: one a window
 */
function bestPower([before, ...after]: readonly (readonly number[])[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [place, losses] of after.entries()) {
    const isBetter = before.every((loss, i) => loss - losses[i] >= LEAST_GAIN * Math.abs(loss));
    const loss = mean(losses);
    if (isBetter && loss < least) [best, least] = [POWERS[place], loss];
  }
  return best;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What members missed in one window, by series. */
interface WindowErrors {
  /** Of each candidate the sum over rows, scaled; those that weigh nothing have none. */
  readonly sums: readonly Float64Array[];
  /** Rows. */
  readonly counts: Float64Array;
}

function errorsOf(
  { predictions, rows, weights, byFold }: SeriesWeighingRequest,
  window: Uint32Array,
): WindowErrors {
  const { series, scale } = rows.series;
  const numbers = 1 + series.reduce((most, each) => Math.max(most, each), 0);
  const kept = Array.from(window).filter((row) => rows.weights === null || rows.weights[row] > 0);
  const counts = new Float64Array(numbers);
  for (const row of kept) counts[series[row]]++;
  const sums = predictions.map((values, k) => {
    const own = new Float64Array(numbers);
    if (![weights, ...byFold].some((each) => each[k] > 0)) return own;
    for (const row of kept)
      own[series[row]] += Math.abs(values[row] - rows.target[row]) / scale[row];
    return own;
  });
  return { sums, counts };
}

/** Of each candidate one a series. @param learned the windows that say how well each did */
function weightsOfSeries(
  learned: readonly WindowErrors[],
  horizon: number,
  { weights, power }: Weighed,
): Float64Array[] {
  const members = [...weights.keys()].filter((k) => weights[k] > 0);
  const counts = sumOf(learned.map((window) => window.counts));
  const errors = members.map((k) => sumOf(learned.map(({ sums }) => sums[k])));
  const own = weights.map((weight) => new Float64Array(counts.length).fill(weight));
  if (power === 0) return own;
  const ofAll = errors.map((each) => each.reduce((sum, error) => sum + error, 0));
  const average = members.reduce((sum, k, m) => sum + weights[k] * ofAll[m], 0);
  const relative = ofAll.map((each) => Math.max(LEAST_RATIO, each / average));
  const prior = PRIOR_WINDOWS * horizon;
  const shares = new Float64Array(members.length);
  for (let s = 0; s < counts.length; s++) {
    const level = members.reduce((sum, k, m) => sum + weights[k] * errors[m][s], 0) / counts[s];
    if (!(level > 0) || !Number.isFinite(level)) continue;
    let sum = 0;
    for (const [m, k] of members.entries()) {
      const drawn = (errors[m][s] / level + prior * relative[m]) / (counts[s] + prior);
      shares[m] = weights[k] * (drawn / relative[m]) ** -power;
      sum += shares[m];
    }
    for (const [m, k] of members.entries()) own[k][s] = shares[m] / sum;
  }
  return own;
}

function sumOf([first, ...others]: readonly Float64Array[]): Float64Array {
  const sum = first.slice();
  for (const each of others) for (let i = 0; i < sum.length; i++) sum[i] += each[i];
  return sum;
}
