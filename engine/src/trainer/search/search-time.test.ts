import { afterAll, describe, expect, it } from "vitest";
import { createPool } from "../../worker/pool.ts";
import { runConfigSchema } from "../config/config.ts";
import type { RunEventBody } from "../log/events.ts";
import { applyEvent } from "../log/state.ts";
import { MemoryRunStore } from "../log/store.ts";
import { prepareTable } from "../plan/prepare.ts";
import { RunDriver } from "../run.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { askStep } from "./ask.ts";
import { SearchTime } from "./search-time.ts";

const pool = createPool(2);
afterAll(() => pool.close());

const FOLDS = 5;

/**
 * A search of 10 s for two families, `elapsed` seconds after the run began.
 *
 * @param prices of their fits, in seconds of the processor
 */
function searchAfter(elapsed: number, prices: readonly number[] = []) {
  const values = Float64Array.from({ length: 40 }, (_, row) => (row * 7) % 40);
  const columns = ["x", "y"].map((name) => ({ kind: "numeric", name, values }) as const);
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y" },
    modelFamilies: ["gbdt", "random_forest"],
    nCvSplits: FOLDS,
    timeBudgetS: 10,
  });
  const prepared = prepareTable({ rows: 40, columns }, config);
  const matrix = prepared.plan.matrix.map((row, at) => ({
    ...row,
    ...(prices[at] === undefined ? {} : { fitSeconds: prices[at] }),
  }));
  const run = { ...prepared, plan: { ...prepared.plan, matrix } };
  const clock = new FakeClock(1000 * elapsed);
  const store = new MemoryRunStore();
  const driver = new RunDriver({ run, config, store, pool, clock, startedAt: 0 });
  const { state } = driver;
  const log = (event: RunEventBody) => applyEvent(state, { at: "2026-01-01T00:00:00Z", ...event });
  log({ type: "planned", plan: run.plan });
  log({ type: "step_asked", step: 0, trials: askStep(state, run.plan, config, [0, 1]) });
  const time = new SearchTime(driver);
  /** Seconds of each fold of a trial. */
  const complete = (trial: number, seconds: number): void => {
    const cut = { iterations: 9 };
    for (let fold = 0; fold < FOLDS; fold++) {
      const all = { trial, fold, scores: { rmse: 1 }, facts: {}, seconds, cut };
      log({ type: "fold_finished", ...all });
      const rest = { predictSeconds: 0, scoreSeconds: 0, modelBytes: 0 };
      time.observe(state.trials[trial], { seconds, cut, ...cut, ...rest });
    }
    time.completed();
  };
  return { time, clock, driver, trials: state.trials, complete };
}

describe("SearchTime", () => {
  it("gives all folds of a trial the same processor time, whatever its first ones waited for", () => {
    const { time, clock, trials } = searchAfter(1);
    const first = time.boundsOf(trials[0]);
    clock.advance(3);
    const last = time.boundsOf(trials[0]);
    expect(first.processorSeconds).toBeGreaterThan(0.3);
    expect(last.processorSeconds).toBe(first.processorSeconds);
    // Of wall time it may have more, but not without end.
    expect(last.seconds).toBeGreaterThan(first.processorSeconds ?? 0);
    expect(last.seconds).toBeLessThanOrEqual(2 * (first.processorSeconds ?? 0));
  });

  it("leaves late folds half of their time at least", () => {
    const { time, clock, trials } = searchAfter(1);
    const { processorSeconds = 0 } = time.boundsOf(trials[0]);
    clock.advance(60);
    expect(time.boundsOf(trials[0]).seconds).toBe(processorSeconds / 2);
  });

  it("has more of the processor's time where others do not use it as well", () => {
    const { time, driver, trials } = searchAfter(1);
    driver.observeContention(4, 1e6);
    const share = time.boundsOf(trials[0]).processorSeconds ?? 0;
    const quiet = searchAfter(1);
    expect(quiet.time.boundsOf(quiet.trials[0]).processorSeconds).toBeGreaterThan(2 * share);
  });

  it("promises a first trial a little time when none is left, and asks its fits to end a little after", () => {
    const { time, clock, trials } = searchAfter(30);
    time.arm();
    const { stop, processorSeconds } = time.boundsOf(trials[0]);
    expect(time.awaitsFirst).toBe(true);
    expect(time.isOver()).toBe(false);
    // Half a second for three waves of folds, less what follows each.
    expect(processorSeconds).toBeGreaterThan(0.05);
    expect(processorSeconds).toBeLessThan(0.2);
    clock.advance(0.6);
    expect(stop?.[0]).toBe(0);
    clock.advance(0.2);
    expect(stop?.[0]).toBe(1);
  });

  it("begins no trial of another family without the time to learn anything, once there is a model", () => {
    const { time, clock, trials, complete } = searchAfter(1);
    complete(0, 0.1);
    expect(time.refusal(trials[1])).toBeNull();
    clock.advance(time.left() - 0.15);
    expect(time.isOver()).toBe(false);
    expect(time.refusal(trials[1])).toMatch(/^Its folds would take 0\.\d s or more/);
  });
});

