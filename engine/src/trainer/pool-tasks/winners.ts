/**
 * Trials that become models by themselves. The best of many flatters itself by its luck on the rows
 * that chose it, so each part of the rows has a winner of its own, chosen by the others: their
 * predictions of the part are what is scored (cross-validated model choice; Cawley & Talbot, "On
 * over-fitting in model selection", JMLR 11, 2010).
 */

import { type CrossFit, pickPredictions } from "../../ensemble/index.ts";
import { type Sweep, simplexLattice, sweepWinners } from "../../pareto/index.ts";
import type { RunPlan, Scores, SweepPlan } from "../log/events.ts";
import { lossOf } from "../log/scores.ts";
import type { FoldState, TrialState } from "../log/state.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { scoreRows } from "./fit-task.ts";

export interface Candidate {
  readonly trial: number;
  readonly family: string;
  /** Trials of these very parameters and other random numbers, that it is averaged with. */
  readonly repeats: readonly number[];
  /** Row-major over `outOfFoldRows`: of it, averaged with its repeats. */
  readonly predictions: Float64Array;
}

export interface Winner {
  readonly trial: number;
  /** All weights of the metrics under which it is the best single trial. */
  readonly metricWeights: readonly (readonly number[])[];
  /** The trial that the other parts choose in its place, one a part of the rows. */
  readonly byPart: readonly number[];
}

export interface TrialLosses {
  readonly trial: number;
  /** By metric; infinite where undefined. */
  readonly losses: readonly number[];
}

/** Rows that the trials of a holdout are compared on at most, to choose for a part of it. */
const MOST_ROWS = 20_000;

/**
 * @param trials by all rows
 * @param without the same by the rows outside each part
 */
export function chooseWinners(
  plan: RunPlan,
  trials: readonly TrialLosses[],
  without: readonly (readonly TrialLosses[])[],
): readonly Winner[] {
  if (plan.sweep) return sweptWinners(trials, plan, plan.sweep, without);
  const bestOf = (known: readonly TrialLosses[]): number =>
    bestByLoss(known.map(({ trial, losses }) => ({ trial, loss: losses[0] }))).trial;
  return [
    {
      trial: bestOf(trials),
      metricWeights: [firstMetricAlone(plan)],
      byPart: without.map(bestOf),
    },
  ];
}

/**
 * The best single trial of each weight, once for all weights that agree on it.
 *
 * @param trials by all rows
 * @param without the same by the rows outside each part; those choose anew by the first weight
 */
export function sweptWinners(
  trials: readonly TrialLosses[],
  plan: RunPlan,
  sweep: SweepPlan,
  without: readonly (readonly TrialLosses[])[] = [],
): Winner[] {
  const lattice = simplexLattice(plan.metrics.length, sweep.divisions);
  const { choices } = winnersUnder(trials, lattice);
  const firsts = choices.map(({ metricWeights }) => metricWeights[0]);
  const byPart = without.map((known) => {
    const { choices: theirs } = winnersUnder(known, firsts);
    return firsts.map((first) => theirs.find((each) => each.metricWeights.includes(first)));
  });
  const trialOf = (blend: readonly number[]): number => trials[blend.indexOf(1)].trial;
  return choices.map(({ blend, metricWeights }, choice) => ({
    trial: trialOf(blend),
    metricWeights,
    byPart: byPart.map((chosen) => trialOf(chosen[choice]?.blend ?? blend)),
  }));
}

function winnersUnder(
  trials: readonly TrialLosses[],
  lattice: readonly (readonly number[])[],
): Sweep {
  return sweepWinners(
    trials.map(({ losses }) => losses),
    lattice,
  );
}

/** Mean losses over all folds but each. */
export function lossesWithoutFolds(
  trials: readonly TrialState[],
  { metrics, folds }: RunPlan,
): TrialLosses[][] {
  return Array.from({ length: folds }, (_, left) =>
    trials.map((trial) => {
      const others = trial.folds.filter((_, fold) => fold !== left);
      return {
        trial: trial.number,
        losses: metrics.map((metric) => {
          const sum = others.reduce((total, fold) => total + foldLoss(fold, metric), 0);
          return sum / others.length;
        }),
      };
    }),
  );
}

function foldLoss(fold: FoldState | undefined, metric: string): number {
  return lossOf(metric, fold?.state === "finished" ? (fold.scores[metric] ?? null) : null);
}

/** Of the trials of a holdout: losses on its rows outside each part. */
export function lossesWithoutParts(
  run: PreparedRun,
  candidates: readonly Candidate[],
  rows: Uint32Array,
  parts: readonly CrossFit[],
): TrialLosses[][] {
  const outputs = candidates[0].predictions.length / rows.length;
  return parts.map(({ fit }) => {
    const stride = Math.max(1, Math.ceil(fit.length / MOST_ROWS));
    const known = fit.filter((_, i) => i % stride === 0);
    const knownRows = known.map((i) => rows[i]);
    return candidates.map(({ trial, predictions }) => {
      const scores: Scores =
        known.length === 0
          ? {}
          : scoreRows(run, pickPredictions(predictions, outputs, known), knownRows);
      return {
        trial,
        losses: run.plan.metrics.map((metric) => lossOf(metric, scores[metric] ?? null)),
      };
    });
  });
}

/** What a run without a sweep weighs. */
export function firstMetricAlone({ metrics }: RunPlan): number[] {
  return metrics.map((_, index) => (index === 0 ? 1 : 0));
}

/** Ties go to the earlier trial. */
function bestByLoss<T extends { readonly loss: number }>(trials: readonly T[]): T {
  return trials.reduce((best, trial) => (trial.loss < best.loss ? trial : best));
}
