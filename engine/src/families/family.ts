/**
 * What a model family is. The trainer, the search and the model directory know only this;
 * nothing outside `families/` names a family.
 */

import type { ArenaHandle } from "../compute/arena.ts";
import type { CrewDesk } from "../compute/crew-desk.ts";
import type { NetworkWork } from "../compute/gpu/device-settings.ts";
import type { Lane } from "../compute/gpu/lane.ts";
import type { RandomKey } from "../compute/random.ts";
import type { EncodedData, Feature, FeatureBins } from "../data/encoded.ts";
import type { Frame } from "../data/frame.ts";
import type { Parameters, SearchSpace } from "../search/space.ts";
import type { Task } from "../tasks/index.ts";
import type { Link, Loss } from "../tasks/task-type.ts";
import type { FitLimits } from "./fit-limits.ts";
import type { MemberFormula } from "./formula.ts";
import type { LearningCurve } from "./learning-curve.ts";
import type { ShapeFunction } from "./shape-function.ts";

/** The facts about the data that a default space or default parameters may depend on. */
export interface DataShape {
  readonly rows: number;
  /** The model is a student, which is to predict fast; absent = no. */
  readonly student?: boolean;
  readonly task: Task;
  /** Trials are chosen by a metric of values that is least at medians. Absent: they are not. */
  readonly seeksMedians?: boolean;
  readonly features: readonly Feature[];
  readonly series?: SeriesShape;
  readonly sequences?: SequencesShape;
}

/** Of the mean sequence. */
export interface SequencesShape {
  readonly channels: number;
  readonly steps: number;
  /** Whether lengths differ by more than a little. Absent: they do not. */
  readonly isUnequal?: boolean;
}

/** Columns of series: known in advance, of the past alone, or of one value a series. */
export type StepColumnKind = "known" | "past" | "static";

/** Of forecasts. */
export interface SeriesShape {
  readonly count: number;
  /** Of the median series. */
  readonly steps: number;
  /** What the earliest fold learns from: steps of the longest series, and how many have one before them. Absent: nobody looked. */
  readonly earliest?: { readonly longest: number; readonly withPast: number };
  readonly horizon: number;
  /** Steps of a season, ascending. */
  readonly seasons: readonly number[];
  /** Steps of a year, which is no whole number of them, where series are long enough to show it. Absent: none. */
  readonly year?: number;
  /** Whether steps are months or longer. Absent: they are not. */
  readonly isLong?: boolean;
  /** Of all known values, the share that is 0. */
  readonly zeros: number;
  /** Columns that are known in advance; absent: none. */
  readonly known?: number;
  /** Columns that are known of the past alone; absent: none. */
  readonly past?: number;
}

export interface FitContext {
  readonly task: Task;
  readonly data: EncodedData;
  /** f64, one a row of `data`: the value, or the index of the class. */
  readonly target: Float64Array;
  /**
   * Labels by degrees, of a student: row-major, rows of `data` × outputs (see `outputCount`), the
   * probability of the second class or one a class. Where it is not null, training rows and rows
   * for early stopping are read from here and not from `target`. Null for regression.
   */
  readonly softTarget: Float64Array | null;
  /** Non-negative, one a row of `data`; null = all 1. */
  readonly weights: Float64Array | null;
  /** Ascending rows to learn from. */
  readonly trainRows: Uint32Array;
  /** Ascending rows for early stopping; null when refitting on everything. */
  readonly validRows: Uint32Array | null;
  readonly key: RandomKey;
  /** +1 / -1 for features whose effect must not fall / rise, by feature name. */
  readonly monotone: Readonly<Record<string, 1 | -1>>;
  /** Of this fit alone: asked before each iteration. Absent: the fit ends by its own rules. */
  readonly limits?: FitLimits;
  /** Of this fit alone: where threads that would help meet it. Absent: there are none. */
  readonly crew?: CrewDesk;
  /**
   * Of this fit alone: the way to a device that takes part in it. Absent: the CPU does all. Trees are the same; of a
   * network that it trained the facts name it.
   */
  readonly device?: Lane;
  /** Of this fit alone: the package of TensorFlow.js that trains its network. Absent: none does. */
  readonly tensorflow?: string;
}

/** Rows and features that a fit learns from. */
export interface NetworkData {
  readonly rows: number;
  readonly features: readonly Feature[];
}

/** Named arrays, written one file each into a model's directory. */
export type TensorArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

export interface SavedModel {
  /** JSON-serialisable; must hold all that `tensors` does not. */
  readonly header: unknown;
  readonly tensors: Readonly<Record<string, TensorArray>>;
}

/**
 * Where contributions add up to the prediction: by the task's link, or in `identity` also where
 * probabilities are averages (forests).
 */
export type MarginSpace = Link;

export interface Explanation {
  readonly space: MarginSpace;
  /** One a margin output. */
  readonly baseValues: Float64Array;
  /** Row-major, rows × features × outputs. base + Σ features = margin, to 1e-6. */
  readonly contributions: Float64Array;
  /** Row-major, rows × outputs. */
  readonly margins: Float64Array;
}

