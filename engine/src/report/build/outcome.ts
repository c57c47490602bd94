/** What the first model's out-of-fold predictions were worth, row by row. */

import { DEFAULT_THRESHOLD } from "../../ensemble/threshold.ts";
import { binaryScores } from "../../metrics/one-vs-rest.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import type { OutcomeSection } from "../../tasks/task-type.ts";
import type { RunReport } from "../document.ts";
import { confusion } from "../figures/confusion.ts";
import { gains } from "../figures/gains.ts";
import { quantileCalibration } from "../figures/quantile-calibration.ts";
import { reliability } from "../figures/reliability.ts";
import { residualGroups } from "../figures/residual-groups.ts";
import { residuals } from "../figures/residuals.ts";
import { scoreCuts } from "../figures/score-cuts.ts";
import { thresholdCurves } from "../figures/threshold-curves.ts";
import { thresholdTable } from "../figures/threshold-table.ts";
import { type ForecastSources, forecastsSection } from "./forecasts.ts";
import { sequencesSection } from "./sequences.ts";

/** Predictions and what was true. */
export interface PredictedRows {
  readonly task: Task;
  /** Row-major, rows × outputs. */
  readonly predictions: Float64Array;
  /** The value, or the index of the class. */
  readonly target: Float64Array;
  readonly weights: Float64Array | null;
  /** Of the second class, where there are two. */
  readonly threshold: number;
  /** Where there are two: the class of each row, by a threshold tuned without it where one was tuned; null, absent: by `threshold`. */
  readonly labels?: Float64Array | null;
}

export type OutcomeRows = PredictedRows & ForecastSources;

/** Curves of more classes cannot be told apart; the most frequent ones are drawn. */
const CURVED_CLASSES = 6;

export type Outcome = Pick<
  RunReport,
  | "reliability"
  | "confusion"
  | "thresholdCurves"
  | "gains"
  | "thresholds"
  | "residuals"
  | "quantiles"
  | "forecasts"
  | "sequences"
>;

type OfRun = "forecasts" | "sequences";

/** Of which the rows and their predictions are enough. */
const SECTIONS: Readonly<Record<Exclude<OutcomeSection, OfRun>, (rows: PredictedRows) => Outcome>> =
  {
    residuals: residualSection,
    quantiles: quantileSection,
    confusion: confusionSection,
    threshold_curves: curveSections,
    reliability: reliabilitySection,
  };

/** Which look into the run, too. */
const RUN_SECTIONS: Readonly<Record<OfRun, (rows: OutcomeRows) => Outcome>> = {
  forecasts: (rows) => {
    const forecasts = forecastsSection(rows);
    return forecasts ? { forecasts } : {};
  },
  sequences: (rows) => {
    const sequences = sequencesSection(rows);
    return sequences ? { sequences } : {};
  },
};

const isOfRun = (section: OutcomeSection): section is OfRun => section in RUN_SECTIONS;

export function outcomeSections(rows: OutcomeRows): Outcome {
  const outcome = predictionSections(rows);
  if (rows.target.length === 0) return outcome;
  for (const section of typeOf(rows.task).sections) {
    if (isOfRun(section)) Object.assign(outcome, RUN_SECTIONS[section](rows));
  }
  return outcome;
}

/** Of rows that were predicted outside of a run. */
export function predictionSections(rows: PredictedRows): Outcome {
  const outcome: Outcome = {};
  if (rows.target.length === 0) return outcome;
  for (const section of typeOf(rows.task).sections) {
    if (!isOfRun(section)) Object.assign(outcome, SECTIONS[section](rows));
  }
  return outcome;
}

/** Of the output that stands for all. */
function residualSection({ task, target, predictions }: PredictedRows): Outcome {
  const outputs = outputCount(task);
  const central = typeOf(task).central(task) ?? 0;
  const values =
    outputs === 1 ? predictions : target.map((_, row) => predictions[row * outputs + central]);
  const { sample, quantiles, ...figures } = residuals(target, values);
  return {
    residuals: {
      ...figures,
      histogram: {
        edges: [...figures.histogram.edges],
        counts: [...figures.histogram.counts],
      },
      sample: sample.map(([actual, predicted]) => [actual, predicted]),
      quantiles: [...quantiles],
      groups: residualGroups(target, values),
    },
  };
}

function quantileSection({ task, target, predictions, weights }: PredictedRows): Outcome {
  const outputs = outputCount(task);
  const rows = { target, predictions, outputs, weights };
  const { levels, ...figures } = quantileCalibration(rows, task.quantiles ?? []);
  return { quantiles: { ...figures, levels: [...levels] } };
}