describe("a family that has yet to be compiled", () => {
  it("is not begun with half of what the quickest first fold of another took", () => {
    const refusedWith = (first: number): boolean => {
      const { time, clock, trials, complete } = searchAfter(1);
      complete(0, first);
      clock.advance(time.left() - 2);
      return time.refusal(trials[1]) !== null;
    };
    expect(refusedWith(0.2)).toBe(false);
    expect(refusedWith(3)).toBe(true);
  });
});

describe("the price of a family", () => {
  const shareOf = (prices: readonly number[]): number => {
    const { time, trials, complete } = searchAfter(1, prices);
    complete(0, 0.1);
    return time.boundsOf(trials[1]).processorSeconds ?? 0;
  };

  it("lets its first trial take as much and half as much again, where that is there", () => {
    const fair = shareOf([]);
    expect(shareOf([0.1, 1.2])).toBeGreaterThan(1.5 * 1.2 - 0.2);
    expect(shareOf([0.1, 0.01])).toBe(fair);
    // More than all that is left is worth no more than the fair share.
    expect(shareOf([0.1, 50])).toBe(fair);
  });

  it("refuses a trial that could not have half of it", () => {
    const { time, trials, complete } = searchAfter(1, [0.1, 20]);
    complete(0, 0.1);
    expect(time.refusal(trials[1])).toMatch(/^Its folds would take 100\.\d s or more/);
  });
});

describe("rounds that there is time for", () => {
  it("are told of boosting alone, and are fewer for a trial that is asked among others", () => {
    const { time, trials } = searchAfter(1);
    const alone = time.roundsOf(trials[0], 1) ?? 0;
    expect(alone).toBeGreaterThan(1000);
    expect(time.roundsOf(trials[0], 12)).toBeLessThan(alone / 2);
    expect(time.roundsOf(trials[1], 1)).toBeNull();
  });

  it("go by what the family's fits took, once there are any", () => {
    const { time, trials, complete } = searchAfter(1);
    complete(0, 0.9);
    // A tenth of a second each.
    expect(time.roundsOf(trials[0], 1)).toBeGreaterThan(1);
    expect(time.roundsOf(trials[0], 1)).toBeLessThan(40);
  });
});

describe("contention", () => {
  it("is hardly moved by a short task that waited long, and mostly by a long one", () => {
    const { driver } = searchAfter(1);
    driver.observeContention(6, 0.06);
    expect(driver.contention).toBeLessThan(1.2);
    driver.observeContention(3, 30);
    expect(driver.contention).toBeGreaterThan(2.8);
    expect(driver.contentionAlone).toBeLessThanOrEqual(driver.contention);
  });
});
