/**
 * The log of a run. Each event is written as it happens; folding them gives the run's state, so a
 * run that was killed anywhere goes on from where it was. Events are plain JSON.
 */

import type { ColumnSchema } from "../../data/table.ts";
import type { StudentSpeed } from "../../distill/fidelity.ts";
import type { Calibration, CombinationLayer } from "../../ensemble/index.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { Task } from "../../tasks/index.ts";

/** How far a fit came that was ended from without. */
export interface FitCut {
  readonly iterations?: number;
  /** Training rows that it was held to. */
  readonly rows?: number;
}

export interface MatrixRow {
  readonly family: string;
  /** Why this family is in the run. */
  readonly reason: string;
  readonly space: SearchSpace;
  readonly fixed: Parameters;
  /** The parameters of the row's first trials: points of `space`, the family's defaults leading. */
  readonly portfolio: readonly Parameters[];
  /** Of a fit by the family's defaults, of a machine that does nothing else; absent: nobody knows. */
  readonly fitSeconds?: number;
  /** Of a round of boosting by the family's defaults, likewise; absent: it has none. */
  readonly roundSeconds?: number;
  /** Of a family whose own space has few points: how many, each of which is tried once at most. */
  readonly points?: number;
}

/** Raised when events change their shape or meaning: an open log of a former one is begun anew. */
export const LOG_VERSION = 4;

/** All decisions made before the first trial. */
export interface RunPlan {
  readonly logVersion: number;
  readonly task: Task;
  readonly rows: number;
  readonly columns: readonly ColumnSchema[];
  readonly features: number;
  readonly matrix: readonly MatrixRow[];
  /** Families considered for a default set and left out, with the reason. */
  readonly leftOut: readonly { readonly family: string; readonly reason: string }[];
  readonly metrics: readonly string[];
  readonly folds: number;
  readonly splitter: string;
  readonly trials: number;
  /** Of a row whose space has as many points, where others have fewer; absent: all have equally many. */
  readonly trialsPerRow?: number;
  readonly trialsPerStep: number;
  readonly steps: number;
  readonly warnings: readonly string[];
  /** Where several metrics are weighed against each other. */
  readonly sweep?: SweepPlan;
  /** Of a student's run. */
  readonly teaching?: TeachingPlan;
  /** As many trials as there is time for: `trials` is only what they can never exceed. */
  readonly isOpen?: boolean;
  /** Rows that there were, where the time budget was short for all of them. */
  readonly sampledFrom?: number;
  /** Seconds for the whole run, where it has a budget. */
  readonly timeBudgetS?: number;
}

/** A sweep over weights of the metrics. */
export interface SweepPlan {
  /** Of each edge of the simplex of weights. */
  readonly divisions: number;
  /** The number of weights. */
  readonly weights: number;
}

export interface TeachingPlan {
  readonly teacher: string;
  /** Rows made by perturbing those of the data, which the teacher labelled as well. */
  readonly augmentedRows: number;
  /** Of all that the teacher answered: another answer is another run. */
  readonly sha256: string;
}

export interface AskedTrial {
  readonly trial: number;
  /** Index into the plan's matrix. */
  readonly row: number;
  readonly parameters: Parameters;
  /** The trial whose parameters it has, to be fitted again with other random numbers. */
  readonly repeats?: number;
  /** The learning rate that was drawn, where the trial has a higher one for want of time. */
  readonly raisedFrom?: number;
}

/** By metric; null where the metric is undefined for the rows (JSON has no NaN). */
export type Scores = Readonly<Record<string, number | null>>;
export type Facts = Readonly<Record<string, number | string>>;

export interface Member {
  readonly trial: number;
  readonly weight: number;
  /** What its probabilities go through before they are weighed; null: nothing. */
  readonly calibration: Calibration | null;
}

/** One model of the run, chosen among the finished trials. */
export interface Selection {
  readonly kind: "ensemble" | "winner";
  /** What the metrics weigh for it, by the plan's order; sums to 1. [1, 0, …] without a sweep. */
  readonly metricWeights: readonly number[];
  /** Other weights of a sweep that led to this very model. */
  readonly alsoFor: readonly (readonly number[])[];
  /** Trials of the model with their weights, heaviest first. */
  readonly members: readonly Member[];
  /**
   * Of forecasts whose members have weights for each series (beside the predictions in the selection's
   * artifact): what tells them from others of these members. Absent: members' weights serve all series.
   */
  readonly seriesPower?: number;
  /** Of margins that are averaged, or weighed by a stacking layer; null: members are averaged as they are. */
  readonly layer: CombinationLayer | null;
  /** Of two classes: the probability from which on the second is said; null for other tasks. */
  readonly threshold: number | null;
  /**
   * Of the model, over all out-of-fold (or holdout) rows, each by calibrations, weights and a
   * threshold that were fitted without it.
   */
  readonly scores: Scores;
  /**
   * The same predictions scored fold by fold, the mean over the folds; null where a fold's is
   * undefined. Absent of a holdout, and in logs of before it was written.
   */
  readonly meanFoldScores?: Scores;
  /**
   * Loss after each step of the greedy selection: log-loss where the first metric reads labels, else
   * that metric. Empty for a winner.
   */
  readonly path: readonly { readonly trial: number; readonly loss: number }[];
  /** What was tried of layers and thresholds, and what came of it. */
  readonly notes: readonly string[];
}

