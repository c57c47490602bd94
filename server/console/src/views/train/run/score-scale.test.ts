import { expect, it } from "vitest";
import { RunLog } from "./run-state.ts";
import { ScoreScale } from "./score-scale.ts";

function logOf(scores: readonly number[], isLower: boolean): RunLog {
  const log = new RunLog(() => isLower);
  log.apply({ type: "planned", plan: { matrix: [{ family: "gbdt" }], metrics: ["m"], folds: 1 } });
  for (const [trial, m] of scores.entries()) {
    log.apply({ type: "step_asked", step: trial, trials: [{ trial, row: 0, parameters: {} }] });
    log.apply({ type: "trial_finished", trial, scores: { m } });
  }
  return log;
}

it("places better scores higher, whichever way is better", () => {
  for (const isLower of [true, false]) {
    const scale = new ScoreScale();
    scale.follow(logOf([1, 2, 3, 4, 5, 1e9], isLower));
    const places = [1, 2, 3, 4].map((score) => scale.place(score));
    expect(places).toEqual(places.toSorted((a, b) => (isLower ? b - a : a - b)));
    expect(scale.place(scale.scoreAt(0.25))).toBeCloseTo(0.25, 9);
  }
});

it("changes seldom", () => {
  const scale = new ScoreScale();
  const scores = Array.from({ length: 3000 }, (_, i) => 1 + ((i * 7919) % 1000) / 1000);
  const log = new RunLog(() => true);
  log.apply({ type: "planned", plan: { matrix: [{ family: "gbdt" }], metrics: ["m"], folds: 1 } });
  for (const [trial, m] of scores.entries()) {
    log.apply({ type: "step_asked", step: trial, trials: [{ trial, row: 0, parameters: {} }] });
    log.apply({ type: "trial_finished", trial, scores: { m } });
    scale.follow(log);
  }
  expect(scale.version).toBeLessThan(40);
});

it("ends at round scores, with round ones between", () => {
  for (const [scores, isLower, texts] of [
    [[31.305], true, ["32", "31"]],
    [[0.8432, 0.8421, 0.8397, 0.84], false, ["0.840", "0.841", "0.842", "0.843", "0.844"]],
    [[0, 0], true, ["0.5", "0.0", "-0.5"]],
    [[1, 0.9], false, ["0.90", "0.95", "1.00"]],
  ] as const) {
    const scale = new ScoreScale();
    scale.follow(logOf(scores, isLower));
    expect(scale.ticks().map(({ text }) => text)).toEqual(texts);
    expect([scale.place(scale.worst), scale.place(scale.best)]).toEqual([0, 1]);
  }
});
