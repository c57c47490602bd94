/** Rows of the matrix whose trials fail whatever their parameters, as those of a family do that cannot fit the data. */

import type { RunPlan } from "./events.ts";
import type { RunState, TrialState } from "./state.ts";

/** One that failed may owe it to its parameters. */
const FEWEST_TRIALS = 2;

/**
 * Rows that a counted search asks no more: each trial of the first step failed, and for one reason. Of the log
 * alone, so that a run that goes on, or is repeated, leaves out the same.
 */
export function failingRows({ trials }: RunState, { matrix }: RunPlan): ReadonlySet<number> {
  const failing = [...matrix.keys()].filter((row) => {
    const own = trials.filter((trial) => trial.row === row);
    return (
      own.length >= FEWEST_TRIALS &&
      own.every(({ state, reason }) => state === "failed" && reason === own[0].reason)
    );
  });
  return new Set(failing);
}

/** For people: of each row without a trial that did not fail, why. */
export function failureNotes(state: RunState, plan: RunPlan): readonly string[] {
  const given = failingRows(state, plan);
  return plan.matrix.flatMap(({ family }, row) => {
    const own = state.trials.filter((trial) => trial.row === row);
    if (own.length === 0 || !own.every(hasFailed)) return [];
    const [{ reason }] = own;
    const all = own.length === 1 ? "the one trial of" : `each of the ${own.length} trials of`;
    const end = given.has(row) && !plan.isOpen ? "; it was asked for no more" : "";
    return [`No model is of ${family}: ${all} it failed${end}. ${reason ?? ""}`.trimEnd()];
  });
}

function hasFailed({ state }: TrialState): boolean {
  return state === "failed";
}
