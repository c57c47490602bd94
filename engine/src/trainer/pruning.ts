/**
 * Whether a trial that has run some of its folds can still win: a paired bound over folds.
 *
 * The trial is compared with an incumbent, a finished trial of an earlier step, on the folds that
 * both have run. What the rest of its folds will add is predicted from those differences: their
 * mean so far, and a spread that shrinks from what finished trials of its family showed towards
 * its own as its folds come in (a conjugate prior of the variance; Gelman et al., Bayesian Data
 * Analysis, §2.6). The difference over all folds is then distributed by Student's t, and the trial
 * is pruned when the chance that it ends ahead is small. Pairs of folds leave out how hard a fold
 * is, and their spread counts rows, folds and luck of the fit alike.
 *
 * The incumbent is the best of the trial's own row where models are blended, since a blend gains
 * from families that are worse than the best one but different; else it is the best of all.
 * `docs/decisions/pruning.md` has what was measured.
 *
 * Only earlier steps are asked, so a verdict is a function of the log and not of timing.
 */

import type { RunPlan, Scores } from "./events.ts";
import { lossOf } from "./select.ts";
import type { TrialState } from "./state.ts";
import { studentT } from "./student-t.ts";

/** A trial goes on while its chance to end ahead of the incumbent is at least this. */
const LEAST_CHANCE = 0.3;
/** Finished trials that the first verdict waits for: below, their spread says too little. */
const LEAST_INCUMBENTS = 3;
/** The folds that the spread of finished trials counts for. */
const PRIOR_FOLDS = 3;

export interface PruningContext {
  readonly plan: Pick<RunPlan, "folds">;
  /** Metrics that are optimised. With several a trial is pruned only if it is behind in all. */
  readonly objectives: readonly string[];
  /** Whether trials are blended. */
  readonly ensemble: boolean;
  /** All trials of the run so far; only those finished in earlier steps are compared with. */
  readonly trials: readonly TrialState[];
}

export interface Verdict {
  /** In words and figures. */
  readonly reason: string;
  readonly folds: number;
  /** What the finished folds let expect of all. */
  readonly expected: Scores;
}

/** Whether any verdict about such a trial is possible: if not, its folds may run in any order. */
export function canBePruned(trial: TrialState, context: PruningContext): boolean {
  return context.plan.folds > 1 && incumbentsOf(trial, context).length >= LEAST_INCUMBENTS;
}

/** Null: the trial goes on. Its finished folds must be the first ones. */
export function judge(trial: TrialState, context: PruningContext): Verdict | null {
  const { objectives, plan } = context;
  const folds = trial.folds.findIndex((fold) => fold?.state !== "finished");
  if (folds < 1) return null;
  const incumbents = incumbentsOf(trial, context);
  const rivals = objectives.length > 1 ? incumbents : bestOn(incumbents, objectives[0], folds);
  for (const rival of rivals) {
    const standings = objectives.map((metric) =>
      standing(trial, rival, metric, folds, plan.folds, incumbents),
    );
    if (standings.every((each) => each !== null && each.chance < LEAST_CHANCE)) {
      return {
        folds,
        reason: inWords(trial, rival, objectives, folds, plan.folds, standings),
        expected: expectedScores(trial, rival, folds),
      };
    }
  }
  return null;
}

/** Finished trials of earlier steps: of the trial's own row for a blend, else of all rows. */
function incumbentsOf(trial: TrialState, { trials, ensemble }: PruningContext): TrialState[] {
  return trials.filter(
    (other) =>
      other.state === "finished" &&
      other.step < trial.step &&
      (!ensemble || other.row === trial.row),
  );
}

/** The incumbent with the lowest mean loss on the first `folds`; ties go to the earlier. */
function bestOn(incumbents: readonly TrialState[], metric: string, folds: number): TrialState[] {
  let best: TrialState[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const incumbent of incumbents) {
    const loss = mean(foldLosses(incumbent, metric).slice(0, folds));
    if (loss < least) {
      best = [incumbent];
      least = loss;
    }
  }
  return best;
}

