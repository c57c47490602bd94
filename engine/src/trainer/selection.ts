/** The selecting phase: gathers out-of-fold predictions from the store and selects in a worker. */

import type { RunPlan } from "./events.ts";
import {
  packPredictions,
  predictionsArtifact,
  selectionArtifact,
  unpackPredictions,
} from "./fold-artifact.ts";
import { sharedCopy } from "./prepared.ts";
import type { RunDriver } from "./run.ts";
import {
  bestByLoss,
  type Candidate,
  firstMetricAlone,
  lossOf,
  type Selected,
  type SelectInput,
} from "./select.ts";
import type { TrialState } from "./state.ts";
import { sweptWinners, type Winner } from "./sweep.ts";

/** Bytes of out-of-fold predictions held at once; the best trials go first. */
const CANDIDATE_BYTES = 2 ** 30;

export async function selectModels(driver: RunDriver): Promise<Selected> {
  const { plan, state } = driver;
  const finished = state.trials
    .filter((trial) => trial.state === "finished")
    .map((trial) => ({
      trial: trial.number,
      losses: plan.metrics.map((metric) => lossOf(metric, trial.scores?.[metric] ?? null)),
    }));
  const winners = driver.options.config.ensemble ? null : winnersOf(plan, finished);
  const wanted = winners ?? byBestRank(finished, plan);
  const candidates: Candidate[] = [];
  let bytes = 0;
  for (const { trial } of wanted) {
    if (!winners && bytes > CANDIDATE_BYTES) break;
    const predictions = sharedCopy(await outOfFoldPredictions(driver, state.trials[trial]));
    bytes += predictions.byteLength;
    candidates.push({ trial, predictions });
  }
  candidates.sort((a, b) => a.trial - b.trial);
  const { calibration, stacking, tuneThreshold } = driver.options.config;
  // A teacher may have learned the labels that its students are judged by: what is fitted to their
  // out-of-fold predictions would trust them far too much.
  const plain = driver.options.run.taught === null;
  const selected = await driver.compute<SelectInput, Selected>("select", {
    run: driver.options.run,
    winners,
    candidates,
    settings: {
      calibration: calibration && plain,
      stacking,
      tuneThreshold: tuneThreshold && plain,
    },
  });
  for (const [index, predictions] of selected.predictions.entries()) {
    await driver.options.store.putArtifact(selectionArtifact(index), packPredictions(predictions));
  }
  return selected;
}

interface FinishedTrial {
  readonly trial: number;
  /** Mean fold losses by metric; infinite where undefined. */
  readonly losses: readonly number[];
}

function winnersOf(plan: RunPlan, finished: readonly FinishedTrial[]): readonly Winner[] {
  if (plan.sweep) return sweptWinners(finished, plan, plan.sweep);
  const { trial } = bestByLoss(finished.map(({ trial, losses }) => ({ trial, loss: losses[0] })));
  return [{ trial, metricWeights: [firstMetricAlone(plan)] }];
}

/** By their best place in any metric that is optimised; ties by the first of them. */
function byBestRank(finished: readonly FinishedTrial[], plan: RunPlan): readonly FinishedTrial[] {
  const optimised = plan.sweep ? plan.metrics : plan.metrics.slice(0, 1);
  const best = new Map(finished.map(({ trial }) => [trial, finished.length]));
  for (const metric of optimised.keys()) {
    const sorted = finished.toSorted(
      (a, b) => ascending(a.losses[metric], b.losses[metric]) || a.trial - b.trial,
    );
    for (const [rank, { trial }] of sorted.entries()) {
      best.set(trial, Math.min(rank, best.get(trial) ?? rank));
    }
  }
  return finished.toSorted(
    (a, b) =>
      (best.get(a.trial) ?? 0) - (best.get(b.trial) ?? 0) ||
      ascending(a.losses[0], b.losses[0]) ||
      a.trial - b.trial,
  );
}

async function outOfFoldPredictions(driver: RunDriver, trial: TrialState): Promise<Float64Array> {
  const parts: Float64Array[] = [];
  for (let fold = 0; fold < driver.plan.folds; fold++) {
    const name = predictionsArtifact(trial.number, fold);
    parts.push(unpackPredictions(await driver.options.store.getArtifact(name), name));
  }
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

function ascending(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
