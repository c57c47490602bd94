/**
 * What the phases after the search will take, judged by what folds have shown: predicting and
 * scoring rows, fitting, and the bytes of fits. A search under a time budget leaves this much.
 */

import { MOST_CONFORMAL_ROWS } from "../../conformal/index.ts";
import { CALIBRATION_READS } from "../../ensemble/index.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { RunPlan } from "../log/events.ts";
import { lossOf } from "../log/scores.ts";
import type { FoldState, TrialState } from "../log/state.ts";
import { IMPORTANCE_REPEATS, MOST_SHUFFLED } from "../pool-tasks/importance-task.ts";
import { type StorePrice, secondsOf, USUAL_STORE } from "./store-price.ts";

/** A blend rarely has more members that count. */
const USUAL_MEMBERS = 12;
/**
 * Selecting, in processor seconds a row: what it costs at all, and for each candidate, which is
 * calibrated and weighed at each of some 40 additions; dearer where the metric sorts.
 */
const SELECTION_ROW = { plain: 3e-6, ranked: 2e-5 };
const SELECTION_CANDIDATE = { plain: 2.6e-6, ranked: 1.1e-5 };
const SELECTION_CANDIDATES = 100;
const RANKED: readonly string[] = ["roc_auc", "average_precision"];
/** Of metrics that sort, a class of many costs that share of a single output. */
const OUTPUT_SHARE = 0.6;
/**
 * Beyond that, for each row and class of several: averaging and correcting at all, and each member; calibrating a
 * candidate, and each number that is read to fit what does that.
 */
const SELECTION_CELL = { plain: 1e-7, member: 1.5e-7, calibrated: 1.2e-7, read: 1.4e-6 };
/** Conformal quantiles, in processor seconds a row. */
const CONFORMAL_ROW = { set: 3.5e-6, interval: 1.2e-5, forecast: 3.5e-6 };
/** The report's scores by many metrics, of the model, of answers without columns and of each series, in processor seconds a scored row. */
const REPORTED_ROW = { set: 0, interval: 0, forecast: 1.5e-5 };
/** Loading fits, packing and hashing the model's files. */
const PACKED_BYTES_PER_SECOND = 300e6;
/** A model's files, about. */
const MODEL_FILES = 6;
/**
 * What each phase takes however small its work, in processor seconds: messages, events, artifacts, and code that runs
 * for the first time, of which selecting has the most.
 */
const FIXED_SECONDS = { selecting: 0.2, saving: 0.12 };
/** Starting threads anew in the place of those that were stopped, in processor seconds, where none has shown it. */
export const RESTART_SECONDS = 0.25;
/** Seconds, or the share of the budget if that is more, by which a budget may be overrun. */
const OVERRUN = { seconds: 1, share: 0.03 };
/** Of that, what is kept for errors of estimates may take: then they are mended by the phases that can be shorter. */
const RISKED = 0.25;
/** The report: its library and the model are loaded, its pages drawn. In processor seconds. */
export const DRAWING_SECONDS = 0.6;
/** Explaining rows in the report takes what there is time for: so much of a budget, at most, is kept for it. */
const EXPLAINING = { share: 0.04, seconds: 3 };
/**
 * Of a time budget: more is not kept for work that is small however large the data. A contention that
 * a moment showed may be gone in the next, and a search of no time gives a model of one tree.
 */
const FIXED_SHARE = 0.4;
/** Estimates err on both sides; an overrun is worse than a short search. */
const SAFETY = 1.3;

export interface FinishContext {
  readonly plan: RunPlan;
  readonly ensemble: boolean;
  readonly importanceRows: number;
  /** What seconds of a quiet machine are multiplied by; see `contention.ts`. */
  readonly contention: number;
  /** Seconds, of which what can be made shorter wants no more than shares. */
  readonly timeBudget?: number;
  /** Of a blend whose members are fitted on all rows: how many at once; else null. */
  readonly refits?: number | null;
  /** Models of the run: one, or one a weight of a sweep at most. */
  readonly models: number;
  /** What selecting has taken before, over its price; default 1. */
  readonly pace?: number;
  /** Rows that folds are scored on; default: all. */
  readonly scored?: number;
  /** False: no report is written in the end. */
  readonly reports?: boolean;
  /** At which the store takes and gives files. Default: the usual one. */
  readonly storePrice?: StorePrice;
}

