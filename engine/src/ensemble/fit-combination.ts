/**
 * The end of a selection: from the candidates that were chosen and their weights to the parts of one
 * model (calibrations, weights or a stacking layer, decision threshold), fitted on all out-of-fold
 * rows, beside the predictions that the same steps give to rows they were not fitted on. Those are
 * what is scored and reported, and what residuals are taken from.
 */

import type { Metric } from "../metrics/index.ts";
import { hasClasses, type Task, typeOf } from "../tasks/index.ts";
import { blend } from "./blend.ts";
import type { FittedCalibration } from "./calibration/fit-calibration.ts";
import { fitConstantShare } from "./constant-share.ts";
import { lossOf, type Weighing } from "./greedy-weights.ts";
import {
  type CrossFit,
  crossFit,
  type LabelledRows,
  pickPredictions,
  pickRows,
} from "./labelled-rows.ts";
import { noteOfLuck } from "./luck-of-choice.ts";
import { fitMarginPool, pooledMargins } from "./margin-pool.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";
import { fitMedianValues, OF_ABSOLUTE_ERRORS } from "./median-values.ts";
import {
  type FittedSeriesWeights,
  fitSeriesWeights,
  type SeriesWeighing,
} from "./series-weights.ts";
import { fitSharpness } from "./sharpness.ts";
import { shownScore } from "./shown-loss.ts";
import { fitStacking, stack } from "./stacking.ts";
import { crossFitThreshold, DEFAULT_THRESHOLD, labelsAt } from "./threshold.ts";
import { fitWiderValues, type MovedValues } from "./wider-values.ts";

/** Members of a stacking layer at most; the blend's come first, then the best by themselves. */
const MOST_STACKED = 12;
/** Metrics whose best answer is a mean. */
const OF_SQUARES: readonly string[] = ["rmse", "r2"];

export interface CombinationRequest {
  readonly task: Task;
  readonly candidates: readonly FittedCalibration[];
  readonly rows: LabelledRows;
  readonly folds: readonly CrossFit[];
  readonly weighing: Weighing;
  /** What a stacking layer or a threshold must improve. */
  readonly metric: Metric;
  /** Weights of the rows by which candidates were calibrated: those of classes count. Null = all 1. */
  readonly fitWeights: Float64Array | null;
  /**
   * Whether what averaging does is made good: members of a blend are made surer, as far as their average is too
   * doubtful, or classes' margins are averaged where that beats averaging their probabilities; values are made wider, or moved to medians.
   */
  readonly corrections: boolean;
  /** Whether a stacking layer is tried. */
  readonly stacking: boolean;
  /** Whether a share of a constant is tried where the model hardly does better than it. */
  readonly constantShare: boolean;
  /** Whether a threshold is tried where the metric reads the labels of two classes. */
  readonly tuneThreshold: boolean;
}

export interface FittedCombination {
  /** One a candidate. They sum to 1 without a layer. */
  readonly weights: readonly number[];
  /** Of margins that are averaged, or of a stacking layer; null: the weighted average. */
  readonly intercepts: readonly number[] | null;
  /** What members' margins are multiplied by before they are averaged as probabilities (`sharpness.ts`); else 1. */
  readonly sharpness: number;
  /** Of forecasts: one a candidate for each series; null: `weights` serve all of them. */
  readonly bySeries: SeriesWeighing | null;
  /** Of two classes: the probability from which on the second is said; null for other tasks. */
  readonly threshold: number | null;
  /** Final values or probabilities of each row by what was fitted without it, row-major. */
  readonly crossFitted: Float64Array;
  /** Likewise its label as 0 or 1, for two classes; null for other tasks. */
  readonly labels: Float64Array | null;
  /** What was tried and what came of it, for the log. */
  readonly notes: readonly string[];
}

