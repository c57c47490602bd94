/**
 * What calibration, a stacking layer and a tuned threshold bring on rows that nothing learned from:
 * one search a data set and seed, whose trials are combined in each way.
 */

import {
  Combiner,
  DEFAULT_THRESHOLD,
  type FittedCalibration,
  fitCalibration,
  fitCombination,
  labelsAt,
  sharpened,
  weighGreedily,
  weighingMetric,
} from "../../../engine/src/ensemble/index.ts";
import { metricByName } from "../../../engine/src/tasks/fitting-metrics.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { listDatasets } from "../bench-data.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { poolOfTrials, type TrialPool } from "./trial-pool.ts";

export interface EnsemblesOptions {
  readonly folder: string;
  /** Data sets to take; empty = those of `DATASETS`. */
  readonly only: readonly string[];
  readonly seeds: number;
  /** To learn from, at most. */
  readonly rows: number;
  /** Trials a family. */
  readonly trials: number;
  readonly print: (text: string) => void;
}

const DATASETS = [
  "adult",
  "breast_cancer_wdbc",
  "credit_g",
  "electricity_nsw",
  "htru2_pulsar",
  "telco_churn",
  "titanic",
  "lgbm_binary_higgs",
  "car_evaluation",
  "covertype_93k",
  "glass",
  "vowel",
];

const THRESHOLD_METRICS = ["f1", "balanced_accuracy", "mcc", "accuracy"];

export async function benchEnsembles(options: EnsemblesOptions): Promise<void> {
  const { folder, only, seeds, rows, trials, print } = options;
  const wanted = only.length > 0 ? only : DATASETS;
  const datasets = listDatasets(folder).filter(
    ({ name, task }) => wanted.includes(name) && task !== "regression",
  );
  const combined: string[][] = [];
  const thresholds: string[][] = [];
  const pool = createPool();
  try {
    for (const { name, task } of datasets) {
      for (let seed = 0; seed < seeds; seed++) {
        const trialsOf = await poolOfTrials({ folder, name, rows, trials, seed, pool });
        const candidates = [
          trialsOf.trials.map(({ outOfFold }) => ({ calibration: null, crossFitted: outOfFold })),
          trialsOf.trials.map(({ outOfFold }) =>
            fitCalibration(outOfFold, trialsOf.learned, trialsOf.folds),
          ),
        ];
        combined.push([name, ...combinedRow(trialsOf, candidates)]);
        print(`${combined.at(-1)?.join("  ")}\n`);
        if (task === "binclass") thresholds.push([name, ...thresholdRow(trialsOf, candidates[1])]);
      }
    }
  } finally {
    await pool.close();
  }
  print(
    `\nHeld-out log-loss and calibration error of blends of ${trials} trials a family, at most ${rows} rows:\nplain; with calibrated members; with a layer tried as well, and whether it was kept\n`,
  );
  const header = ["", "loss", "calibrated", "layer", "kept", "error", "calibrated", "layer"];
  print(`${textTable(header, combined)}\n`);
  print("\nHeld-out metrics of labels, at one half and at the tuned threshold\n");
  const pairs = THRESHOLD_METRICS.flatMap((metric) => [metric, "tuned", "at"]);
  print(`${textTable(["", ...pairs], thresholds)}\n`);
}

type Candidates = readonly FittedCalibration[];

function combinedRow(pool: TrialPool, [plain, calibrated]: readonly Candidates[]): string[] {
  const metric = metricByName("log_loss");
  const ways = [
    fitted(pool, plain, "log_loss", false),
    fitted(pool, calibrated, "log_loss", false),
    fitted(pool, calibrated, "log_loss", true),
  ];
  const said = ways.map((way, index) => heldOut(pool, index === 0 ? plain : calibrated, way));
  const losses = said.map((predictions) => metric.score({ ...pool.heldOut, predictions }));
  const errors = said.map((predictions) => expectedCalibrationError(pool, predictions));
  return [
    ...losses.map((loss) => shortNumber(loss)),
    ways[2].intercepts ? "yes" : "no",
    ...errors.map((error) => shortNumber(error, 3)),
  ];
}

function thresholdRow(pool: TrialPool, calibrated: Candidates): string[] {
  return THRESHOLD_METRICS.flatMap((name) => {
    const metric = metricByName(name);
    const way = fitted(pool, calibrated, name, false);
    const said = heldOut(pool, calibrated, way);
    const threshold = way.threshold ?? DEFAULT_THRESHOLD;
    const score = (at: number): string =>
      shortNumber(metric.score({ ...pool.heldOut, predictions: labelsAt(said, at) }));
    return [score(DEFAULT_THRESHOLD), score(threshold), shortNumber(threshold, 3)];
  });
}

function fitted(pool: TrialPool, candidates: Candidates, name: string, stacking: boolean) {
  const { task, learned, folds } = pool;
  const metric = metricByName(name);
  const weighing = weighGreedily(candidates, learned, folds, weighingMetric(metric), {
    families: [],
    familyShares: null,
  });
  const request = { task, candidates, rows: learned, folds, weighing, metric };
  return fitCombination({
    ...request,
    fitWeights: null,
    corrections: true,
    stacking,
    constantShare: false,
    tuneThreshold: true,
  });
}

/** What the model of these parts says of the held-out rows. */
function heldOut(
  pool: TrialPool,
  candidates: Candidates,
  { weights, intercepts, sharpness }: ReturnType<typeof fitted>,
): Float64Array {
  const rows = pool.heldOut.target.length;
  const combiner = new Combiner(pool.task, intercepts && { intercepts }, rows);
  for (const [member, { heldOut: fits }] of pool.trials.entries()) {
    if (weights[member] === 0) continue;
    const calibration = sharpened(candidates[member].calibration, sharpness, pool.heldOut.outputs);
    for (const fit of fits) combiner.add(weights[member] / fits.length, calibration, fit);
  }
  return combiner.result();
}

/** Of the class that is said: weighted mean distance of confidence and accuracy in 15 bins. */
function expectedCalibrationError(pool: TrialPool, predictions: Float64Array): number {
  const { target, weights, outputs } = pool.heldOut;
  const bins = Array.from({ length: 15 }, () => ({ weight: 0, sure: 0, right: 0 }));
  let total = 0;
  for (let i = 0; i < target.length; i++) {
    const p = outputs === 1 ? [1 - predictions[i], predictions[i]] : rowOf(i);
    const said = p.indexOf(Math.max(...p));
    const bin = bins[Math.min(14, Math.floor(p[said] * 15))];
    const weight = weights === null ? 1 : weights[i];
    total += weight;
    bin.weight += weight;
    bin.sure += weight * p[said];
    bin.right += said === target[i] ? weight : 0;
  }
  return bins.reduce((sum, { sure, right }) => sum + Math.abs(sure - right) / total, 0);

  function rowOf(row: number): number[] {
    return Array.from(predictions.subarray(row * outputs, (row + 1) * outputs));
  }
}