function decidesByThreshold(task: Task): boolean {
  return typeOf(task).decision === "threshold";
}

/** The class that each row's prediction says. */
function saidClasses(rows: PredictedRows): Uint32Array {
  const { task, predictions, target, threshold, labels } = rows;
  const outputs = outputCount(task);
  if (labels) return Uint32Array.from(labels);
  return Uint32Array.from(target, (_, row) => {
    if (outputs === 1) return predictions[row] >= threshold ? 1 : 0;
    let best = 0;
    for (let k = 1; k < outputs; k++) {
      if (predictions[row * outputs + k] > predictions[row * outputs + best]) best = k;
    }
    return best;
  });
}

/** Whether a threshold was tuned, of all rows or, where it stayed for these, of some folds. */
function isTunedWithoutRow(rows: PredictedRows, said: Uint32Array): boolean {
  if (rows.labels == null) return false;
  if (rows.threshold !== DEFAULT_THRESHOLD) return true;
  const byDefault = saidClasses({ ...rows, labels: null });
  return said.some((place, row) => place !== byDefault[row]);
}

function confusionSection(rows: PredictedRows): Outcome {
  const { task, target, threshold, weights } = rows;
  const said = saidClasses(rows);
  const { labels, cells, accuracy, classes } = confusion(task.classes, target, said);
  return {
    confusion: {
      labels: [...labels],
      cells: [...cells],
      accuracy,
      classes: [...classes],
      ...(decidesByThreshold(task)
        ? { threshold, ...(isTunedWithoutRow(rows, said) ? { tunedWithoutRow: true } : {}) }
        : {}),
      ...(weights ? { unweighted: true } : {}),
    },
  };
}

function curveSections(rows: PredictedRows): Outcome {
  const { task, target, predictions, weights } = rows;
  const outputs = outputCount(task);
  const drawn = decidesByThreshold(task) ? [1] : mostFrequent(task, target);
  const sections = drawn.flatMap((k) => {
    const curves = thresholdCurves(binaryScores({ target, predictions, outputs, weights }, k));
    if (!curves) return [];
    const { roc, precisionRecall, ...areas } = curves;
    return [
      {
        of: task.classes[k],
        roc: roc.map(([x, y]): [number, number] => [x, y]),
        precisionRecall: precisionRecall.map(([x, y]): [number, number] => [x, y]),
        ...areas,
      },
    ];
  });
  if (sections.length === 0) return {};
  return { thresholdCurves: sections, ...(decidesByThreshold(task) ? decisionSections(rows) : {}) };
}

/** Of two classes: what becomes of the rows by the second one's probability. */
function decisionSections({ task, target, predictions, weights, threshold }: PredictedRows) {
  const binary = binaryScores({ target, predictions, outputs: 1, weights }, 1);
  const cuts = scoreCuts(binary);
  if (!cuts) return {};
  const facts = { of: task.classes[1], rows: target.length };
  const { groups, curve, prevalence } = gains(cuts);
  const { thresholds, best, costs } = thresholdTable(binary, cuts, threshold);
  return {
    gains: {
      ...facts,
      prevalence,
      groups: [...groups],
      curve: curve.map(([x, y]): [number, number] => [x, y]),
    },
    thresholds: {
      ...facts,
      own: threshold,
      thresholds: [...thresholds],
      best: [...best],
      costs: [...costs],
    },
  };
}

function mostFrequent(task: Task, target: Float64Array): number[] {
  const counts = new Float64Array(task.classes.length);
  for (const k of target) counts[k]++;
  return [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, CURVED_CLASSES);
}

/** Of two classes the second's probability; of more, that of the class the model says. */
function reliabilitySection(rows: PredictedRows): Outcome {
  const { task, target, predictions, weights } = rows;
  const outputs = outputCount(task);
  let probabilities = predictions;
  let outcomes = Uint8Array.from(target);
  if (outputs > 1) {
    const said = saidClasses(rows);
    probabilities = Float64Array.from(said, (k, row) => predictions[row * outputs + k]);
    outcomes = Uint8Array.from(said, (k, row) => (target[row] === k ? 1 : 0));
  }
  const { bins, calibrationError } = reliability(probabilities, outcomes, weights);
  if (bins.length < 2) return {};
  return {
    reliability: {
      of: decidesByThreshold(task) ? task.classes[1] : null,
      bins: [...bins],
      calibrationError,
    },
  };
}
