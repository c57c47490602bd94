/** How many rows the importance of columns may be measured on in the time that is left. */

import { finishEstimate } from "./cost-finish.ts";
import type { RunDriver } from "./run.ts";

/** Fewer say hardly anything of the order of columns. */
const LEAST_ROWS = 100;
/** Of the budget: what takes less is not cut short, since a rerun would have to be told. */
const SMALL_SHARE = 0.01;

/**
 * What the configuration says; under a time budget that is nearly spent as many as still fit, by
 * what predicting with the selected members has cost, and 100 at least.
 */
export function affordableRows(driver: RunDriver): number {
  const { plan, state, timeBudget, options } = driver;
  const { importanceRows, ensemble } = options.config;
  if (timeBudget === null) return importanceRows;
  const numbers = new Set(state.selections.flatMap(({ members }) => members.map((m) => m.trial)));
  const members = state.trials.filter(({ number }) => numbers.has(number));
  const { saving, importance } = finishEstimate(
    state.trials,
    { plan, ensemble, importanceRows, models: 1 },
    members,
  );
  const left = timeBudget - driver.elapsed - (saving - importance);
  if (importance <= Math.max(left, SMALL_SHARE * timeBudget)) return importanceRows;
  const rows = Math.min(importanceRows, plan.rows);
  return Math.max(Math.min(LEAST_ROWS, rows), Math.floor((rows * Math.max(0, left)) / importance));
}
