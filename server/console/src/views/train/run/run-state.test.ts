import { expect, it } from "vitest";
import { RunLog, shownState } from "./run-state.ts";

const plan = {
  matrix: [
    {
      family: "gbdt",
      reason: "",
      space: { rate: { type: "float", low: 0.01, high: 1, log: true } },
    },
    { family: "linear", reason: "", space: {} },
  ],
  metrics: ["rmse"],
  folds: 2,
  rows: 10,
  features: 2,
};

function begun(): RunLog {
  const log = new RunLog(() => true);
  log.apply({ type: "planned", plan });
  const trials = [0, 1, 2, 3].map((trial) => ({ trial, row: trial % 2, parameters: {} }));
  log.apply({ type: "step_asked", step: 0, trials });
  return log;
}

function finish(log: RunLog, trial: number, scores: readonly [number, number]): void {
  for (const [fold, rmse] of scores.entries()) {
    log.apply({ type: "fold_finished", trial, fold, scores: { rmse }, seconds: 2, bytes: trial });
  }
  const rmse = (scores[0] + scores[1]) / 2;
  log.apply({ type: "trial_finished", trial, scores: { rmse } });
}

it("follows the best of the trials as they end, and counts their states", () => {
  const log = begun();
  finish(log, 1, [3, 5]);
  finish(log, 0, [5, 5]);
  finish(log, 2, [1, 1]);
  log.apply({ type: "trial_pruned", trial: 3, reason: "It cannot win." });
  expect(log.finished).toEqual([1, 0, 2]);
  expect(log.bestSoFar).toEqual([4, 4, 1]);
  expect(log.best?.number).toBe(2);
  expect(log.trials[1]?.spread).toBeCloseTo(Math.SQRT2, 12);
  expect(log.counts).toMatchObject({ running: 0, finished: 3, pruned: 1 });
  expect(log.trials[3]?.reason).toBe("It cannot win.");
  expect([log.fitSeconds, log.largestFit]).toEqual([12, 2]);
});

it("leaves out what a stopped search drops, and begins anew where the log does", () => {
  const log = begun();
  finish(log, 2, [1, 1]);
  finish(log, 1, [3, 3]);
  log.apply({ type: "search_stopped", reason: "The time ran out.", trials: 1, allowed: 2 });
  expect(log.finished).toEqual([1]);
  expect(log.best?.number).toBe(1);
  expect(log.counts).toMatchObject({ running: 0, finished: 1, dropped: 3 });
  log.apply({ type: "planned", plan, anew: "another version" });
  expect([log.trials.length, log.best, log.counts.finished]).toEqual([0, null, 0]);
});

it("counts a trial as soon as its last fold has a score, however long its step goes on", () => {
  const log = begun();
  for (const [fold, rmse] of [3, 5].entries()) {
    expect(log.counts.finished).toBe(0);
    log.apply({ type: "fold_finished", trial: 1, fold, scores: { rmse }, seconds: 2, bytes: 1 });
  }
  expect(log.counts).toMatchObject({ running: 3, finished: 1 });
  expect([log.best?.number, log.best?.score, log.finished]).toEqual([1, 4, [1]]);
  log.apply({ type: "trial_finished", trial: 1, scores: { rmse: 4.5, mae: 2 } });
  expect(log.trials[1]).toMatchObject({ score: 4.5, scores: { rmse: 4.5, mae: 2 } });
  expect([log.finished, log.bestSoFar]).toEqual([[1], [4.5]]);
  log.apply({ type: "trial_pruned", trial: 1, reason: "It cannot win." });
  expect([log.finished, log.best]).toEqual([[], null]);
});

it("takes an undefined score for none", () => {
  const log = begun();
  log.apply({ type: "trial_finished", trial: 0, scores: { rmse: null } });
  expect(log.counts.finished).toBe(1);
  expect(log.best).toBeNull();
});

it("keeps up with ten thousand trials", () => {
  const log = new RunLog(() => true);
  log.apply({ type: "planned", plan });
  const trials = Array.from({ length: 10_000 }, (_, trial) => ({ trial, row: 0, parameters: {} }));
  log.apply({ type: "step_asked", step: 0, trials });
  for (const { trial } of trials) finish(log, trial, [10_000 - trial, 10_000 - trial]);
  expect(log.best?.number).toBe(9_999);
  expect(log.bestSoFar.at(-1)).toBe(1);
});

it("says of trials that their run has left at work that they were stopped", () => {
  const log = begun();
  finish(log, 0, [1, 2]);
  log.apply({ type: "trial_finished", trial: 0, scores: { rmse: 1.5 } });
  expect(log.trials.map((trial) => shownState(trial, false)).slice(0, 2)).toEqual([
    "finished",
    "running",
  ]);
  expect(log.trials.map((trial) => shownState(trial, true)).slice(0, 2)).toEqual([
    "finished",
    "stopped",
  ]);
});