export interface FinishEstimate {
  readonly selecting: number;
  readonly fitting: number;
  /** Of it, `importance` can be made shorter. */
  readonly saving: number;
  readonly importance: number;
  /** Of predicting a held-out row by all selected models. */
  readonly rowSeconds: number;
  readonly reporting: number;
  readonly total: number;
}

type FinishedFold = Extract<FoldState, { state: "finished" }>;

/**
 * Seconds, if the search ended with these trials.
 *
 * @param members trials of the selected models; default: those that may well be
 */
export function finishEstimate(
  trials: readonly TrialState[],
  context: FinishContext,
  members?: readonly TrialState[],
): FinishEstimate {
  const { plan, ensemble, models, importanceRows, contention, pace = 1, reports = true } = context;
  const { scored = plan.rows } = context;
  const finished = trials.filter(isComplete);
  const likely = members ?? likelyMembers(finished, context);
  const candidates = ensemble ? Math.min(SELECTION_CANDIDATES, finished.length) : 1;
  const busy = contentionOfFixed(context);
  const selecting = contention * selectingSeconds(plan, scored, candidates);
  const { conformal: conformalKind } = typeOf(plan.task);
  const conformal =
    contention *
    Math.min(scored, MOST_CONFORMAL_ROWS) *
    (conformalKind === null ? 0 : CONFORMAL_ROW[conformalKind]);
  const { refits = null } = context;
  const keepsFolds = ensemble && refits === null;
  const longestFold = likely.map((trial) => longest(trial));
  const fitting = keepsFolds
    ? 0
    : Math.max(
        0,
        ...longestFold,
        longestFold.reduce((a, b) => a + b, 0) / (refits ?? Number.POSITIVE_INFINITY),
      ) * (plan.folds > 1 ? plan.folds / (plan.folds - 1) : 2);
  // Each column shuffled, and all once as they are.
  const passes = 1 + IMPORTANCE_REPEATS * Math.min(plan.columns.length, MOST_SHUFFLED);
  let rowSeconds = 0;
  let bytes = 0;
  let fits = 0;
  for (const trial of likely) {
    // The quickest fold: the others predicted with code that was yet to be compiled, or beside other work.
    const folds = finishedFolds(trial).map((fold) => fold.predictSeconds);
    rowSeconds += (Math.min(...folds) * folds.length) / Math.max(1, scored);
    bytes += total(trial, (fold) => fold.modelBytes);
    fits += folds.length;
  }
  rowSeconds *= models;
  const importance = rowSeconds * Math.min(importanceRows, scored) * passes;
  // Fits are read from the store, and the model's files written to it.
  const packing = bytes / PACKED_BYTES_PER_SECOND;
  const { writing, reading } = context.storePrice ?? USUAL_STORE;
  const storing = secondsOf(reading, fits, bytes) + secondsOf(writing, MODEL_FILES, bytes);
  const saving =
    importance + models * SAFETY * (packing + storing + FIXED_SECONDS.saving * busy + conformal);
  const parts = {
    selecting: pace * (SAFETY * selecting + FIXED_SECONDS.selecting * busy),
    fitting: fitting * SAFETY * models,
    importance,
    rowSeconds,
    saving,
    reporting: reports
      ? DRAWING_SECONDS * busy +
        packing +
        secondsOf(reading, MODEL_FILES, bytes) +
        SAFETY * reportedSeconds(context) +
        explainingSeconds(context)
      : 0,
  };
  return { ...parts, total: parts.selecting + parts.fitting + parts.saving + parts.reporting };
}