interface Standing {
  /** Mean difference of the losses so far; positive where the trial is behind. */
  readonly behind: number;
  /** That the trial ends ahead over all folds. */
  readonly chance: number;
}

/** Null where an undefined score leaves nothing to compare. */
function standing(
  trial: TrialState,
  rival: TrialState,
  metric: string,
  folds: number,
  allFolds: number,
  incumbents: readonly TrialState[],
): Standing | null {
  const theirs = foldLosses(rival, metric);
  const differences = foldLosses(trial, metric)
    .slice(0, folds)
    .map((loss, fold) => loss - theirs[fold]);
  if (!differences.every(Number.isFinite)) return null;
  const behind = mean(differences);
  const prior = usualVariance(rival, metric, incumbents);
  if (prior === null) return null;
  const own = folds - 1;
  const variance = (PRIOR_FOLDS * prior + own * sampleVariance(differences)) / (PRIOR_FOLDS + own);
  const left = allFolds - folds;
  // Of the difference over all folds, given those that are in: the mean of the rest is uncertain
  // by its own spread and by that of the mean it is predicted from.
  const deviation = (left / allFolds) * Math.sqrt(variance * (1 / folds + 1 / left));
  const chance =
    deviation > 0 ? studentT(-behind / deviation, PRIOR_FOLDS + own) : behind > 0 ? 0 : 1;
  return { behind, chance };
}

/** The median variance over folds of the differences between other incumbents and the rival. */
function usualVariance(
  rival: TrialState,
  metric: string,
  incumbents: readonly TrialState[],
): number | null {
  const theirs = foldLosses(rival, metric);
  const variances = incumbents
    .filter((other) => other !== rival)
    .map((other) => sampleVariance(foldLosses(other, metric).map((loss, k) => loss - theirs[k])))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  if (variances.length === 0) return null;
  const middle = variances.length >> 1;
  return variances.length % 2 === 1
    ? variances[middle]
    : (variances[middle - 1] + variances[middle]) / 2;
}

/** The rival's mean over all folds, moved by the mean difference on those that both have. */
function expectedScores(trial: TrialState, rival: TrialState, folds: number): Scores {
  return Object.fromEntries(
    Object.entries(rival.scores ?? {}).map(([metric, theirs]) => {
      const differences = Array.from({ length: folds }, (_, fold) => {
        const [ours, other] = [scoreOf(trial, fold, metric), scoreOf(rival, fold, metric)];
        return ours === null || other === null ? Number.NaN : ours - other;
      });
      const expected = (theirs ?? Number.NaN) + mean(differences);
      return [metric, Number.isFinite(expected) ? expected : null];
    }),
  );
}

function inWords(
  trial: TrialState,
  rival: TrialState,
  objectives: readonly string[],
  folds: number,
  allFolds: number,
  standings: readonly (Standing | null)[],
): string {
  const figures = objectives.map((metric, index) => {
    const { behind, chance } = standings[index] ?? { behind: 0, chance: 0 };
    const own = mean(Array.from({ length: folds }, (_, k) => scoreOf(trial, k, metric) ?? 0));
    return `${metric} ${short(own)}, behind by ${short(behind)} (chance to end ahead ${percent(chance)})`;
  });
  const of =
    rival.row === trial.row ? `trial ${rival.number}` : `trial ${rival.number} (${rival.family})`;
  return `After ${folds} of ${allFolds} folds it cannot be expected to pass ${of} on the same folds: ${figures.join("; ")}.`;
}

function foldLosses(trial: TrialState, metric: string): number[] {
  return trial.folds.map((_, fold) => lossOf(metric, scoreOf(trial, fold, metric)));
}

function scoreOf(trial: TrialState, fold: number, metric: string): number | null {
  const state = trial.folds[fold];
  return state?.state === "finished" ? (state.scores[metric] ?? null) : null;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** 0 for a single value. */
function sampleVariance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function percent(chance: number): string {
  return chance < 0.001 ? "below 0.1 %" : `${Number((100 * chance).toPrecision(2))} %`;
}
