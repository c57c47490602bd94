import { expect, it } from "vitest";
import { predictSecondsOf } from "./predict-seconds.ts";

const finished = (predictSeconds: number) =>
  ({
    state: "finished",
    scores: {},
    facts: {},
    seconds: 9,
    predictSeconds,
    scoreSeconds: 9,
    bytes: 9,
    modelBytes: 9,
    cut: null,
  }) as const;
const trial = (number: number, folds: readonly (number | null)[]) => ({
  number,
  row: 0,
  family: "linear",
  parameters: {},
  step: 0,
  state: "finished" as const,
  folds: folds.map((seconds) =>
    seconds === null ? { state: "failed" as const, reason: "" } : finished(seconds),
  ),
  scores: null,
  repeats: null,
  raisedFrom: null,
  expected: null,
  reason: null,
  started: null,
  ended: null,
});

it("adds up over members what 1,000 rows take in the folds of their trials", () => {
  const trials = [trial(0, [1, 3]), trial(1, [0.5, null]), trial(2, [null, null])];
  const rows = [500, 1500];
  expect(predictSecondsOf([{ trial: 0 }], trials, rows)).toBe(2);
  expect(predictSecondsOf([{ trial: 1 }], trials, rows)).toBe(1);
  expect(predictSecondsOf([{ trial: 0 }, { trial: 0 }, { trial: 1 }], trials, rows)).toBe(5);
  expect(predictSecondsOf([{ trial: 0 }, { trial: 2 }], trials, rows)).toBeNull();
  expect(predictSecondsOf([{ trial: 7 }], trials, rows)).toBeNull();
});