/** Of a quiet machine's processor. */
function selectingSeconds({ task, metrics }: RunPlan, rows: number, candidates: number): number {
  const outputs = outputCount(task);
  const ofRows = (cost: "plain" | "ranked"): number =>
    rows * (SELECTION_ROW[cost] + candidates * SELECTION_CANDIDATE[cost]);
  if (RANKED.includes(metrics[0])) return Math.max(1, OUTPUT_SHARE * outputs) * ofRows("ranked");
  if (outputs === 1) return ofRows("plain");
  const { plain, member, calibrated, read } = SELECTION_CELL;
  const most = CALIBRATION_READS;
  const numbers = Math.min(most.numbers, outputs * Math.min(most.rows, rows));
  return (
    ofRows("plain") +
    rows * outputs * (plain + member * Math.min(USUAL_MEMBERS, candidates)) +
    candidates * (rows * outputs * calibrated + numbers * read)
  );
}

/**
 * Seconds to keep of a budget, of an estimate: what it has for its own errors is left out as long as these would not
 * break the budget.
 *
 * @param seconds of the estimate, or of what of it cannot be made shorter
 */
export function keptSeconds(seconds: number, timeBudget: number): number {
  return seconds - Math.min(riskedSeconds(timeBudget), (1 - 1 / SAFETY) * seconds);
}

/** By which a budget may be overrun where the alternative is worse. */
export function riskedSeconds(timeBudget: number): number {
  return RISKED * Math.max(OVERRUN.seconds, OVERRUN.share * timeBudget);
}

/** What the report takes for its scores, whatever time is left. */
export function reportedSeconds({
  plan,
  contention,
  scored = plan.rows,
}: Pick<FinishContext, "plan" | "contention" | "scored">): number {
  const { conformal } = typeOf(plan.task);
  return contention * scored * (conformal === null ? 0 : REPORTED_ROW[conformal]);
}

/** Rows that the folds of a run are scored on, each as often as it is. */
export function scoredRows(folds: readonly { readonly valid: Uint32Array }[]): number {
  return folds.reduce((sum, { valid }) => sum + valid.length, 0);
}

function explainingSeconds({ timeBudget }: FinishContext): number {
  const { share, seconds } = EXPLAINING;
  return timeBudget === undefined ? 0 : Math.min(share * timeBudget, seconds);
}

/** What seconds that no data has a part in are multiplied by. */
function contentionOfFixed({ contention, models, timeBudget }: FinishContext): number {
  if (timeBudget === undefined) return contention;
  const fixed = FIXED_SECONDS.selecting + models * SAFETY * FIXED_SECONDS.saving + DRAWING_SECONDS;
  return Math.min(contention, Math.max(1, (FIXED_SHARE * timeBudget) / fixed));
}

/** The best trials by the first metric: for a blend as many as usual, else a few that may win. */
function likelyMembers(
  finished: readonly TrialState[],
  { plan, ensemble }: FinishContext,
): TrialState[] {
  const metric = plan.metrics[0];
  const loss = (trial: TrialState): number =>
    trial.folds.reduce(
      (sum, fold) =>
        sum + lossOf(metric, fold?.state === "finished" ? (fold.scores[metric] ?? null) : null),
      0,
    );
  return [...finished]
    .map((trial) => ({ trial, loss: loss(trial) }))
    .sort((a, b) => (a.loss < b.loss ? -1 : a.loss > b.loss ? 1 : 0))
    .slice(0, ensemble ? USUAL_MEMBERS : 1)
    .map(({ trial }) => trial);
}

export function isComplete(trial: TrialState): boolean {
  const counts = trial.state !== "dropped" && trial.state !== "refused";
  return counts && trial.folds.every((fold) => fold?.state === "finished");
}

function finishedFolds(trial: TrialState): FinishedFold[] {
  return trial.folds.filter((fold): fold is FinishedFold => fold?.state === "finished");
}

function total(trial: TrialState, of: (fold: FinishedFold) => number): number {
  return finishedFolds(trial).reduce((sum, fold) => sum + of(fold), 0);
}

function longest(trial: TrialState): number {
  return Math.max(0, ...finishedFolds(trial).map((fold) => fold.seconds));
}
