/**
 * Whether a trial that has run some of its folds can still win: paired bounds over folds.
 *
 * The trial is compared with incumbents, finished trials of earlier steps, on the folds that both
 * have run. What the rest of its folds will add is predicted from those differences: their mean so
 * far, and a spread that moves from what finished trials of its row showed towards its own as its
 * folds come in (the conjugate prior of a variance; Gelman et al., Bayesian Data Analysis, §3.3).
 * The difference over all folds is then distributed by Student's t, which gives the chance that
 * the trial ends ahead. Pairs of folds leave out how hard a fold is; their spread counts rows,
 * folds and luck of the fit alike.
 *
 * A blend gains from models that are worse than the best but different. So a trial is pruned only
 * when it is behind one trial of its own row and three of all: a good trial of a family that is not
 * the best one lives, and so does one among the best of all. `docs/decisions/pruning.md` has what
 * was measured.
 *
 * Only earlier steps are asked, so a verdict is a function of the log and not of timing.
 */

import { studentT } from "../../compute/student-t.ts";
import type { RunPlan, Scores } from "../log/events.ts";
import { lossOf } from "../log/scores.ts";
import type { TrialState } from "../log/state.ts";

/** A trial is behind an incumbent when its chance to end ahead of it is below this. */
const LEAST_CHANCE = 0.4;
/** Incumbents that a pruned trial is behind: of its row, and of all rows. */
const AHEAD_IN_ROW = 1;
const AHEAD_OF_ALL = 3;
/** Finished trials of a row that its first verdict waits for: fewer say too little of the spread. */
const LEAST_INCUMBENTS = 3;
/** The folds that the spread of finished trials counts for. */
const PRIOR_FOLDS = 3;

export interface PruningContext {
  readonly plan: Pick<RunPlan, "folds">;
  /** Metrics that are optimised. With several, behind means behind in every one. */
  readonly objectives: readonly string[];
  /** All trials of the run so far; those finished in earlier steps are the incumbents. */
  readonly trials: readonly TrialState[];
}

export interface Verdict {
  /** In words and figures. */
  readonly reason: string;
  readonly folds: number;
  /** What the finished folds let expect of all, by metric. */
  readonly expected: Scores;
}

/** Whether any verdict about such a trial is possible: if not, its folds may run in any order. */
export function canBePruned(trial: TrialState, context: PruningContext): boolean {
  // It is asked for what it adds to one that was found good.
  if (trial.repeats !== null) return false;
  const ofRow = incumbentsOf(trial, context).filter(({ row }) => row === trial.row);
  return context.plan.folds > 1 && ofRow.length >= LEAST_INCUMBENTS;
}

/** Null: the trial goes on. Its finished folds must be the first ones. */
export function judge(trial: TrialState, context: PruningContext): Verdict | null {
  const folds = trial.folds.findIndex((fold) => fold?.state !== "finished");
  if (folds < 1 || !canBePruned(trial, context)) return null;
  const incumbents = incumbentsOf(trial, context);
  const ofRow = incumbents.filter(({ row }) => row === trial.row);
  const ahead: Rival[] = [];
  for (const incumbent of incumbents) {
    const standings = standingsAgainst(incumbent, trial, ofRow, folds, context);
    if (standings?.every(({ chance }) => chance < LEAST_CHANCE))
      ahead.push({ incumbent, standings });
  }
  ahead.sort((a, b) => b.standings[0].behind - a.standings[0].behind);
  const inRow = ahead.filter(({ incumbent }) => incumbent.row === trial.row);
  if (inRow.length < AHEAD_IN_ROW || ahead.length < AHEAD_OF_ALL) return null;
  return {
    folds,
    reason: inWords(trial, inRow[0], ahead, folds, context),
    expected: expectedScores(trial, inRow[0].incumbent, folds),
  };
}

function incumbentsOf(trial: TrialState, { trials }: PruningContext): TrialState[] {
  return trials.filter(
    ({ state, step, repeats }) => state === "finished" && repeats === null && step < trial.step,
  );
}

