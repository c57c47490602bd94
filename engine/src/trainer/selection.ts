/** The selecting phase: gathers out-of-fold predictions from the store and selects in a worker. */

import type { Selection } from "./events.ts";
import { predictionsArtifact, unpackPredictions } from "./fold-artifact.ts";
import { sharedCopy } from "./prepared.ts";
import type { RunDriver } from "./run.ts";
import { type Candidate, lossOf, type SelectInput } from "./select.ts";
import type { TrialState } from "./state.ts";

/** Bytes of out-of-fold predictions held at once; the best trials go first. */
const CANDIDATE_BYTES = 2 ** 30;

/** At least one; the best on the first metric is the first. */
export async function selectModels(driver: RunDriver): Promise<readonly Selection[]> {
  const { plan, state } = driver;
  const finished = state.trials
    .filter((trial) => trial.state === "finished")
    .map((trial) => ({
      trial,
      loss: lossOf(plan.metrics[0], trial.scores?.[plan.metrics[0]] ?? null),
    }))
    .sort((a, b) => ascending(a.loss, b.loss) || a.trial.number - b.trial.number);
  const kind = driver.options.config.ensemble ? "ensemble" : "winner";
  const candidates: Candidate[] = [];
  let bytes = 0;
  for (const { trial, loss } of finished) {
    if (candidates.length > 0 && (kind === "winner" || bytes > CANDIDATE_BYTES)) break;
    const predictions = sharedCopy(await outOfFoldPredictions(driver, trial));
    bytes += predictions.byteLength;
    candidates.push({ trial: trial.number, loss, predictions });
  }
  candidates.sort((a, b) => a.trial - b.trial);
  return driver.compute<SelectInput, readonly Selection[]>("select", {
    run: driver.options.run,
    kind,
    candidates,
  });
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
