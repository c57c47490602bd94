/** The selecting phase: gathers out-of-fold predictions from the store and selects in a worker. */

import { collectPassingArrays } from "../../compute/garbage.ts";
import type { RunPlan } from "../log/events.ts";
import { lossOf } from "../log/scores.ts";
import type { TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import {
  packSelection,
  predictionsArtifact,
  selectionArtifact,
  unpackPredictions,
} from "../pool-tasks/fold-artifact.ts";
import { HELD_OUT_ROWS, packHeldOutRows } from "../pool-tasks/held-out-rows.ts";
import type { Contest, Selected, SelectInput } from "../pool-tasks/select.ts";
import {
  type Candidate,
  chooseWinners,
  lossesWithoutFolds,
  type TrialLosses,
  type Winner,
} from "../pool-tasks/winners.ts";

/** Bytes of out-of-fold predictions held at once; the best trials go first. */
const CANDIDATE_BYTES = 2 ** 30;
/** Of a blend: worse ones hardly ever get in, and each is calibrated before it is looked at. */
const MOST_CANDIDATES = 200;

/** Of a look at the blend during the search. */
const CANDIDATES_SO_FAR = 30;

/** What would be selected if the search ended here; one selection a weight of a sweep. */
export async function blendSoFar(driver: OpenRun): Promise<Selected["selections"]> {
  return (await choose(driver, CANDIDATES_SO_FAR)).selections;
}

/** What was selected; what there is a row of lies in the store, and is held by nobody here any more. */
export async function selectModels(
  driver: OpenRun,
): Promise<Pick<Selected, "selections" | "pareto">> {
  const { store, run } = driver.options;
  await store.putArtifact(HELD_OUT_ROWS, packHeldOutRows(run));
  const { selections, pareto, ...ofRows } = await choose(driver, MOST_CANDIDATES);
  collectPassingArrays();
  for (const [index, predictions] of ofRows.predictions.entries()) {
    const [labels, bySeries] = [ofRows.labels[index], ofRows.bySeries[index]];
    const packed = packSelection({ predictions, labels, bySeries });
    await store.putArtifact(selectionArtifact(index), packed);
    collectPassingArrays();
  }
  return { selections, ...(pareto ? { pareto } : {}) };
}

async function choose(driver: OpenRun, most: number): Promise<Selected> {
  const { plan, state } = driver;
  const ended = state.trials.filter((trial) => trial.state === "finished");
  const trials = ended.filter(({ repeats }) => repeats === null);
  const finished = trials.map((trial) => ({
    trial: trial.number,
    losses: plan.metrics.map((metric) => lossOf(metric, trial.scores?.[metric] ?? null)),
  }));
  const contest = contestOf(driver, trials, finished);
  const wanted =
    contest.kind === "winners" ? takingPart(contest.winners) : byBestRank(finished, plan);
  const candidates: Candidate[] = [];
  let bytes = 0;
  for (const { trial } of wanted) {
    if (contest.kind !== "winners" && bytes > CANDIDATE_BYTES) break;
    if (contest.kind === "blends" && candidates.length === most) break;
    const again = ended.filter(({ repeats }) => repeats === trial);
    const parts: Float64Array[] = [];
    for (const each of [state.trials[trial], ...again]) {
      parts.push(await outOfFoldPredictions(driver, each));
    }
    const predictions = meanOf(parts);
    bytes += predictions.byteLength;
    const repeats = again.map(({ number }) => number);
    candidates.push({ trial, family: state.trials[trial].family, repeats, predictions });
  }
  candidates.sort((a, b) => a.trial - b.trial);
  collectPassingArrays();
  const { calibration, stacking, tuneThreshold } = driver.options.config;
  // A teacher may have learned the labels that its students are judged by: what is fitted to their
  // out-of-fold predictions would trust them far too much.
  const plain = driver.options.run.taught === null;
  return driver.compute<SelectInput, Selected>("select", {
    run: driver.options.run,
    contest: contest.kind === "contenders" ? among(contest.trials, candidates) : contest,
    candidates,
    settings: {
      calibration: calibration && plain,
      stacking,
      tuneThreshold: tuneThreshold && plain,
    },
  });
}

function contestOf(
  { plan, options }: OpenRun,
  trials: readonly TrialState[],
  finished: readonly TrialLosses[],
): Contest {
  if (options.config.ensemble) return { kind: "blends" };
  if (plan.folds === 1) return { kind: "contenders", trials: finished };
  const winners = chooseWinners(plan, finished, lossesWithoutFolds(trials, plan));
  return { kind: "winners", winners };
}

function takingPart(winners: readonly Winner[]): readonly { readonly trial: number }[] {
  const trials = new Set(winners.flatMap(({ trial, byPart }) => [trial, ...byPart]));
  return [...trials].map((trial) => ({ trial }));
}

/** Those whose predictions are at hand: where memory bounds them, the best by all rows. */
function among(trials: readonly TrialLosses[], candidates: readonly Candidate[]): Contest {
  const known = new Set(candidates.map(({ trial }) => trial));
  return { kind: "contenders", trials: trials.filter(({ trial }) => known.has(trial)) };
}

/** By their best place in any metric that is optimised; ties by the first of them. */
function byBestRank(finished: readonly TrialLosses[], plan: RunPlan): readonly TrialLosses[] {
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

/** In the place of the first. */
function meanOf(parts: readonly Float64Array[]): Float64Array {
  const [mean] = parts;
  if (parts.length === 1) return mean;
  for (let i = 0; i < mean.length; i++) {
    mean[i] = parts.reduce((sum, part) => sum + part[i], 0) / parts.length;
  }
  return mean;
}

/** Over a SharedArrayBuffer. */
async function outOfFoldPredictions(driver: OpenRun, trial: TrialState): Promise<Float64Array> {
  const parts: Float64Array[] = [];
  for (let fold = 0; fold < driver.plan.folds; fold++) {
    const name = predictionsArtifact(trial.number, fold);
    parts.push(unpackPredictions(await driver.kept(name), name));
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new Float64Array(new SharedArrayBuffer(8 * length));
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
