import process from "node:process";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { NumericColumn, Table } from "../data/table.ts";
import { parseModelDocument } from "../model/document.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "./config/config.ts";
import { AllTrialsFailedError, RunCancelledError } from "./config/errors.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import type { PreparedRun } from "./plan/prepared.ts";
import { RunDriver } from "./run.ts";
import { DyingStore, modelFiles } from "./testing/dying-store.ts";

const IS_LONG = Boolean(process.env["DISTILLERY_LONG"]);

let one: ComputePool;
let two: ComputePool;
beforeAll(() => {
  one = sharedPool(1);
  two = sharedPool(2);
});

function numericTable(rows: number, label: (x: number, z: number) => number): Table {
  const random = new CounterRandom(deriveKey(3, "table"));
  const column = (name: string): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, () => random.nextGaussian()),
  });
  const [x, z] = [column("x"), column("z")];
  const y = { ...column("y"), values: x.values.map((value, i) => label(value, z.values[i])) };
  return { rows, columns: [x, z, y] };
}

const table = numericTable(300, (x, z) => 3 * x + Math.sin(4 * z));

function prepared(config: RunConfigInput): { run: PreparedRun; config: RunConfig } {
  const parsed = runConfigSchema.parse(config);
  return { run: prepareTable(table, parsed), config: parsed };
}

const config: RunConfigInput = {
  task: { taskKind: "regression", labelColumn: "y" },
  modelFamilies: ["gbdt", "linear"],
  hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 30 } }] },
  metrics: ["rmse", "mae"],
  nTrials: 3,
  nTrialsPerStep: 2,
  nCvSplits: 3,
};

async function undisturbed(more: RunConfigInput, pool: ComputePool): Promise<MemoryRunStore> {
  const store = new MemoryRunStore();
  await new RunDriver({ ...prepared(more), store, pool }).drive();
  return store;
}

