/** How far a run is and when it may end, for people who wait. Never reaches the model. */

import { knownScores } from "./scores.ts";
import { lossOf } from "./select.ts";
import type { RunState, TrialState } from "./state.ts";

export interface RunProgress {
  readonly phase: RunState["phase"];
  readonly trialsPlanned: number;
  readonly trialsDone: number;
  readonly trialsFailed: number;
  /** Stopped before their last fold, since they could not win. */
  readonly trialsPruned: number;
  /** Never begun, since they fit neither the time nor the memory that was left. */
  readonly trialsRefused: number;
  readonly foldsPlanned: number;
  readonly foldsDone: number;
  readonly seconds: number;
  /** Seconds left; null while nothing is known to judge by. */
  readonly estimate: number | null;
  readonly best: {
    readonly trial: number;
    readonly metric: string;
    readonly score: number | null;
  } | null;
}

export function progressOf(state: RunState, now: number): RunProgress {
  const { plan, trials } = state;
  const folds = trials.flatMap((trial) => trial.folds);
  const foldsDone = folds.filter((fold) => fold !== undefined).length;
  const foldsPlanned = plan ? plan.trials * plan.folds : 0;
  const end = state.phase === "done" && state.updatedAt ? Date.parse(state.updatedAt) : now;
  const seconds = state.startedAt ? Math.max(0, (end - Date.parse(state.startedAt)) / 1000) : 0;
  const best = bestTrial(state);
  const metric = plan?.metrics[0];
  const bestScores = best && plan ? knownScores(best, plan.metrics) : null;
  return {
    phase: state.phase,
    trialsPlanned: plan?.trials ?? 0,
    trialsDone: trials.filter((trial) => knownScores(trial, plan?.metrics ?? []) !== null).length,
    trialsFailed: trials.filter(hasFailedFold).length,
    trialsPruned: trials.filter(({ state: each }) => each === "pruned").length,
    trialsRefused: trials.filter(({ state: each }) => each === "refused").length,
    foldsPlanned,
    foldsDone,
    seconds,
    estimate: estimateSeconds(state, seconds, foldsDone, foldsPlanned),
    best:
      best && bestScores && metric
        ? { trial: best.number, metric, score: bestScores[metric] }
        : null,
  };
}

function hasFailedFold(trial: TrialState): boolean {
  return trial.folds.some((fold) => fold?.state === "failed");
}

/** The finished trial with the lowest mean fold loss; ties go to the earlier. */
export function bestTrial(state: RunState): TrialState | null {
  const metric = state.plan?.metrics[0];
  if (!metric) return null;
  let best: TrialState | null = null;
  let bestLoss = Number.POSITIVE_INFINITY;
  for (const trial of state.trials) {
    const scores = knownScores(trial, [metric]);
    const loss = lossOf(metric, scores?.[metric] ?? null);
    if (loss < bestLoss) {
      best = trial;
      bestLoss = loss;
    }
  }
  return best;
}

/**
 * The work left is priced by each family's own mean seconds a fold, so that cheap families at the
 * start do not promise too much; the pace is what the run has shown so far.
 */
function estimateSeconds(
  state: RunState,
  seconds: number,
  foldsDone: number,
  foldsPlanned: number,
): number | null {
  if (state.phase === "done") return 0;
  if (!state.plan || foldsDone === 0) return null;
  if (state.phase !== "searching") return null;
  const { plan } = state;
  let spent = 0;
  let left = 0;
  const overall = state.trials.flatMap((trial) => foldSeconds(trial));
  const mean = overall.reduce((sum, value) => sum + value, 0) / Math.max(1, overall.length);
  for (const row of plan.matrix.keys()) {
    const own = state.trials.filter((trial) => trial.row === row).flatMap(foldSeconds);
    const total = own.reduce((sum, value) => sum + value, 0);
    const planned = foldsPlanned / plan.matrix.length;
    spent += total;
    left += Math.max(0, planned - own.length) * (own.length > 0 ? total / own.length : mean);
  }
  return spent > 0 ? (seconds * left) / spent : null;
}

function foldSeconds(trial: TrialState): number[] {
  return trial.folds.flatMap((fold) => (fold?.state === "finished" ? [fold.seconds] : []));
}
