import { expect, it } from "vitest";
import { curveLabel } from "./curve-label.ts";
import { RunLog } from "./run-state.ts";

it("counts all finished trials, as the head of the run does, and those without a score apart", () => {
  const log = new RunLog(() => true);
  const plan = { matrix: [{ family: "gbdt" }], metrics: ["rmse"], folds: 1 };
  log.apply({ type: "planned", plan });
  const trials = [0, 1, 2].map((trial) => ({ trial, row: 0, parameters: {} }));
  log.apply({ type: "step_asked", step: 0, trials });
  expect(curveLabel(log)).toBe("No trial has finished yet.");
  log.apply({ type: "trial_finished", trial: 1, scores: { rmse: null } });
  expect(curveLabel(log)).toBe("1 finished trial, 1 without a score.");
  log.apply({ type: "trial_finished", trial: 0, scores: { rmse: 3 } });
  expect(curveLabel(log)).toMatch(
    /^2 finished trials, 1 without a score; the best rmse is 3.*, of trial 0\.$/,
  );
});
