/**
 * Weights of candidates, chosen greedily on their out-of-fold predictions: on all rows, and without those of each
 * fold, which what comes after is scored on.
 */

import { type Metric, toLoss } from "../metrics/index.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import type { TaskType } from "../tasks/task-type.ts";
import type { FittedCalibration } from "./calibration/fit-calibration.ts";
import { greedySelection, type SelectionStep } from "./greedy-selection.ts";
import { withoutHarmless } from "./harmless-members.ts";
import { type CrossFit, type LabelledRows, pickPredictions, pickRows } from "./labelled-rows.ts";
import { inNats, rowLosses } from "./row-losses.ts";
import { shrunkWeights, weightsByLikelihood } from "./shrunk-weights.ts";

export interface Weighing {
  /** One a candidate, chosen on all rows; they sum to 1. */
  readonly weights: readonly number[];
  /** The same, chosen on the rows that each cross-fit learns from. */
  readonly byFold: readonly (readonly number[])[];
}

export interface SharingRequest {
  /** One a candidate. */
  readonly families: readonly string[];
  readonly familyShares: TaskType["familyShares"];
  /** Naive ones (`Family.isNaive`). Default none. */
  readonly naive?: ReadonlySet<string>;
}

/**
 * The metric that weights are selected by. A metric of labels follows the few rows near the
 * threshold, so blends for it are selected by log-loss, and their threshold is tuned after.
 */
export function weighingMetric(metric: Metric): Metric {
  return metric.needs === "label" ? metricByName("log_loss") : metric;
}

/**
 * Greedy weights on all rows and without each fold: without the members that bring nothing, or drawn towards weights of
 * families where the kind of task says so. The path is of the first, as selected.
 */
export function weighGreedily(
  candidates: readonly FittedCalibration[],
  given: LabelledRows,
  folds: readonly CrossFit[],
  metric: Metric,
  { families, familyShares, naive }: SharingRequest,
): Weighing & { readonly path: readonly SelectionStep[] } {
  const all = candidates.map(({ crossFitted }) => crossFitted);
  const { predictions, rows } =
    metric.name === "log_loss" ? ofTruth(all, given) : { predictions: all, rows: given };
  const weigh = (known: readonly Float64Array[], own: LabelledRows, by: Metric) => {
    const selected = greedySelection({ ...own, candidates: known, metric: by });
    switch (familyShares) {
      case null: {
        // Of what is to be large nobody knows how near it is to the best.
        if (by.direction !== "minimize") return selected;
        const { weights } = selected;
        const lossBy = (blended: Float64Array): number => lossOf(by, blended, own);
        return {
          ...selected,
          weights: withoutHarmless({ weights, predictions: known, lossOf: lossBy }),
        };
      }
      case "similar_loss": {
        const losses = known.map((each) => lossOf(by, each, own));
        const forecasts = new Set(own.series?.group).size;
        const { weights } = selected;
        return {
          ...selected,
          weights: shrunkWeights({ weights, losses, families, forecasts, naive }),
        };
      }
      case "likelihood": {
        const weights = weightsByLikelihood({
          weights: selected.weights,
          rowLosses: known.map((each) => rowLosses(by, each, own)),
          rowWeights: own.weights,
          families,
          inNats: (difference, least) => inNats(by, difference, least),
        });
        return { ...selected, weights };
      }
    }
  };
  const { weights, path } = weigh(predictions, rows, metric);
  const byFold = folds.map(({ fit }) => {
    const known = predictions.map((each) => pickPredictions(each, rows.outputs, fit));
    const picked = pickRows(rows, fit);
    // Where the others hold one class only, a metric may be undefined; log-loss never is.
    const weighed = hasLoss(picked.target, metric) ? metric : metricByName("log_loss");
    return weigh(known, picked, weighed).weights;
  });
  return { weights, byFold, path };
}

/** All that log-loss reads of many classes, as if there were two: the probability of the row's own, which is the second. */
function ofTruth(
  predictions: readonly Float64Array[],
  rows: LabelledRows,
): { readonly predictions: readonly Float64Array[]; readonly rows: LabelledRows } {
  const { target, outputs } = rows;
  if (outputs === 1) return { predictions, rows };
  return {
    predictions: predictions.map((each) => target.map((y, i) => each[i * outputs + y])),
    rows: { ...rows, target: new Float64Array(target.length).fill(1), outputs: 1 },
  };
}

/** Whether a metric of classes can be computed: with one class, some are undefined. */
function hasLoss(target: Float64Array, metric: Metric): boolean {
  return metric.needs === "value" || target.some((y) => y !== target[0]);
}

export function lossOf(metric: Metric, predictions: Float64Array, rows: LabelledRows): number {
  return toLoss(metric, metric.score({ ...rows, predictions }));
}
