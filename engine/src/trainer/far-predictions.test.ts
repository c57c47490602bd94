/** Models that extrapolate say where they do. */

import { beforeAll, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import type { NumericColumn, Table } from "../data/table.ts";
import { loadModel } from "../model/load.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema } from "./config/config.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { RunDriver } from "./run.ts";

let pool: ComputePool;
beforeAll(() => {
  pool = sharedPool(2);
});

const column = (name: string, values: readonly number[]): NumericColumn => ({
  kind: "numeric",
  name,
  values: Float64Array.from(values),
});

const tableOf = (days: readonly number[]): Table => ({
  rows: days.length,
  columns: [
    column("day", days),
    column(
      "sold",
      days.map((day) => 100 + 3 * day + (day % 4)),
    ),
  ],
});

async function trained(task: RunConfigInput["task"], table: Table) {
  const config = runConfigSchema.parse({
    task,
    modelFamilies: ["linear"],
    hpoSpace: { models: [{ family: "linear", fixed: { numeric_transform: "none" } }] },
    nTrials: 1,
    nCvSplits: 3,
  });
  const store = new MemoryRunStore();
  await new RunDriver({ run: prepareTable(table, config), config, store, pool }).drive();
  return loadModel((path) => readModelFile(store, path));
}

it("a prediction far outside of those of the training rows is told, and no other", async () => {
  const table = tableOf(Array.from({ length: 12 }, (_, day) => day));
  const model = await trained({ taskKind: "regression", labelColumn: "sold" }, table);
  expect(model.predict(table).warnings).toEqual([]);
  expect(model.predict(tableOf([13])).warnings).toEqual([]);
  const { values, warnings } = model.predict(tableOf([3, 2000, -2000]));
  expect(Math.abs(values[1])).toBeGreaterThan(1000);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^Predictions lie far outside of [\d.]+ to [\d.]+, where those of the training rows do, such as [\d.]+, in 2 of 3 rows\.$/,
    ),
  ]);
  expect(warnings[0]).toContain(`such as ${Number(values[1].toPrecision(4))},`);
});

it("quantiles are far where the central one is", async () => {
  const table = tableOf(Array.from({ length: 40 }, (_, day) => day));
  const quantiles = [0.1, 0.5, 0.9];
  const task = { taskKind: "quantile_regression", labelColumn: "sold", quantiles } as const;
  const model = await trained(task, table);
  expect(model.predict(table).warnings).toEqual([]);
  expect(model.predict(tableOf([3, 2000, 7])).warnings).toEqual([
    expect.stringMatching(/^Predictions lie far outside .* in 1 of 3 rows\.$/),
  ]);
});

it("probabilities are never far", async () => {
  const { columns } = tableOf(Array.from({ length: 40 }, (_, day) => day));
  const classes = column(
    "class",
    columns[0].kind === "numeric" ? [...columns[0].values].map((day) => (day % 7 > 3 ? 1 : 0)) : [],
  );
  const table = { rows: 40, columns: [columns[0], classes] };
  const model = await trained({ taskKind: "binclass", labelColumn: "class" }, table);
  const { warnings } = model.predict({ rows: 2, columns: [column("day", [1e6, -1e6])] });
  expect(warnings).toEqual([]);
});
