import { beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema } from "../config/config.ts";
import type { TrialState } from "../log/state.ts";
import { MemoryRunStore, readModelFile } from "../log/store.ts";
import { planTable } from "../plan/plan.ts";
import { prepareTable } from "../plan/prepare.ts";
import { RunDriver } from "../run.ts";
import { DyingStore, modelFiles } from "../testing/dying-store.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { repeatsOfStep } from "./repeats.ts";

const budget = { left: 30, timeBudget: 100, threads: 2, rows: 1 };

/** Two folds of a second each. */
function trial(number: number, more: Partial<TrialState> = {}): TrialState {
  const fold = {
    state: "finished",
    scores: { rmse: number },
    facts: {},
    seconds: 1,
    predictSeconds: 0,
    scoreSeconds: 0,
    bytes: 0,
    modelBytes: 0,
    cut: null,
  } as const;
  return {
    number,
    row: number,
    family: "",
    parameters: {},
    step: 0,
    repeats: null,
    raisedFrom: null,
    state: "finished",
    folds: [fold, fold],
    scores: { rmse: number },
    expected: null,
    reason: null,
    started: null,
    ended: null,
    ...more,
  };
}

describe("repeatsOfStep", () => {
  const three = [trial(0), trial(1), trial(2)];

  it("asks the heaviest first, each once, and none of no weight", () => {
    const weights = new Map([
      [0, 0.62],
      [1, 0.35],
      [2, 0.03],
    ]);
    expect(repeatsOfStep(three, weights, budget)).toEqual([0, 1]);
    const asked = [...three, trial(3, { row: 1, repeats: 1, scores: { rmse: 9 } })];
    expect(repeatsOfStep(asked, weights, budget)).toEqual([0]);
    // What a repeat weighs is its trial's, which has had one.
    expect(repeatsOfStep(asked, new Map([[3, 1]]), budget)).toEqual([]);
  });

  it("waits for the last third of the budget, and takes what there is time for", () => {
    const weights = new Map([[0, 1]]);
    expect(repeatsOfStep(three, weights, { ...budget, left: 34 })).toEqual([]);
    expect(repeatsOfStep(three, weights, { ...budget, left: 1.5 })).toEqual([0]);
    expect(repeatsOfStep(three, weights, { ...budget, left: 0.9 })).toEqual([]);
    // Two trials a family come first.
    expect(repeatsOfStep(three, weights, { ...budget, rows: 2 })).toEqual([]);
  });

  it("leaves out what was cut, and families whose fits have no luck in them", () => {
    const weights = new Map([
      [0, 0.5],
      [1, 0.5],
    ]);
    const [first, second] = three[0].folds;
    if (first?.state !== "finished") throw new Error("The fold is not finished.");
    const cut = trial(0, { folds: [{ ...first, cut: { iterations: 3 } }, second] });
    expect(repeatsOfStep([cut, three[1]], weights, budget)).toEqual([1]);
    const other = trial(1, { row: 0 });
    const same = trial(2, { row: 0, repeats: 0, scores: { rmse: 0 } });
    expect(repeatsOfStep([three[0], other, same], weights, budget)).toEqual([]);
    const another = { ...same, scores: { rmse: 0.1 } };
    expect(repeatsOfStep([three[0], other, another], weights, budget)).toEqual([1]);
  });
});

describe("a run of few rows under a time budget", () => {
  let pool: ComputePool;
  beforeAll(() => {
    pool = sharedPool(2);
  });

  const table: Table = (() => {
    const random = new CounterRandom(deriveKey(3, "repeats"));
    const column = (name: string): NumericColumn => ({
      kind: "numeric",
      name,
      values: Float64Array.from({ length: 90 }, () => random.nextGaussian()),
    });
    const [x, z, y] = ["x", "z", "y"].map(column);
    y.values.forEach((noise, i) => {
      y.values[i] = x.values[i] * z.values[i] + 0.5 * noise;
    });
    return { rows: 90, columns: [x, z, y] };
  })();
  const config: RunConfigInput = {
    task: { taskKind: "regression", labelColumn: "y" },
    hpoSpace: { models: [{ family: "extra_trees", fixed: { n_estimators: 5 } }] },
    nCvSplits: 2,
    timeBudgetS: 16,
  };

  /** Every fold takes a second of its clock. */
  async function drive(
    more: RunConfigInput,
    store = new MemoryRunStore(),
    clock = new FakeClock(),
  ) {
    const parsed = runConfigSchema.parse(more);
    const run = prepareTable(table, parsed);
    const driver = new RunDriver({
      run: { ...run, contention: 1 },
      config: parsed,
      store,
      pool,
      clock,
      onEvent: (event) => event.type === "fold_finished" && clock.advance(1),
    });
    await driver.drive();
    return { state: driver.state, store };
  }

  it("fits members again, which the model averages, and its card repeats that", async () => {
    const { state, store } = await drive(config);
    const again = state.trials.filter(({ repeats }) => repeats !== null);
    const finished = again.filter(({ state: each }) => each === "finished");
    expect(finished.length).toBeGreaterThan(0);
    for (const { number, repeats, parameters, scores } of finished) {
      const own = state.trials[repeats ?? -1];
      expect(own.number).toBeLessThan(number);
      expect(parameters).toEqual(own.parameters);
      expect(scores).not.toEqual(own.scores);
    }
    // A member and its repeats weigh alike, and a point of the search is asked once.
    const [{ members }] = state.selections;
    for (const { trial: number, weight } of members) {
      const { repeats } = state.trials[number];
      if (repeats === null) continue;
      expect(members.find((each) => each.trial === repeats)?.weight).toBe(weight);
    }
    const points = state.trials.filter(({ repeats }) => repeats === null);
    expect(new Set(points.map(({ parameters }) => JSON.stringify(parameters))).size).toBe(
      points.length,
    );
    const { card } = JSON.parse(Buffer.from(await readModelFile(store, "model.json")).toString());
    expect(card.config.trialsRepeated).toEqual(
      again
        .filter(({ number }) => number < card.config.trialsAllowed)
        .map(({ number, repeats }) => ({ trial: number, of: repeats })),
    );
    const rerun = await drive(card.config);
    expect(modelFiles(rerun.store)).toEqual(modelFiles(store));
    // Killed in the midst of them, it goes on with what its log has asked.
    const at = store.events.findIndex(
      (event) => event.type === "step_asked" && event.trials.some(({ repeats }) => repeats != null),
    );
    const inner = new MemoryRunStore();
    await expect(drive(card.config, new DyingStore(inner, at + 2))).rejects.toThrow("killed");
    await drive(card.config, inner);
    expect(modelFiles(inner)).toEqual(modelFiles(store));
  });

  it("is told what it cannot repeat", () => {
    const asked = (trialsRepeated: RunConfigInput["trialsRepeated"]) =>
      runConfigSchema.parse({ ...config, trialsAsked: [[0, 0], [0]], trialsRepeated });
    expect(() => planTable(table, asked([{ trial: 2, of: 1 }]), [])).not.toThrow();
    expect(() => planTable(table, asked([{ trial: 1, of: 0 }]), [])).toThrow(
      "Trial 1 cannot repeat trial 0: both have to be in `trialsAsked`, of one family, trial 0 in an earlier step.",
    );
  });
});
