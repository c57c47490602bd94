/**
 * How much of the best trial's score is the luck that chose it. A blend's score is of weights that have not seen the window
 * that they are scored on; the least of many trials' scores over a few windows has (selection bias: Cawley & Talbot, "On
 * over-fitting in model selection", JMLR 11, 2010).
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import { lossOf } from "./greedy-weights.ts";
import {
  type CrossFit,
  crossFit,
  type LabelledRows,
  pickPredictions,
  pickRows,
} from "./labelled-rows.ts";

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

/** Null where no single candidate seems better than the blend, or its rows are no windows. */
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
  const best = leastOf(metric, predictions, rows);
  const loss = lossOf(metric, blended, rows);
  if (!(best.loss < loss)) return null;
  const chosen = crossFit(folds, rows, (known) => {
    const { candidate } = leastOf(
      metric,
      predictions.map((each) => pickPredictions(each, rows.outputs, known)),
      pickRows(rows, known),
    );
    return (apply) => pickPredictions(predictions[candidate], rows.outputs, apply);
  });
  const shown = (each: number): string => toLoss(metric, each).toPrecision(4);
  return `The best trial has ${metric.name} ${shown(best.loss)} over the ${windows} windows that it was chosen by, and ${shown(lossOf(metric, chosen, rows))} where each of ${folds.length} parts of them is forecast by the trial that was best in the others; the blend's ${shown(loss)} is by weights that were chosen so. With few windows the best of many trials is the luckiest.`;
}

function leastOf(
  metric: Metric,
  predictions: readonly Float64Array[],
  rows: LabelledRows,
): { readonly candidate: number; readonly loss: number } {
  let least = { candidate: 0, loss: Number.POSITIVE_INFINITY };
  for (const [candidate, values] of predictions.entries()) {
    const loss = lossOf(metric, values, rows);
    if (loss < least.loss) least = { candidate, loss };
  }
  return least;
}