/** What a sweep found. Points are scores by the order of `metrics`. */
export interface ParetoSummary {
  readonly metrics: readonly string[];
  /** How many weights were tried. */
  readonly weights: number;
  /** The best of each metric among the models. */
  readonly ideal: readonly number[];
  /** The worst of each metric among the models that no other dominates. */
  readonly nadir: readonly number[];
  /** A tenth of that range beyond the nadir: where the hypervolume is measured from. */
  readonly reference: readonly number[];
  /** Share of the box between `ideal` and `reference` that the models dominate, 0 to 1. */
  readonly hypervolume: number;
  /** Models that weights led to and that another dominates or equals; they were left out. */
  readonly dominated: number;
  /** Models of the front that were left out to bound their number. */
  readonly bounded: number;
  /** For the people who read the run's warnings. */
  readonly notes: readonly string[];
}

/** A file of a model's directory. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A model that the run has stored. */
export interface SavedModel {
  readonly files: readonly ModelFile[];
}

export type RunEventBody =
  /** Starts the run, or starts it anew where the log cannot be gone on from; `anew` says why. */
  | { readonly type: "planned"; readonly plan: RunPlan; readonly anew?: string }
  | { readonly type: "step_asked"; readonly step: number; readonly trials: readonly AskedTrial[] }
  | {
      readonly type: "fold_finished";
      readonly trial: number;
      readonly fold: number;
      readonly scores: Scores;
      readonly facts: Facts;
      /** Of the whole fit, its predictions and their scoring included. */
      readonly seconds: number;
      /** Of it, for predicting and for scoring the fold's validation rows. */
      readonly predictSeconds?: number;
      readonly scoreSeconds?: number;
      /** What the fit held at most: its scratch, its model and its predictions. */
      readonly bytes?: number;
      /** Of the packed model. */
      readonly modelBytes?: number;
      /** How far the fit came, where the time budget ended it or held it to fewer rows. */
      readonly cut?: FitCut | null;
      /** Rounds, trees or solver steps; absent in logs of before it was written. */
      readonly iterations?: number;
    }
  | {
      readonly type: "fold_failed";
      readonly trial: number;
      readonly fold: number;
      readonly reason: string;
    }
  | { readonly type: "trial_finished"; readonly trial: number; readonly scores: Scores }
  | { readonly type: "trial_failed"; readonly trial: number; readonly reason: string }
  /**
   * It cannot win: `folds` of its folds were run. `expected` are the scores over all folds that
   * they let expect, for the search to learn from.
   */
  | {
      readonly type: "trial_pruned";
      readonly trial: number;
      readonly reason: string;
      readonly folds: number;
      readonly expected: Scores;
    }
  /** It fits neither the time nor the memory that is left, and was not begun. */
  | { readonly type: "trial_refused"; readonly trial: number; readonly reason: string }
  /**
   * The search ends before its plan does: `trials` are finished, those numbered `allowed` and
   * above are dropped, whatever their state.
   */
  | {
      readonly type: "search_stopped";
      readonly reason: string;
      readonly trials: number;
      readonly allowed?: number;
    }
  /** One for a plain run. The first is the best on the first metric. */
  | {
      readonly type: "selected";
      readonly selections: readonly Selection[];
      /** Of a sweep. */
      readonly pareto?: ParetoSummary;
    }
  /** `model` is the index of the selection. */
  | {
      readonly type: "fitted";
      readonly model: number;
      readonly facts: Facts;
      readonly seconds: number;
      /** How far a winner's fit on all rows came, where the time budget ended it. */
      readonly cut?: FitCut | null;
      /** Of a blend whose members are fitted on all rows, in their order. */
      readonly members?: readonly MemberRefit[];
      /** There was no time to fit them, so that the fits of their folds are kept. */
      readonly foldsKept?: boolean;
    }
  /** By the order of the selections. */
  /** Of a student, beside its teacher. */
  | { readonly type: "student_measured"; readonly model: number; readonly speed: StudentSpeed }
  /**
   * By the first fits that are large enough: which device takes part, or why none does, in words. With the trial whose
   * fit it is; absent of selected models, and from logs of before it was kept.
   */
  | { readonly type: "device_settled"; readonly sentence: string; readonly trial?: number }
  /** Which device did what, and why, in words; where one was asked or looked for. */
  | { readonly type: "device_reported"; readonly report: string }
  | { readonly type: "done"; readonly models: readonly SavedModel[] };

/** A member's fit on all rows. */
export interface MemberRefit {
  readonly facts: Facts;
  readonly cut: FitCut | null;
}

/** One line of a run's log. */
export type RunEvent = RunEventBody & {
  readonly at: string;
  /** Seconds of work since the run began, preparing included and times without a process not. */
  readonly elapsed?: number;
};
