/** Nearly all rows weigh nothing, whole folds of them: what remains is a model that can be read again. */

import { expect, it } from "vitest";
import type { NumericColumn, Table } from "../data/table.ts";
import { loadModel } from "../model/load.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { runConfigSchema } from "./config/config.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { RunDriver } from "./run.ts";

const ROWS = 60;
const column = (name: string, of: (row: number) => number): NumericColumn => ({
  kind: "numeric",
  name,
  values: Float64Array.from({ length: ROWS }, (_, row) => of(row)),
});

it.each([5, 60])("of %i rows with a weight", async (weighed) => {
  const table: Table = {
    rows: ROWS,
    columns: [
      column("x", (row) => (row * 17) % 60),
      column("w", (row) => Number(row < weighed)),
      column("y", (row) => ((row * 17) % 60) / 10 + (row % 3)),
    ],
  };
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y", weightColumn: "w" },
    modelFamilies: ["gbdt"],
    nTrials: 1,
    nCvSplits: 10,
  });
  const store = new MemoryRunStore();
  const pool = sharedPool(2);
  const run = prepareTable(table, config);
  const areWeightless = run.folds.some(({ valid }) => valid.every((row) => row >= weighed));
  expect(areWeightless).toBe(weighed < ROWS);
  const driver = new RunDriver({ run, config, store, pool });
  await driver.drive();
  const model = await loadModel((path) => readModelFile(store, path));
  const [{ column: first, importance }] = model.document.card.importance.permutation;
  expect(first).toBe("x");
  expect(Number.isFinite(importance)).toBe(true);
});