export function fitCombination(request: CombinationRequest): FittedCombination {
  const { task, candidates, rows, folds, weighing, metric } = request;
  const { outputs } = rows;
  const averaged = average(request);
  const notes: string[] = [];
  const ofSeries = weighSeries(request, averaged);
  if (ofSeries) notes.push(ofSeries.note);
  let combined: Omit<FittedCombination, "threshold" | "labels" | "notes"> = {
    weights: weighing.weights,
    intercepts: null,
    sharpness: 1,
    bySeries: ofSeries?.weighing ?? null,
    crossFitted: ofSeries?.crossFitted ?? averaged,
  };
  const luck =
    rows.series &&
    noteOfLuck({
      ...{ rows, folds, metric, blended: combined.crossFitted },
      predictions: candidates.map(({ crossFitted }) => crossFitted),
    });
  if (luck) notes.push(luck);
  const { decision, stacks } = typeOf(task);
  if (request.corrections && stacks) {
    const corrected = hasClasses(task) ? poolOf(request) : moved(request);
    combined = { ...combined, ...corrected.combined };
    if (corrected.note) notes.push(corrected.note);
  }
  const base = combined.crossFitted;
  const stacked = request.stacking && stacks && candidates.length > 1 ? fitLayer(request) : null;
  if (stacked?.weights.every((weight) => weight === 0)) {
    notes.push(
      "No stacking layer is kept: it would leave out every member, as a constant does better than all of them.",
    );
  } else if (stacked) {
    const [before, after] = [base, stacked.crossFitted].map((values) =>
      lossOf(metric, values, rows),
    );
    const beats = after < before;
    if (beats) combined = { ...combined, ...stacked, sharpness: 1 };
    // Each fold's rows are scored by what the other rows choose between the two.
    const crossFitted = crossFit(folds, rows, (known) => {
      const [blended, layered] = [base, stacked.crossFitted].map((values) =>
        lossOf(metric, pickPredictions(values, outputs, known), pickRows(rows, known)),
      );
      const chosen = layered < blended ? stacked.crossFitted : base;
      return (apply) => pickPredictions(chosen, outputs, apply);
    });
    combined = { ...combined, crossFitted };
    notes.push(
      `The stacking layer ${beats ? "is kept: it beats" : "is left out: it does not beat"} the greedy blend on rows that neither was fitted on (${metric.name} ${shownScore(metric, after)} against ${shownScore(metric, before)}).`,
    );
  }
  if (request.stacking && !stacks) {
    notes.push("No stacking layer is tried: for this kind of task, members are averaged.");
  }
  const drawn = request.constantShare ? drawToConstant(request, combined) : null;
  if (drawn) {
    combined = { ...combined, ...drawn.combined };
    notes.push(drawn.note);
  }
  if (combined.sharpness !== 1) notes.push(noteOfSharpness(combined.sharpness));
  if (decision !== "threshold") return { ...combined, threshold: null, labels: null, notes };
  if (!request.tuneThreshold || metric.needs !== "label") {
    const labels = labelsAt(combined.crossFitted, DEFAULT_THRESHOLD);
    return { ...combined, threshold: DEFAULT_THRESHOLD, labels, notes };
  }
  const { threshold, labels } = crossFitThreshold(combined.crossFitted, rows, metric, folds);
  notes.push(
    threshold === DEFAULT_THRESHOLD
      ? `The decision threshold stays at ${DEFAULT_THRESHOLD}: no other one is better for ${metric.name} on rows that it was not tuned on.`
      : `The decision threshold is ${threshold.toPrecision(4)}, tuned for ${metric.name}.`,
  );
  return { ...combined, threshold, labels, notes };
}

/** Of the members, each row by the weights that were chosen without it. */
function average({ candidates, rows, folds, weighing }: CombinationRequest): Float64Array {
  const alone = candidates.find((_, member) =>
    weighing.byFold.every((weights) => weights[member] === 1),
  );
  if (alone) return alone.crossFitted;
  return crossFit(folds, rows, (_, index) => {
    const weights = weighing.byFold[index];
    const members = [...candidates.keys()].filter((member) => weights[member] > 0);
    return (apply) =>
      blend(
        members.map((member) =>
          pickPredictions(candidates[member].crossFitted, rows.outputs, apply),
        ),
        members.map((member) => weights[member]),
      );
  });
}

function weighSeries(
  { candidates, rows, folds, weighing, metric }: CombinationRequest,
  pooled: Float64Array,
): FittedSeriesWeights | null {
  const { series } = rows;
  if (!series) return null;
  const predictions = candidates.map(({ crossFitted }) => crossFitted);
  return fitSeriesWeights({
    ...{ predictions, folds, pooled, metric },
    ...{ rows: { ...rows, series }, weights: weighing.weights, byFold: weighing.byFold },
  });
}

type Combined = Pick<FittedCombination, "weights" | "intercepts" | "sharpness" | "crossFitted">;

function poolOf({ candidates, rows, folds, weighing, fitWeights }: CombinationRequest): {
  readonly combined: Partial<Combined>;
  readonly note: string | null;
} {
  const predictions = candidates.map(({ crossFitted }) => crossFitted);
  const { sharpness, crossFitted: averaged } = fitSharpness({
    ...{ predictions, folds, rows: { ...rows, weights: fitWeights } },
    ...weighing,
  });
  const pool = fitMarginPool({ predictions, rows, folds, byFold: weighing.byFold, averaged });
  const { kept, crossFitted, losses } = pool;
  if (!kept) return { combined: { crossFitted, sharpness }, note: null };
  const [margins, probabilities] = losses.map((loss) => loss.toPrecision(6));
  return {
    combined: { crossFitted, intercepts: new Array<number>(rows.outputs).fill(0) },
    note: `Members' margins are averaged, not their probabilities, which would be too doubtful: on rows that neither was fitted on it is better so (log_loss ${margins} against ${probabilities}).`,
  };
}