describe("RunDriver", () => {
  it("shuffles no more than the 500 columns that fits rely on most, and says so", async () => {
    const { rows, columns } = numericTable(60, (x) => x);
    const [x, z, y] = columns;
    const wide = Array.from({ length: 509 }, (_, i) => ({ ...z, name: `z${i}` }));
    const parsed = runConfigSchema.parse({
      task: config.task,
      modelFamilies: ["gbdt"],
      hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 3 } }] },
      nTrials: 1,
      nCvSplits: 2,
      ensemble: false,
      importanceRows: 20,
    });
    const run = prepareTable({ rows, columns: [...wide, x, y] }, parsed);
    const store = new MemoryRunStore();
    await new RunDriver({ run, config: parsed, store, pool: one }).drive();
    const { card } = parseModelDocument(await readModelFile(store, "model.json", 0));
    expect(card.importance.permutation).toHaveLength(500);
    expect(card.importance.permutation[0]?.column).toBe("x");
    expect(card.notes).toEqual([expect.stringContaining("Of 510 columns")]);
  });

  it.each([
    ["gbdt", 270_000, 3],
    ["random_forest", 20_000, 8],
  ])(
    "writes the same files where idle threads help with a large %s",
    async (family, rows, trees) => {
      const long = numericTable(rows, (x, z) => Math.round(x) + z);
      const more = long.columns.slice(0, 2).flatMap((column) => [
        { ...column, name: `${column.name}2` },
        { ...column, name: `${column.name}3` },
      ]);
      const parsed = runConfigSchema.parse({
        task: { taskKind: "regression", labelColumn: "y" },
        modelFamilies: [family],
        hpoSpace: { models: [{ family, fixed: { n_estimators: trees } }] },
        metrics: ["rmse"],
        nTrials: 1,
        nCvSplits: null,
        ensemble: false,
        importanceRows: 100,
      });
      const run = prepareTable({ rows: long.rows, columns: [...long.columns, ...more] }, parsed);
      const calls = vi.spyOn(two, "run");
      const files = [];
      for (const pool of [one, two]) {
        const store = new MemoryRunStore();
        await new RunDriver({ run, config: parsed, store, pool }).drive();
        files.push(modelFiles(store));
      }
      expect(files[1]).toEqual(files[0]);
      const helped = calls.mock.calls
        .filter(([, , options]) => options?.crew)
        .map(([name]) => name);
      expect(helped).toEqual(["fitFold", "refit"]);
      calls.mockRestore();
    },
  );

  it("makes equal files with one and with two workers", async () => {
    const files = modelFiles(await undisturbed(config, one));
    expect(Object.keys(files)).toContain("model/model.json");
    expect(modelFiles(await undisturbed(config, two))).toEqual(files);
  });

  it.each([
    ["an ensemble", config],
    ["a winner with strict folds", { ...config, ensemble: false, strictFolds: true }],
  ])("ends with the same files wherever it is killed: %s", async (_, more) => {
    const reference = await undisturbed(more, two);
    const total = reference.events.length;
    for (const [death, { type }] of reference.events.entries()) {
      // Folds that end are alike: of them each fourth, unless there is time for all.
      if (!IS_LONG && type === "fold_finished" && death % 4 !== 0) continue;
      const store = new MemoryRunStore();
      const dying = new DyingStore(store, death);
      await expect(
        new RunDriver({ ...prepared(more), store: dying, pool: two }).drive(),
      ).rejects.toThrow("killed");
      await new RunDriver({ ...prepared(more), store, pool: two }).drive();
      expect(modelFiles(store)).toEqual(modelFiles(reference));
      expect(store.events.length).toBe(total);
    }
  });

  it("leaves no fits behind, and keeps the out-of-fold predictions", async () => {
    const store = await undisturbed(config, two);
    const names = [...store.artifacts.keys()];
    expect(names.filter((name) => name.startsWith("fits/"))).toEqual([]);
    expect(names.filter((name) => name.startsWith("predictions/")).length).toBe(2 * 3 * 3);
  });

  it("tells trials in their order, whatever order folds finish in", async () => {
    const { events } = await undisturbed(config, two);
    const told = events.flatMap((event) => (event.type === "trial_finished" ? [event.trial] : []));
    expect(told).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("starts anew when the plan is another one", async () => {
    const store = await undisturbed({ ...config, nTrials: 1 }, two);
    await new RunDriver({ ...prepared(config), store, pool: two }).drive();
    expect(modelFiles(store)).toEqual(modelFiles(await undisturbed(config, two)));
  });

  it("stops at once when cancelled, and can be resumed", async () => {
    const store = new MemoryRunStore();
    const cancel = new AbortController();
    const driver = new RunDriver({
      ...prepared(config),
      store,
      pool: two,
      signal: cancel.signal,
      onEvent: (event) => event.type === "fold_finished" && cancel.abort(),
    });
    await expect(driver.drive()).rejects.toThrow(RunCancelledError);
    await new RunDriver({ ...prepared(config), store, pool: two }).drive();
    expect(modelFiles(store)).toEqual(modelFiles(await undisturbed(config, two)));
  });

  it("honours a time budget, and says how many trials it allowed", async () => {
    const store = await undisturbed({ ...config, nTrials: 200, timeBudgetS: 1 }, two);
    const stopped = store.events.find((event) => event.type === "search_stopped");
    const finished = store.events.filter((event) => event.type === "trial_finished").length;
    expect(stopped).toMatchObject({ trials: finished });
    expect(finished).toBeGreaterThan(0);
    expect(finished).toBeLessThan(400);
  });

  it("goes on without trials that throw, and fails with the first reason when all do", async () => {
    const { run, config: parsed } = prepared({ ...config, nTrials: 1 });
    const [first, second] = run.plan.matrix;
    const broken = { ...first, family: "absent" };
    const some = { ...run, plan: { ...run.plan, matrix: [broken, second] } };
    const store = new MemoryRunStore();
    const state = await new RunDriver({ run: some, config: parsed, store, pool: two }).drive();
    expect(state.trials.map((trial) => trial.state)).toEqual(["failed", "finished"]);
    expect(state.trials[0].reason).toContain("absent");

    const none = { ...run, plan: { ...run.plan, matrix: [broken, broken] } };
    const failing = new RunDriver({
      run: none,
      config: parsed,
      store: new MemoryRunStore(),
      pool: two,
    });
    await expect(failing.drive()).rejects.toThrow(AllTrialsFailedError);
    await expect(failing.drive()).rejects.toThrow(/absent/);
  });
});
