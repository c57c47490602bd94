/** Runs that sweep over weights of several metrics: from the config to the models' files. */

import { beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Table } from "../../data/table.ts";
import { toLoss } from "../../metrics/index.ts";
import { loadModel } from "../../model/load.ts";
import { metricByName } from "../../tasks/fitting-metrics.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { LOG_VERSION, type RunPlan } from "../log/events.ts";
import { foldEvents, type RunState } from "../log/state.ts";
import { MemoryRunStore, readModelFile } from "../log/store.ts";
import { prepareTable } from "../plan/prepare.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { planSweep } from "../plan/sweep-plan.ts";
import { RunDriver } from "../run.ts";
import { DyingStore, modelFiles } from "../testing/dying-store.ts";
import { frontOf, MOST_MODELS } from "./sweep.ts";

let one: ComputePool;
let two: ComputePool;
beforeAll(() => {
  one = sharedPool(1);
  two = sharedPool(2);
});

/** Few and noisy rows, so that metrics disagree about the trials. */
function noisyTable(rows: number): Table {
  const random = new CounterRandom(deriveKey(5, "table"));
  const column = (): Float64Array =>
    Float64Array.from({ length: rows }, () => random.nextGaussian());
  const [x, z] = [column(), column()];
  const y = x.map((value, i) => (value + z[i] ** 2 + 1.5 * random.nextGaussian() > 2.6 ? 1 : 0));
  return {
    rows,
    columns: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "z", values: z },
      { kind: "numeric", name: "y", values: y },
    ],
  };
}

const table = noisyTable(240);

const config: RunConfigInput = {
  task: { taskKind: "binclass", labelColumn: "y" },
  modelFamilies: ["gbdt", "linear"],
  hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 20 } }] },
  metrics: ["log_loss", "f1", "balanced_accuracy"],
  gridSize: 6,
  nTrials: 4,
  nTrialsPerStep: 4,
  nCvSplits: 2,
  pruning: false,
};

function prepared(more: RunConfigInput): { run: PreparedRun; config: RunConfig } {
  const parsed = runConfigSchema.parse(more);
  return { run: prepareTable(table, parsed), config: parsed };
}

async function run(
  more: RunConfigInput,
  pool: ComputePool,
): Promise<{ state: RunState; store: MemoryRunStore }> {
  const store = new MemoryRunStore();
  const state = await new RunDriver({ ...prepared(more), store, pool }).drive();
  return { state, store };
}

const lossesOf = (metrics: readonly string[], scores: Readonly<Record<string, number | null>>) =>
  metrics.map((name) => toLoss(metricByName(name), scores[name] ?? Number.NaN));

describe.each([
  ["ensembles", { ...config, ensemble: true }],
  // One threshold is good for the one, another for the other: a choice that is no luck.
  [
    "winners",
    { ...config, ensemble: false, metrics: ["log_loss", "accuracy", "balanced_accuracy"] },
  ],
])("a sweep for %s", (_, more) => {
  let swept: { state: RunState; store: MemoryRunStore };
  beforeAll(async () => {
    swept = await run(more, two);
  });

  it("ends with several models, none better than another in every metric", async () => {
    const { state, store } = swept;
    const metrics = more.metrics ?? [];
    expect(state.selections.length).toBeGreaterThan(1);
    expect(state.models?.length).toBe(state.selections.length);
    const points = state.selections.map(({ scores }) => lossesOf(metrics, scores));
    for (const [at, point] of points.entries()) {
      for (const [other, rival] of points.entries()) {
        if (other !== at) expect(rival.some((loss, metric) => loss > point[metric])).toBe(true);
      }
    }
    expect(points[0][0]).toBe(Math.min(...points.map(([loss]) => loss)));
    const { pareto } = state;
    expect(pareto?.weights).toBe(28);
    expect(pareto?.hypervolume).toBeGreaterThan(0);
    expect(pareto?.hypervolume).toBeLessThanOrEqual(1);
    for (const [at, name] of metrics.entries()) {
      const values = state.selections.map(({ scores }) => scores[name] ?? Number.NaN);
      const isLess = metricByName(name).direction === "minimize";
      expect(pareto?.ideal[at]).toBe(isLess ? Math.min(...values) : Math.max(...values));
      expect(pareto?.nadir[at]).toBe(isLess ? Math.max(...values) : Math.min(...values));
    }
    for (const { metricWeights, alsoFor } of state.selections) {
      for (const weights of [metricWeights, ...alsoFor]) {
        expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 12);
      }
    }
    const loaded = await Promise.all(
      state.selections.map((_each, model) =>
        loadModel((path) => readModelFile(store, path, model)),
      ),
    );
    const answers = loaded.map((model) => [
      ...model.predict(table).values,
      model.document.threshold,
    ]);
    expect(new Set(answers.map((values) => values.join())).size).toBe(loaded.length);
    for (const [model, { document }] of loaded.entries()) {
      expect(document.card.scores).toEqual(state.selections[model].scores);
      expect(document.card.metricWeights?.[0]).toEqual(state.selections[model].metricWeights);
    }
  });

  it("makes equal files with one worker, and wherever it is killed from its selection on", async () => {
    const files = modelFiles(swept.store);
    expect(Object.keys(files)).toContain("model-1/model.json");
    expect(modelFiles((await run(more, one)).store)).toEqual(files);
    const total = swept.store.events.length;
    const selected = swept.store.events.findIndex(({ type }) => type === "selected");
    for (let death = selected; death < total; death++) {
      const store = new MemoryRunStore();
      const dying = new DyingStore(store, death);
      const begun = { ...prepared(more), pool: two };
      await expect(new RunDriver({ ...begun, store: dying }).drive()).rejects.toThrow("killed");
      const state = await new RunDriver({ ...begun, store }).drive();
      expect(modelFiles(store)).toEqual(files);
      expect(store.events.length).toBe(total);
      expect(state.models).toEqual(swept.state.models);
    }
  });
});

