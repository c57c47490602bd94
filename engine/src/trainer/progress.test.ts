import { describe, expect, it } from "vitest";
import { LOG_VERSION, type RunEvent, type RunEventBody, type RunPlan } from "./log/events.ts";
import { foldEvents } from "./log/state.ts";
import { bestTrial, progressOf } from "./progress.ts";

const row = { reason: "", space: {}, fixed: {}, first: {}, portfolio: [] };
const plan: RunPlan = {
  logVersion: LOG_VERSION,
  task: { kind: "regression", classes: [] },
  rows: 100,
  columns: [],
  features: 3,
  matrix: [
    { ...row, family: "gbdt" },
    { ...row, family: "linear" },
  ],
  leftOut: [],
  metrics: ["rmse"],
  folds: 2,
  splitter: "",
  trials: 8,
  trialsPerStep: 2,
  steps: 2,
  warnings: [],
};

const start = Date.parse("2030-01-01T00:00:00.000Z");
let log: RunEvent[] = [];

function add(elapsed: number, body: RunEventBody): void {
  const at = new Date(start + 1000 * elapsed).toISOString();
  log.push({ ...body, at, elapsed });
}

function fold(elapsed: number, trial: number, index: number, seconds: number, rmse = 1): void {
  const costs = { predictSeconds: 0.01, scoreSeconds: 0.001, bytes: 1000 };
  add(elapsed, {
    type: "fold_finished",
    trial,
    fold: index,
    scores: { rmse },
    facts: {},
    seconds,
    ...costs,
  });
}

/** Trials 0 and 1 of gbdt take 10 s a fold, 2 and 3 of linear 1 s; one thread. */
function firstStep(): void {
  log = [];
  add(4, { type: "planned", plan });
  add(4, {
    type: "step_asked",
    step: 0,
    trials: [0, 1, 2, 3].map((trial) => ({ trial, row: trial >> 1, parameters: {} })),
  });
  let elapsed = 4;
  for (const trial of [0, 1, 2, 3]) {
    for (const index of [0, 1]) {
      const seconds = trial < 2 ? 10 : 1;
      elapsed += seconds;
      fold(elapsed, trial, index, seconds, 1 + trial);
    }
    add(elapsed, { type: "trial_finished", trial, scores: { rmse: 1 + trial } });
  }
}

const at = (elapsed: number) => progressOf(foldEvents(log), start + 1000 * elapsed);

it("gives each trial its own times, though a step's trials are asked for and told at once", () => {
  firstStep();
  add(60, { type: "step_asked", step: 1, trials: [{ trial: 4, row: 0, parameters: {} }] });
  const seconds = (time: string | null) => time && (Date.parse(time) - start) / 1000;
  const times = foldEvents(log).trials.map(({ started, ended }) => [started, ended].map(seconds));
  expect(times).toEqual([
    [4, 24],
    [24, 44],
    [44, 46],
    [46, 48],
    [null, null],
  ]);
});

describe("progressOf", () => {
  it("prices the search's rest by family, and adds what follows it", () => {
    firstStep();
    const { estimate, seconds, foldsDone, phase } = at(48);
    expect({ seconds, foldsDone, phase }).toEqual({
      seconds: 48,
      foldsDone: 8,
      phase: "searching",
    });
    // As much again as the folds took, at the pace of 48 s for 44 s of fits.
    expect(estimate).toBeGreaterThan(48);
    expect(estimate).toBeLessThan(50);
  });

  it("never announces more than a budget has left, nor nothing where only that is known", () => {
    firstStep();
    const [planned, ...rest] = log;
    if (planned.type !== "planned") throw new Error("The log does not begin with a plan.");
    log = [{ ...planned, plan: { ...plan, timeBudgetS: 60 } }, ...rest];
    expect(progressOf(foldEvents(log.slice(0, 2)), start + 4000).estimate).toBe(56);
    expect(at(48).estimate).toBe(12);
    expect(at(70).estimate).toBe(0);
  });

  it("counts the trials asked for so far where there are as many as the time allows", () => {
    firstStep();
    const [planned, ...rest] = log;
    if (planned.type !== "planned") throw new Error("The log does not begin with a plan.");
    log = [{ ...planned, plan: { ...plan, isOpen: true, trials: 20_000, steps: 5000 } }, ...rest];
    expect(at(48)).toMatchObject({ trialsPlanned: 4, foldsPlanned: 8 });
  });

  it("counts on pruning to go on as it does", () => {
    firstStep();
    const patient = at(48).estimate ?? 0;
    add(48, {
      type: "step_asked",
      step: 1,
      trials: [4, 5, 6, 7].map((trial) => ({ trial, row: (trial - 4) >> 1, parameters: {} })),
    });
    fold(58, 4, 0, 10);
    add(58, { type: "trial_pruned", trial: 4, reason: "", folds: 1, expected: { rmse: 9 } });
    add(58, { type: "trial_refused", trial: 6, reason: "" });
    const now = at(58);
    expect(now).toMatchObject({
      trialsPruned: 1,
      trialsRefused: 1,
      trialsDone: 4,
      trialsFailed: 0,
    });
    expect(now.estimate).toBeLessThan(patient - 20);
  });

  it("knows what is left in every later phase, and nothing before the first fold", () => {
    firstStep();
    expect(progressOf(foldEvents(log.slice(0, 2)), start).estimate).toBeNull();
    add(48, { type: "search_stopped", reason: "", trials: 4, allowed: 4 });
    const selecting = at(48);
    expect(selecting.phase).toBe("selecting");
    add(50, { type: "selected", selections: [] });
    const fitting = at(50);
    expect(fitting.phase).toBe("fitting");
    add(51, { type: "fitted", model: 0, facts: {}, seconds: 0 });
    const saving = at(51);
    expect(saving.phase).toBe("saving");
    expect(selecting.estimate).toBeGreaterThan(fitting.estimate ?? 0);
    expect(fitting.estimate).toBeGreaterThanOrEqual(saving.estimate ?? 0);
    expect(saving.estimate).toBeGreaterThan(0);
    add(52, { type: "done", models: [] });
    expect(at(1e6)).toMatchObject({ phase: "done", estimate: 0, seconds: 52 });
  });

  it("counts work, not the hours in which no process ran", () => {
    firstStep();
    const gap = 1e5;
    const later = log.map((event) => event);
    later.push({ ...later[2], at: new Date(start + 1000 * (48 + gap)).toISOString(), elapsed: 49 });
    expect(progressOf(foldEvents(later), start + 1000 * (50 + gap)).seconds).toBe(51);
  });
});

describe("bestTrial", () => {
  it("is not one that was dropped", () => {
    firstStep();
    expect(bestTrial(foldEvents(log))?.number).toBe(0);
    add(48, { type: "search_stopped", reason: "", trials: 0, allowed: 0 });
    expect(bestTrial(foldEvents(log))).toBeNull();
  });
});
