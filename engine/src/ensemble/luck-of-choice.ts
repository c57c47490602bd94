/**
 * How much of the best trial's score is the luck that chose it. A blend's score is of weights that have not seen the window
 * that they are scored on; the least of many trials' scores over a few windows has (selection bias: Cawley & Talbot, "On
 * over-fitting in model selection", JMLR 11, 2010).
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import { lossOf } from "./greedy-weights.ts";
import { type CrossFit, type LabelledRows, pickPredictions, pickRows } from "./labelled-rows.ts";

export interface LuckRequest {
  /** Of each candidate: values, one a row. */
  readonly predictions: readonly Float64Array[];
  readonly rows: LabelledRows;
  /** Windows, each against the others. */
  readonly folds: readonly CrossFit[];
  /** Of each row by what was fitted without it. */
  readonly blended: Float64Array;
  readonly metric: Metric;
}

/**
 * All scores are means over the fits of the backtest, as trials are ranked by. Null where no single candidate seems
 * better than the blend, or its rows are no windows.
 */
export function noteOfLuck({
  predictions,
  rows,
  folds,
  blended,
  metric,
}: LuckRequest): string | null {
  const windows = new Set(rows.series?.window).size;
  // Of one window folds are others.
  if (folds.length < 2 || folds.length > windows) return null;
  const known = folds.map(({ apply }) => pickRows(rows, apply));
  const lossesOf = (values: Float64Array): number[] =>
    folds.map(({ apply }, k) =>
      lossOf(metric, pickPredictions(values, rows.outputs, apply), known[k]),
    );
  const losses = predictions.map(lossesOf);
  const best = mean(leastOf(losses, folds.length));
  const loss = mean(lossesOf(blended));
  if (!(best < loss)) return null;
  const chosen = folds.map((_, k) => leastOf(losses, k)[k]);
  const shown = (each: number): string => toLoss(metric, each).toPrecision(3);
  const [one, many] =
    windows > folds.length
      ? ["fit", `${folds.length} fits, ${windows} windows in all`]
      : ["window", `${folds.length} windows`];
  return `The best trial has ${metric.name} ${shown(best)}, the mean over the ${many}, but was chosen by these very windows: where each ${one} is forecast by the trial that was best in the others, the mean is ${shown(mean(chosen))}. The blend's ${shown(loss)} is to be held against that one, since its weights have not seen the windows that they are scored on either. With few windows the best of many trials is the luckiest.`;
}

/** @returns the losses of the candidate that is best in all folds but that one */
function leastOf(losses: readonly (readonly number[])[], without: number): readonly number[] {
  const [first, ...rest] = losses.map((own) => {
    const known = mean(own.filter((_, k) => k !== without));
    return { own, known: Number.isNaN(known) ? Number.POSITIVE_INFINITY : known };
  });
  return rest.reduce((best, each) => (each.known < best.known ? each : best), first).own;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
