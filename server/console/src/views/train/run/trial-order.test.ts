import { expect, it } from "vitest";
import { RunLog } from "./run-state.ts";
import { bestTrials, orderedTrials, type TableAsked } from "./trial-order.ts";

const ASKED: TableAsked = { sort: "score", isDescending: false, family: "", state: "" };

function someTrials(): RunLog {
  const log = new RunLog(() => true);
  const matrix = [{ family: "gbdt" }, { family: "linear" }];
  log.apply({ type: "planned", plan: { matrix, metrics: ["rmse"], folds: 1 } });
  const trials = [0, 1, 2, 3].map((trial) => ({ trial, row: trial % 2, parameters: {} }));
  log.apply({ type: "step_asked", step: 0, trials });
  for (const [trial, rmse] of [
    [0, 3],
    [1, 1],
    [3, 2],
  ]) {
    log.apply({ type: "trial_finished", trial, scores: { rmse } });
  }
  return log;
}

const numbers = (asked: Partial<TableAsked>): number[] =>
  orderedTrials(someTrials(), { ...ASKED, ...asked }).map(({ number }) => number);

it("sorts both ways, with trials without the figure last", () => {
  expect(numbers({})).toEqual([1, 3, 0, 2]);
  expect(numbers({ isDescending: true })).toEqual([0, 3, 1, 2]);
  expect(numbers({ sort: "trial", isDescending: true })).toEqual([3, 2, 1, 0]);
});

it("puts trials that the end of the search dropped last, whichever way it sorts", () => {
  const log = someTrials();
  log.apply({ type: "search_stopped", reason: "the time is over", allowed: 3 });
  const order = (asked: Partial<TableAsked>): number[] =>
    orderedTrials(log, { ...ASKED, ...asked }).map(({ number }) => number);
  expect(order({ sort: "trial", isDescending: true })).toEqual([1, 0, 3, 2]);
  expect(order({ sort: "trial" })).toEqual([0, 1, 2, 3]);
  expect(order({ sort: "seconds", isDescending: true })).toEqual([0, 1, 2, 3]);
  expect(order({ isDescending: true })).toEqual([0, 1, 3, 2]);
});

it("shows those of a family and a state", () => {
  expect(numbers({ family: "linear" })).toEqual([1, 3]);
  expect(numbers({ state: "running" })).toEqual([2]);
});

it("finds the best without sorting all", () => {
  const best = (most: number): number[] =>
    bestTrials(someTrials(), most).map(({ number }) => number);
  expect([best(1), best(2), best(9)]).toEqual([[1], [1, 3], [1, 3, 0]]);
});