interface Rival {
  readonly incumbent: TrialState;
  /** By objective. */
  readonly standings: readonly Standing[];
}

interface Standing {
  /** Mean difference of the losses so far; positive where the trial is behind. */
  readonly behind: number;
  /** That the trial ends ahead over all folds. */
  readonly chance: number;
}

/** By objective; null where an undefined score leaves nothing to compare. */
function standingsAgainst(
  incumbent: TrialState,
  trial: TrialState,
  ofRow: readonly TrialState[],
  folds: number,
  { objectives, plan }: PruningContext,
): Standing[] | null {
  const standings: Standing[] = [];
  for (const metric of objectives) {
    const theirs = foldLosses(incumbent, metric);
    const differences = foldLosses(trial, metric)
      .slice(0, folds)
      .map((loss, fold) => loss - theirs[fold]);
    const prior = usualVariance(incumbent, metric, ofRow);
    if (prior === null || !differences.every(Number.isFinite)) return null;
    standings.push(standingOf(differences, prior, plan.folds));
  }
  return standings;
}

/**
 * Of the difference over all folds, given those that are in: the mean of the rest is uncertain by
 * its own spread and by that of the mean it is predicted from.
 *
 * @param differences of losses on the folds so far, incumbent's taken from the trial's
 * @param prior variance that such differences usually have over folds
 */
export function standingOf(
  differences: readonly number[],
  prior: number,
  allFolds: number,
): Standing {
  const folds = differences.length;
  const behind = mean(differences);
  const own = folds - 1;
  const variance = (PRIOR_FOLDS * prior + own * sampleVariance(differences)) / (PRIOR_FOLDS + own);
  const left = allFolds - folds;
  const deviation = (left / allFolds) * Math.sqrt(variance * (1 / folds + 1 / left));
  if (!(deviation > 0)) return { behind, chance: behind > 0 ? 0 : 1 };
  return { behind, chance: studentT(-behind / deviation, PRIOR_FOLDS + own) };
}

/** The median variance over folds of the differences between a row's incumbents and this one. */
function usualVariance(
  incumbent: TrialState,
  metric: string,
  ofRow: readonly TrialState[],
): number | null {
  const theirs = foldLosses(incumbent, metric);
  const variances = ofRow
    .filter((other) => other !== incumbent)
    .map((other) => sampleVariance(foldLosses(other, metric).map((loss, k) => loss - theirs[k])))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  if (variances.length === 0) return null;
  const middle = variances.length >> 1;
  return variances.length % 2 === 1
    ? variances[middle]
    : (variances[middle - 1] + variances[middle]) / 2;
}

/** The incumbent's mean over all folds, moved by the mean difference on those that both have. */
function expectedScores(trial: TrialState, incumbent: TrialState, folds: number): Scores {
  return Object.fromEntries(
    Object.entries(incumbent.scores ?? {}).map(([metric, theirs]) => {
      const differences = Array.from({ length: folds }, (_, fold) => {
        const [ours, other] = [scoreOf(trial, fold, metric), scoreOf(incumbent, fold, metric)];
        return ours === null || other === null ? Number.NaN : ours - other;
      });
      const expected = (theirs ?? Number.NaN) + mean(differences);
      return [metric, Number.isFinite(expected) ? expected : null];
    }),
  );
}

function inWords(
  trial: TrialState,
  { incumbent, standings }: Rival,
  ahead: readonly Rival[],
  folds: number,
  { objectives, plan }: PruningContext,
): string {
  const figures = objectives.map((metric, index) => {
    const { behind, chance } = standings[index];
    const own = mean(Array.from({ length: folds }, (_, k) => scoreOf(trial, k, metric) ?? 0));
    return `${metric} ${short(own)}, worse by ${short(behind)}, chance to end ahead ${percent(chance)}`;
  });
  return (
    `After ${folds} of ${plan.folds} folds it is behind ${ahead.length} finished trials on the same folds, ` +
    `of its own family trial ${incumbent.number} (${figures.join("; ")}).`
  );
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
