/** A fit whose helper is lost: it is done again alone, and the run's model is what it would have been. */

import { afterAll, expect, it } from "vitest";
import { HelperLostError } from "../compute/crew-desk.ts";
import type { ComputePool, TaskOptions } from "../compute/pool.ts";
import { describeThrown } from "../compute/thrown.ts";
import { isShared } from "../families/gbdt/sharing.ts";
import { createPool, reviveThrown } from "../worker/pool.ts";
import { runConfigSchema } from "./config/config.ts";
import { MemoryRunStore } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { RunDriver } from "./run.ts";
import { modelFiles } from "./testing/dying-store.ts";

const pool = createPool(2);
afterAll(() => pool.close());

const rows = 2 ** 16;
const table = {
  rows,
  columns: Array.from({ length: 33 }, (_, c) => ({
    kind: "numeric" as const,
    name: c === 0 ? "y" : `x${c}`,
    values: Float64Array.from({ length: rows }, (_, row) => (row * (c + 7)) % (11 + c)),
  })),
};

/** Every fit that would be helped loses its helper. */
function losing(): { readonly pool: ComputePool; readonly lost: () => number } {
  let lost = 0;
  const run = <Input, Output>(name: string, input: Input, options: TaskOptions = {}) => {
    if (!options.crew) return pool.run<Input, Output>(name, input, options);
    lost++;
    return Promise.reject<Output>(reviveThrown(describeThrown(new HelperLostError())));
  };
  const harmed = new Proxy(pool, {
    get: (of, member) => (member === "run" ? run : Reflect.get(of, member)),
  });
  return { pool: harmed, lost: () => lost };
}

async function filesOf(on: ComputePool) {
  const fixed = { n_estimators: 2, num_leaves: 4 };
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y" },
    modelFamilies: ["gbdt"],
    hpoSpace: { models: [{ family: "gbdt", fixed }] },
    metrics: ["rmse"],
    nTrials: 1,
    nCvSplits: 2,
    ensemble: false,
    importanceRows: 50,
  });
  const store = new MemoryRunStore();
  await new RunDriver({ run: prepareTable(table, config), config, store, pool: on }).drive();
  return modelFiles(store);
}

it("is done again alone", async () => {
  expect(isShared(rows / 2, table.columns.length - 1)).toBe(true);
  const { pool: harmed, lost } = losing();
  const files = await filesOf(harmed);
  // Two folds and the refit.
  expect(lost()).toBe(3);
  expect(files).toEqual(await filesOf(pool));
});
