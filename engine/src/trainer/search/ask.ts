/** What is tried next: one step of the search, for every row of the matrix. */

import { deriveKey } from "../../compute/random.ts";
import {
  distinctPoints,
  fitIntoSpace,
  type StartUpKind,
  samplerByName,
  suggestNext,
} from "../../search/index.ts";
import type { Observation } from "../../search/sampler.ts";
import type { Parameters } from "../../search/space.ts";
import type { PriorRun } from "../config/config.ts";
import type { AskedTrial, MatrixRow, RunPlan, Scores } from "../log/events.ts";
import { failingRows } from "../log/failing-rows.ts";
import { lossOf } from "../log/scores.ts";
import type { RunState } from "../log/state.ts";
import { firstOfPriors, withPriors } from "./warm-start.ts";

export interface AskOptions {
  readonly searchStrategy: string;
  readonly randomState: number;
  readonly startup: StartUpKind;
  /** A sweep over weights of the metrics: then all of them are optimised, else the first. */
  readonly gridSize?: number | null | undefined;
  /** Earlier runs; see `warm-start.ts`. */
  readonly warmStart?: readonly PriorRun[] | undefined;
}

/**
 * Asks step `step`: its trials see only trials of earlier steps, so the answer does not depend on
 * the order in which workers finish.
 *
 * @param asked rows of the matrix, one a trial, in the order of their numbers; default: all rows, by place
 *   in the step, then row, so that where a step is not run to its end each row has had its first ones; none of
 *   those that always fail
 * @param repeated earlier trials that are fitted again, by the places in `asked` that are to do so
 */
export function askStep(
  state: RunState,
  plan: RunPlan,
  { searchStrategy, randomState, gridSize, startup, warmStart = [] }: AskOptions,
  asked: readonly number[] = wholeStep(state, plan),
  repeated: ReadonlyMap<number, number> = new Map(),
): AskedTrial[] {
  const sampler = samplerByName(searchStrategy);
  const objectives = typeof gridSize === "number" ? plan.metrics : plan.metrics.slice(0, 1);
  const byRow: Omit<AskedTrial, "trial">[][] = [];
  for (const [row, matrixRow] of plan.matrix.entries()) {
    const { space, fixed } = matrixRow;
    const known = observationsOf(state, row, objectives, matrixRow);
    const history = withPriors(known, warmStart, matrixRow, objectives);
    const lead = {
      kind: startup,
      first: distinctPoints([
        ...firstOfPriors(warmStart, matrixRow, objectives),
        ...(startup === "portfolio" ? matrixRow.portfolio : matrixRow.portfolio.slice(0, 1)),
      ]),
      key: deriveKey(randomState, "sobol", row),
    };
    const pending: Parameters[] = [];
    const own: Omit<AskedTrial, "trial">[] = [];
    const first = trialsAsked(state, row);
    const count = asked.filter((each, place) => each === row && !repeated.has(place)).length;
    for (let place = 0; place < count; place++) {
      const key = deriveKey(randomState, "suggest", row, first + place);
      const searched = suggestNext(lead, sampler, { space, history, pending }, first + place, key);
      pending.push(searched);
      own.push({ row, parameters: { ...searched, ...fixed } });
    }
    byRow.push(own);
  }
  return asked
    .flatMap((row, index): Omit<AskedTrial, "trial">[] => {
      const repeats = repeated.get(index);
      if (repeats !== undefined)
        return [{ row, parameters: state.trials[repeats].parameters, repeats }];
      const place = asked
        .slice(0, index)
        .filter((each, before) => each === row && !repeated.has(before)).length;
      return byRow[row].slice(place, place + 1);
    })
    .map((trial, index) => ({ trial: state.trials.length + index, ...trial }));
}

function wholeStep(state: RunState, plan: RunPlan): readonly number[] {
  const failing = failingRows(state, plan);
  const left = plan.matrix.map((_, row) =>
    failing.has(row) ? 0 : trialsOfRow(plan, row) - trialsAsked(state, row),
  );
  return Array.from({ length: plan.trialsPerStep }, (_, place) =>
    [...left.keys()].filter((row) => place < left[row]),
  ).flat();
}

function trialsAsked({ trials }: RunState, row: number): number {
  return trials.filter((trial) => trial.row === row && trial.repeats === null).length;
}

/** Trials that a row of the matrix may have. */
export function trialsOfRow({ trials, trialsPerRow, matrix }: RunPlan, row: number): number {
  const all = trialsPerRow ?? trials / matrix.length;
  return Math.min(all, matrix[row].points ?? all);
}

function observationsOf(
  state: RunState,
  row: number,
  objectives: readonly string[],
  { space, fixed }: MatrixRow,
): Observation[] {
  return state.trials
    .filter(
      ({ row: own, state, repeats }) => own === row && repeats === null && state !== "running",
    )
    .map((trial) => ({
      // A rate that was raised may be beyond what is searched.
      parameters:
        trial.raisedFrom === null
          ? omit(trial.parameters, fixed)
          : fitIntoSpace(space, trial.parameters),
      losses: observedLosses(trial.scores ?? trial.expected, objectives),
    }));
}

/** An undefined score teaches the search as much as a failure. */
function observedLosses(
  scores: Scores | null,
  objectives: readonly string[],
): readonly number[] | null {
  const losses: number[] = [];
  for (const metric of objectives) {
    const score = scores?.[metric] ?? null;
    if (score === null) return null;
    losses.push(lossOf(metric, score));
  }
  return losses;
}

function omit(parameters: Parameters, fixed: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !(name in fixed)));
}
