/**
 * Which devices took part in fits, as the model's card has it: by those trials alone that a rerun by the card
 * runs too. What only a trial has settled that the clock ended is not said.
 */

import type { RunState, TrialState } from "./state.ts";

type Settled = Pick<RunState, "settledDevices" | "trials">;

/** Trials that a rerun runs: their fits are repeated, whatever came of the trial. */
export function isKept({ state }: TrialState): boolean {
  return state !== "dropped" && state !== "refused";
}

/** In words; null where no fit has settled it. */
export function deviceOf({ settledDevices, trials }: Settled): string | null {
  const said = settledDevices
    .filter(({ trial }) => trial === null || isKept(trials[trial]))
    // In whatever order fits of several trials began.
    .sort((one, other) => placeOf(one.trial) - placeOf(other.trial))
    .map(({ sentence }) => sentence);
  return said.length === 0 ? null : [...new Set(said)].join("; ");
}

const placeOf = (trial: number | null): number => trial ?? Number.MAX_SAFE_INTEGER;

/** Whether it is said already, whatever the clock may still drop. @param trial null: of a selected model */
export function isSettled(
  { settledDevices, trials }: Settled,
  sentence: string,
  trial: number | null,
): boolean {
  return settledDevices.some(
    (known) =>
      known.sentence === sentence &&
      (known.trial === trial ||
        known.trial === null ||
        (placeOf(known.trial) < placeOf(trial) &&
          isKept(trials[known.trial]) &&
          trials[known.trial].state !== "running")),
  );
}
