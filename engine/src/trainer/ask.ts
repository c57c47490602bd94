/** What is tried next: one step of the search, for every row of the matrix. */

import { deriveKey } from "../compute/random.ts";
import { samplerByName } from "../search/index.ts";
import type { Observation } from "../search/sampler.ts";
import type { Parameters } from "../search/space.ts";
import type { AskedTrial, RunPlan } from "./events.ts";
import { lossOf } from "./select.ts";
import type { RunState } from "./state.ts";

/**
 * Asks step `step`: its trials see only trials of earlier steps, so the answer does not depend on
 * the order in which workers finish. Trials are numbered by step, then matrix row, then place.
 */
export function askStep(
  state: RunState,
  plan: RunPlan,
  strategy: string,
  randomState: number,
): AskedTrial[] {
  const step = state.stepsAsked;
  const perRow = plan.trials / plan.matrix.length;
  const first = step * plan.trialsPerStep;
  const count = Math.min(plan.trialsPerStep, perRow - first);
  const sampler = samplerByName(strategy);
  const asked: AskedTrial[] = [];
  for (const [row, { space, fixed, first: firstParameters }] of plan.matrix.entries()) {
    const history = observationsOf(state, row, plan.metrics[0], fixed);
    const pending: Parameters[] = [];
    for (let place = 0; place < count; place++) {
      const key = deriveKey(randomState, "suggest", row, first + place);
      const searched =
        step === 0 && place === 0
          ? omit(firstParameters, fixed)
          : sampler.suggest({ space, history, pending }, key);
      pending.push(searched);
      asked.push({
        trial: state.trials.length + asked.length,
        row,
        parameters: { ...searched, ...fixed },
      });
    }
  }
  return asked;
}

function observationsOf(
  state: RunState,
  row: number,
  metric: string,
  fixed: Parameters,
): Observation[] {
  return state.trials
    .filter((trial) => trial.row === row && trial.state !== "running")
    .map((trial) => ({
      parameters: omit(trial.parameters, fixed),
      loss: observedLoss(trial.scores?.[metric] ?? null, metric),
    }));
}

/** An undefined score teaches the search as much as a failure. */
function observedLoss(score: number | null, metric: string): number | null {
  return score === null ? null : lossOf(metric, score);
}

function omit(parameters: Parameters, fixed: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !(name in fixed)));
}
