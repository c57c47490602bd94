/** How far a run is and when it may end, for people who wait. Never reaches the model. */

import { failingRows } from "./log/failing-rows.ts";
import { knownScores, lossOf } from "./log/scores.ts";
import { deviceOf } from "./log/settled-devices.ts";
import { plannedTrials, type RunState, type TrialState } from "./log/state.ts";
import { finishEstimate } from "./prices/cost-finish.ts";
import { trialsOfRow } from "./search/ask.ts";

/** How far a run is, in figures. */
export interface RunProgress {
  readonly phase: RunState["phase"];
  /** Where there are as many as the time allows: those asked for so far. */
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
  /** Which device takes part, or why none does; null until a fit that is large enough has settled it. */
  readonly device: string | null;
}

/** How far a run is. @param now milliseconds since 1970 */
export function progressOf(state: RunState, now: number): RunProgress {
  const { plan, trials } = state;
  const folds = trials.flatMap((trial) => trial.folds);
  const foldsDone = folds.filter((fold) => fold !== undefined).length;
  const trialsPlanned = plannedTrials(state);
  const foldsPlanned = trialsPlanned * (plan?.folds ?? 0);
  const seconds = secondsOf(state, now);
  const best = bestTrial(state);
  const metric = plan?.metrics[0];
  const bestScores = best && plan ? knownScores(best, plan.metrics) : null;
  return {
    phase: state.phase,
    trialsPlanned,
    trialsDone: trials.filter((trial) => knownScores(trial, plan?.metrics ?? []) !== null).length,
    trialsFailed: trials.filter(hasFailedFold).length,
    trialsPruned: trials.filter(({ state: each }) => each === "pruned").length,
    trialsRefused: trials.filter(({ state: each }) => each === "refused").length,
    foldsPlanned,
    foldsDone,
    seconds,
    estimate: estimateSeconds(state, seconds, foldsDone),
    best:
      best && bestScores && metric
        ? { trial: best.number, metric, score: bestScores[metric] }
        : null,
    device: deviceOf(state),
  };
}

/** Of work; logs that do not say how much they hold are read by the calendar. */
function secondsOf({ phase, startedAt, updatedAt, elapsed }: RunState, now: number): number {
  if (startedAt === null || updatedAt === null) return 0;
  const since = phase === "done" ? 0 : Math.max(0, now - Date.parse(updatedAt)) / 1000;
  const before = elapsed ?? (Date.parse(updatedAt) - Date.parse(startedAt)) / 1000;
  return Math.max(0, before + since);
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
    if (trial.state === "dropped") continue;
    const scores = knownScores(trial, [metric]);
    const loss = lossOf(metric, scores?.[metric] ?? null);
    if (loss < bestLoss) {
      best = trial;
      bestLoss = loss;
    }
  }
  return best;
}

/** Of a run whose configuration is not known here, as the engine's default has it. */
const USUAL = { ensemble: true, importanceRows: 2000, models: 1, contention: 1 };

/**
 * The work left: of the search and of the phases behind it. A row's trials to come are priced by
 * its own mean seconds a fold, so that cheap families at the start do not promise too much, and by
 * how many folds its trials have run, since some are pruned; the pace is what the run has shown.
 */
function estimateSeconds(state: RunState, seconds: number, foldsDone: number): number | null {
  const { plan, phase, trials } = state;
  if (phase === "done") return 0;
  if (!plan) return null;
  // A budget is known before anything has been measured.
  if (foldsDone === 0) return plan.timeBudgetS ? withinBudget(UNKNOWN, state, seconds) : null;
  const finish = finishEstimate(trials, { plan, ...USUAL });
  if (phase === "saving") return withinBudget(finish.saving + finish.reporting, state, seconds);
  if (phase === "fitting") return withinBudget(finish.total - finish.selecting, state, seconds);
  if (phase === "selecting") return withinBudget(finish.total, state, seconds);
  const all = trials.flatMap(foldSeconds);
  const spent = all.reduce((sum, value) => sum + value, 0);
  if (spent === 0) return plan.timeBudgetS ? withinBudget(UNKNOWN, state, seconds) : null;
  const failing = failingRows(state, plan);
  let left = 0;
  for (const row of plan.matrix.keys()) {
    if (failing.has(row)) continue;
    const own = trials.filter((trial) => trial.row === row);
    const times = own.flatMap(foldSeconds);
    const price = times.length > 0 ? mean(times) : mean(all);
    const ended = own.filter(({ state: each }) => each !== "running");
    const usual = ended.length > 0 ? mean(ended.map(foldsRun)) : plan.folds;
    const open = own.filter(({ state: each }) => each === "running");
    const toCome = trialsOfRow(plan, row) - own.length;
    const folds = open.reduce((sum, trial) => sum + Math.max(0, usual - foldsRun(trial)), 0);
    left += (folds + Math.max(0, toCome) * usual) * price;
  }
  return withinBudget((seconds * left) / spent + finish.total, state, seconds);
}

const UNKNOWN = Number.POSITIVE_INFINITY;

/** The work left, and no more than the budget has. */
function withinBudget(estimate: number, { plan }: RunState, seconds: number): number {
  const budget = plan?.timeBudgetS ?? Number.POSITIVE_INFINITY;
  return Math.min(estimate, Math.max(0, budget - seconds));
}

function foldSeconds(trial: TrialState): number[] {
  return trial.folds.flatMap((fold) => (fold?.state === "finished" ? [fold.seconds] : []));
}

function foldsRun(trial: TrialState): number {
  return trial.folds.filter((fold) => fold !== undefined).length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