it("metrics that agree about all trials lead to one model, though their directions differ", async () => {
  const regression: RunConfigInput = {
    task: { taskKind: "regression", labelColumn: "x" },
    modelFamilies: ["linear"],
    metrics: ["rmse", "r2"],
    gridSize: 0.25,
    nTrials: 3,
    // Over one split both order the trials alike.
    nCvSplits: null,
    ensemble: false,
  };
  const { state } = await run(regression, two);
  expect(state.selections.length).toBe(1);
  expect(state.selections[0].alsoFor.length).toBe(4);
  expect(state.pareto?.hypervolume).toBeCloseTo(1, 12);
});

it("says so when it keeps only some of a large front", () => {
  const selections = Array.from({ length: MOST_MODELS + 6 }, (_, i) => ({
    kind: "winner" as const,
    metricWeights: [1, 0],
    alsoFor: [],
    members: [{ trial: i, weight: 1, calibration: null }],
    layer: null,
    threshold: null,
    scores: { rmse: i, mae: -(i ** 2) },
    path: [],
    notes: [],
  }));
  const { run: some } = prepared({ ...config, gridSize: null });
  const plan: RunPlan = { ...some.plan, metrics: ["rmse", "mae"] };
  const { pareto, selections: kept } = frontOf(selections, plan, { divisions: 99, weights: 100 });
  expect(kept.length).toBe(MOST_MODELS);
  expect(pareto.bounded).toBe(6);
  expect(pareto.notes[0]).toMatch(/led to 30 models.*at most 24/);
});

describe("a grid of weights is refused", () => {
  it.each([
    ["of one metric", { gridSize: 4 }, ["rmse"], ["gridSize"], /at least two metrics.*rmse alone/],
    ["of one metric twice", { gridSize: 4 }, ["mae", "mae"], ["metrics", 1], /mae is named twice/],
    [
      "of too many weights",
      { gridSize: 0.001 },
      ["rmse", "mae", "r2"],
      ["gridSize"],
      /1000 divisions of 3 metrics are 501501 weights.*at most 61 divisions/,
    ],
  ])("%s", (_, some, metrics, path, message) => {
    const plan = (): unknown => planSweep(some, metrics);
    expect(plan).toThrow(ConfigError);
    expect(plan).toThrow(message);
    try {
      plan();
    } catch (error) {
      expect(error).toMatchObject({ path });
    }
  });

  it.each([0, -3, 1.5])("of size %d", (gridSize) => {
    expect(runConfigSchema.safeParse({ ...config, gridSize }).success).toBe(false);
  });
});

describe("a log of the former version", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const scores = { rmse: 1, mae: 0.5 };
  const files = [{ path: "model.json", bytes: 3, sha256: "ab" }];

  function formerLog(plan: RunPlan): MemoryRunStore {
    const store = new MemoryRunStore();
    const { logVersion: _, ...former } = plan;
    const events: unknown[] = [
      { type: "planned", plan: former, at },
      { type: "step_asked", step: 0, trials: [{ trial: 0, row: 0, parameters: {} }], at },
      { type: "trial_finished", trial: 0, scores, at },
      {
        type: "selected",
        selection: { kind: "winner", members: [{ trial: 0, weight: 1 }], scores, path: [] },
        at,
      },
      { type: "fitted", facts: { rounds: 7 }, seconds: 1, at },
      { type: "done", files, at },
    ];
    // As the store would read them: through JSON.
    store.events.push(...JSON.parse(JSON.stringify(events)));
    return store;
  }

  it("is read as one of one model", async () => {
    const { run: plain } = prepared({ ...config, gridSize: null });
    const state = foldEvents(await formerLog(plain.plan).readEvents());
    expect(state.phase).toBe("done");
    expect(state.selections).toMatchObject([
      { kind: "winner", metricWeights: [1, 0], alsoFor: [] },
    ]);
    expect(state.fitted).toEqual([{ rounds: 7 }]);
    expect(state.models).toEqual([{ files }]);
  });

  it("is begun anew when its run is gone on with, and says why", async () => {
    const plain: RunConfigInput = { ...config, gridSize: null, nTrials: 1, nCvSplits: null };
    const begun = prepared(plain);
    const store = formerLog(begun.run.plan);
    await store.putArtifact("model/old", new Uint8Array(1));
    await new RunDriver({ ...begun, store, pool: two }).drive();
    const planned = store.events.filter((event) => event.type === "planned");
    expect(planned[1]).toMatchObject({
      anew: expect.stringContaining(`format 1; this one writes ${LOG_VERSION}`),
    });
    expect(modelFiles(store)).toEqual(modelFiles((await run(plain, two)).store));
  });
});