function moved({ candidates, rows, folds, weighing, metric }: CombinationRequest): {
  readonly combined: Partial<Combined>;
  readonly note: string | null;
} {
  const { weights } = weighing;
  const predictions = candidates.map(({ crossFitted }) => crossFitted);
  const request = { predictions, rows, folds, ...weighing };
  const combinedBy = ({ slope, intercept, crossFitted }: MovedValues): Partial<Combined> => ({
    ...{ weights: weights.map((weight) => slope * weight), intercepts: [intercept], crossFitted },
  });
  if (OF_ABSOLUTE_ERRORS.includes(metric.name)) {
    const medians = fitMedianValues({ ...request, metric });
    if (medians === null) return { combined: {}, note: null };
    const sign = medians.intercept < 0 ? "-" : "+";
    return {
      combined: combinedBy(medians),
      note: `The blend's values, which are means, are moved to medians, which ${metric.name} asks for: ${medians.slope.toPrecision(4)} × value ${sign} ${Number(Math.abs(medians.intercept).toPrecision(4))} is better on rows that this was not fitted on.`,
    };
  }
  // What is best by other errors is no mean; and a trial alone stays as it is.
  const isAverage = weights.filter((weight) => weight > 0).length > 1;
  const wider = isAverage && OF_SQUARES.includes(metric.name) ? fitWiderValues(request) : null;
  if (wider === null) return { combined: {}, note: null };
  const { slope } = wider;
  const percent = (100 * Math.abs(slope - 1)).toFixed(1);
  const [changed, near] = slope > 1 ? ["larger", "near"] : ["smaller", "far from"];
  return {
    combined: combinedBy(wider),
    note: `Distances of the blend's values from their mean are made ${percent} % ${changed}: averages lie too ${near} it.`,
  };
}

function noteOfSharpness(sharpness: number): string {
  const percent = (100 * Math.abs(sharpness - 1)).toFixed(1);
  const [moved, average] = sharpness > 1 ? ["larger", "doubtful"] : ["smaller", "sure"];
  return `Members' margins are made ${percent} % ${moved}: the average of their probabilities would be too ${average}.`;
}

/** Of a model that hardly does better than a constant. Forecasts have naive methods among their members. */
function drawToConstant(
  { task, candidates, rows, folds, weighing, metric }: CombinationRequest,
  { weights, intercepts, crossFitted }: Combined,
): { readonly combined: Partial<Combined>; readonly note: string } | null {
  if (rows.series) return null;
  const { outputs } = rows;
  const isClass = hasClasses(task);
  const predictions = candidates.map((candidate) => candidate.crossFitted);
  const margins = (): Float64Array =>
    isClass && intercepts === null
      ? pooledMargins({ predictions, rows, folds, byFold: weighing.byFold })
      : isClass
        ? marginsOf(crossFitted, outputs)
        : crossFitted;
  const fitted = fitConstantShare({ task, rows, folds, metric, crossFitted, margins });
  if (fitted === null) return null;
  const { share, margins: constant, note } = fitted;
  if (share === 0) return { combined: { crossFitted: fitted.crossFitted }, note };
  const own = intercepts ?? new Array<number>(outputs).fill(0);
  return {
    combined: {
      weights: weights.map((weight) => (1 - share) * weight),
      intercepts: own.map((each, k) => (1 - share) * each + share * constant[k]),
      sharpness: 1,
      crossFitted: fitted.crossFitted,
    },
    note,
  };
}

function fitLayer({
  task,
  candidates,
  rows,
  folds,
  weighing,
  metric,
}: CombinationRequest): Pick<FittedCombination, "weights" | "intercepts" | "crossFitted"> {
  const { outputs } = rows;
  const isClass = hasClasses(task);
  const single = candidates.map(({ crossFitted }) => lossOf(metric, crossFitted, rows));
  const members = [...candidates.keys()]
    .filter((member) => weighing.weights[member] > 0 || Number.isFinite(single[member]))
    .sort((a, b) => weighing.weights[b] - weighing.weights[a] || single[a] - single[b] || a - b)
    .slice(0, MOST_STACKED)
    .sort((a, b) => a - b);
  const margins = members.map((member) =>
    isClass ? marginsOf(candidates[member].crossFitted, outputs) : candidates[member].crossFitted,
  );
  const fit = (known: Uint32Array | null, weights: readonly number[]) =>
    fitStacking({
      margins: known ? margins.map((each) => pickPredictions(each, outputs, known)) : margins,
      rows: known ? pickRows(rows, known) : rows,
      isClass,
      prior: members.map((member) => weights[member]),
    });
  const crossFitted = crossFit(folds, rows, (known, index) => {
    const layer = fit(known, weighing.byFold[index]);
    return (apply) => {
      const stacked = stack(
        layer,
        margins.map((each) => pickPredictions(each, outputs, apply)),
      );
      return isClass ? probabilitiesOf(stacked, outputs) : stacked;
    };
  });
  const { weights: layerWeights, intercepts } = fit(null, weighing.weights);
  const weights = candidates.map((_, member) => {
    const at = members.indexOf(member);
    return at < 0 ? 0 : layerWeights[at];
  });
  return { weights, intercepts, crossFitted };
}
