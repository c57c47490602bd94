/**
 * Averaging members' margins in place of their probabilities. Probabilities that are each as sure as they may be are
 * too doubtful once they are averaged (Ranjan & Gneiting, "Combining probability forecasts", J. R. Stat. Soc. B 72(1),
 * 2010, theorem 1), and the fits of a trial's folds are averaged in the model as well; margins keep what members agree
 * about (a logarithmic pool: Genest & Zidek, "Combining probability distributions", Statistical Science 1(1), 1986).
 * `docs/decisions/model-pipeline.md` has what was measured.
 */

import { rowNumbers } from "../compute/row-lists.ts";
import { blend } from "./blend.ts";
import { type CrossFit, crossFit, type LabelledRows, pickPredictions } from "./labelled-rows.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";
import { meanOfRows, rowGain } from "./row-gain.ts";
import { logLosses } from "./row-losses.ts";

/** Standard errors by which the mean of the rows' gains is to be above 0. */
const STANDING_OUT = 1;
/** Of the loss, that is gained at least: for a trifle answers are not explained in another space. */
const LEAST_GAIN = 0.01;

export interface MarginPoolRequest {
  /** Probabilities of each candidate, by what was fitted without the row; row-major. */
  readonly predictions: readonly Float64Array[];
  readonly rows: LabelledRows;
  readonly folds: readonly CrossFit[];
  /** Weights of the candidates, one list a fold: chosen without it. */
  readonly byFold: readonly (readonly number[])[];
  /** The same averaged as probabilities. */
  readonly averaged: Float64Array;
}

export interface FittedMarginPool {
  /** Whether margins are to be averaged. */
  readonly kept: boolean;
  /** Probabilities of each row by what the other folds' rows choose of the two; row-major. */
  readonly crossFitted: Float64Array;
  /** Log-loss of both, margins first. */
  readonly losses: readonly [number, number];
}

/** Weighted means of candidates' margins, each row by the weights that were chosen without it; row-major. */
export function pooledMargins({
  predictions,
  rows,
  folds,
  byFold,
}: Omit<MarginPoolRequest, "averaged">): Float64Array {
  const { outputs } = rows;
  return crossFit(folds, rows, (_, index) => {
    const weights = byFold[index];
    const members = [...predictions.keys()].filter((member) => weights[member] > 0);
    return (apply) =>
      blend(
        members.map((member) =>
          marginsOf(pickPredictions(predictions[member], outputs, apply), outputs),
        ),
        members.map((member) => weights[member]),
      );
  });
}

/** By the log-loss, whatever the metric: what ranks or labels rows says little of how sure the answers are. */
export function fitMarginPool(request: MarginPoolRequest): FittedMarginPool {
  const { rows, folds, averaged } = request;
  const { outputs, weights } = rows;
  const pooled = probabilitiesOf(pooledMargins(request), outputs);
  const [own, others] = [pooled, averaged].map((values) => logLosses(values, rows));
  const meanOf = (losses: Float64Array, known: Uint32Array): number =>
    meanOfRows(losses, weights, known);
  const [ownWrong, othersWrong] = [own, others].map(lossesOfOtherClass);
  const standsOut = (known: Uint32Array): boolean => {
    const { mean: ofRows, error } = rowGain(others, own, weights, known);
    // As if one more of them had been wrong: that a few are all right says little of how sure one may be.
    const ofDoubt = meanOf(ownWrong, known) - meanOf(othersWrong, known);
    const mean = (known.length * ofRows - Math.max(0, ofDoubt)) / (known.length + 1);
    return mean > Math.max(STANDING_OUT * error, LEAST_GAIN * meanOf(others, known));
  };
  const crossFitted = crossFit(folds, rows, (known) => {
    const chosen = standsOut(known) ? pooled : averaged;
    return (apply) => pickPredictions(chosen, outputs, apply);
  });
  const all = rowNumbers(own.length);
  return {
    kept: standsOut(all),
    crossFitted,
    losses: [meanOf(own, all), meanOf(others, all)],
  };
}

/** What each row would cost if its class were another: nats, but for what the number of classes adds to all. */
function lossesOfOtherClass(losses: Float64Array): Float64Array {
  return losses.map((loss) => -Math.log(Math.max(Number.EPSILON, -Math.expm1(-loss))));
}