export interface FittedModel {
  /** Row-major rows × outputs: values or probabilities (see `outputCount`). `rows` null = all. */
  predict(data: EncodedData, rows: Uint32Array | null): Float64Array;
  /**
   * Of a fit that its validation rows had a say in (when to stop): their predictions, each by what
   * the fit would be without that row's say. Row-major, in the order of `validRows`. Absent: they had
   * none, and `predict` is as honest. Never saved with the model.
   */
  predictHeldOut?(): Float64Array;
  explain(data: EncodedData, rows: Uint32Array | null): Explanation;
  /**
   * What `predict` computes, for forms of other programs; absent where none of them could say it.
   *
   * @param features of the data that it reads
   */
  formula?(features: readonly Feature[]): MemberFormula;
  /** The functions whose sum its margins are, beside a constant; absent where they are no such sum. */
  shapes?(): readonly ShapeFunction[];
  /** One non-negative number a feature, summing to 1 (or all 0): how much the fit relied on it. */
  importance(): Float64Array;
  /** Short facts of the fit for the card, e.g. `{best_iteration: 412}`. JSON numbers and strings. */
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of forecasts: whether it reads columns that are known of the past alone. Absent: it does not. */
  readonly readsPast?: boolean;
  /** Of forecasts: whether it reads columns that are known in advance of the past too. Absent: of steps to come alone. */
  readonly readsKnownPast?: boolean;
  /** Of a family that reads bins: whether `predict` and `explain` read values as well. Absent: they do not. */
  readonly readsValues?: boolean;
  /** Of a fit that went by iterations and had validation rows; never saved with the model. */
  readonly curve?: LearningCurve | null;
  save(): SavedModel;
}

export interface LoadContext {
  readonly task: Task;
  readonly features: readonly Feature[];
  /** Null when the family reads values. */
  readonly bins: readonly FeatureBins[] | null;
  /**
   * Where what `predict` reads may be kept for as long as the model lives, so that calls on data of this
   * arena pay for their rows alone; absent: nowhere. Results are the same, bit for bit.
   */
  readonly arena?: ArenaHandle;
}

/** Of a family that reads bins. */
export function placeOf({
  arena,
  bins,
}: LoadContext): { readonly arena: ArenaHandle; readonly bins: readonly FeatureBins[] } | null {
  return arena && bins ? { arena, bins } : null;
}

export type FrameKind = Frame["kind"];

/** What reading its models back needs of a family, apart from what fits them: a predictor has this alone. */
export interface FamilyLoader {
  readonly id: string;
  /**
   * What it reads, in `fit` and in `predict`: a form of the features of rows that stand by themselves,
   * or the frame of its kind with the values of the features.
   */
  readonly reads: "bins" | "values" | FrameKind;
  load(saved: SavedModel, context: LoadContext): FittedModel;
}

export interface Family extends FamilyLoader {
  readonly title: string;
  /** What it can minimise, and thereby the tasks that it serves. */
  readonly losses: readonly Loss[];
  /** Whether `fit` keeps monotone constraints; runs that have some leave other families out. */
  readonly keepsMonotone: boolean;
  /** Of forecasts: which columns beside the series' own past it can read. Absent: none. */
  readonly readsOfSteps?: readonly StepColumnKind[];
  /** Whether a prediction costs little beside an ensemble's; only such families are default students. */
  readonly predictsFast: boolean;
  /** Whether it is a naive method, which repeats what was seen: a blend of few forecasts believes in it only where it is the best. */
  readonly isNaive?: true;
  /**
   * Whether `fit` on so many rows has work for threads that help it (`FitContext.crew`). Absent: it never
   * has.
   */
  sharesWork?(rows: number, features: number): boolean;
  /**
   * Of a family that reads bins: whether fits by such parameters read values as well. Absent: none do.
   *
   * @param given what is searched, what is fixed, and the first trials
   */
  readsValuesBeside?(given: {
    readonly space: SearchSpace;
    readonly fixed: Parameters;
    readonly portfolio: readonly Parameters[];
  }): boolean;
  /** Whether a device can take part in a fit's trees (`FitContext.device`). Absent: it cannot. */
  readonly growsOnDevice?: boolean;
  /** Multiplications of a fit that a device can train (`FitContext.device`). Absent: it has no network. */
  networkWork?(data: NetworkData, parameters: Parameters): NetworkWork;
  /**
   * Roughly, the processor time of a fit by its defaults: in which order a search under a budget begins, and what
   * could never end in it. Absent: nobody knows.
   */
  fitSeconds?(shape: DataShape): number;
  /**
   * Roughly, the processor time of a round of boosting by its defaults, whose `learning_rate` may be raised where a
   * budget has time for few. Absent: it has no such rounds.
   */
  roundSeconds?(shape: DataShape): number;
  /** Whether a default family set includes it for data of this shape; a reason in either case. */
  suits(shape: DataShape): { readonly use: boolean; readonly reason: string };
  searchSpace(shape: DataShape): SearchSpace;
  /** A strong first trial: every parameter of the space, and the fixed ones. */
  defaults(shape: DataShape): Parameters;
  /**
   * Strong configurations, unlike each other, that a search tries first; the defaults lead. Every
   * parameter each, as in `defaults`.
   */
  portfolio(shape: DataShape): readonly Parameters[];
  /** Every parameter `fit` understands with its legal range; what a request may search or fix. */
  parameters(): SearchSpace;
  fit(context: FitContext, parameters: Parameters): FittedModel;
  /** Parameters for a fit without validation rows, given what the folds' fits reported. */
  refitParameters(parameters: Parameters, foldFacts: readonly FittedModel["facts"][]): Parameters;
}
