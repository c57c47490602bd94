/** Of how many rows predicting is timed in the seconds that there are for it. */

import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Table } from "../../data/table.ts";
import { loadModel } from "../../model/load.ts";
import type { Model } from "../../model/model.ts";
import { sharedPool } from "../../testing/shared-pools.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../../trainer/log/store.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import { RunDriver } from "../../trainer/run.ts";
import { predictingTime } from "./predicting-time.ts";

const ROWS = 40;
const rows = Array.from({ length: ROWS }, (_, row) => row);
const values = (name: string, of: (row: number) => number) =>
  ({ kind: "numeric", name, values: Float64Array.from(rows, of) }) as const;
const table: Table = {
  rows: ROWS,
  columns: [values("x", (i) => (i * 7) % 40), values("y", (i) => 2 * ((i * 7) % 40))],
};
const sample = { columns: ["x"], data: rows.map((row) => [(row * 7) % 40]), rows };

let model: Model;
let run: PreparedRun;

beforeAll(async () => {
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y" },
    modelFamilies: ["linear"],
    nTrials: 1,
    nCvSplits: 2,
  });
  run = prepareTable(table, config);
  const store = new MemoryRunStore();
  await new RunDriver({ run, config, store, pool: sharedPool(1) }).drive();
  model = await loadModel((path) => readModelFile(store, path));
});

afterEach(() => vi.restoreAllMocks());

/** Of a model that takes so many seconds to make itself ready, and for each row. */
function timed(ready: number, ofRow: number, seconds: number) {
  let [now, spent, isReady] = [0, 0, false];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const predict = model.predict.bind(model);
  vi.spyOn(model, "predict").mockImplementation((asked, ...others) => {
    const said = predict(asked, ...others);
    const took = (isReady ? 0 : ready) + ofRow * said.values.length;
    [now, spent, isReady] = [now + 1000 * took, spent + took, true];
    return said;
  });
  const time = predictingTime(model, run, sample, seconds);
  vi.restoreAllMocks();
  return { ...time, spent };
}

test("all where there is time", () => {
  const { rows: count, seconds } = timed(1, 0.001, 60);
  expect(count).toBe(1000);
  expect(seconds).toBeCloseTo(1, 9);
});

test("as many as fit in what is left, and no more time than that", () => {
  const { rows: count, seconds, spent } = timed(1, 0.001, 1.5);
  expect(count).toBeGreaterThan(200);
  expect(count).toBeLessThan(400);
  expect(seconds).toBeCloseTo(0.001 * (count ?? 0), 9);
  expect(spent).toBeLessThanOrEqual(1.5 + 1e-9);
});

test("few at the least, whatever they take", () => {
  expect(timed(0, 0.1, 1)).toMatchObject({ rows: 100, spent: 10 });
  const { rows: count, spent } = timed(0, 0.1, 15);
  expect([count, Math.round(spent)]).toEqual([100, 20]);
});
