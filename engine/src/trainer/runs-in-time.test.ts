/** Models of runs whose folds follow each other in time answer for rows later than all that was learned. */

import { beforeAll, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
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

const ROWS = 600;
const RISE = 6;

/** Rows from `first` on of a series that rises by `RISE` over the rows that are learned from. */
function rising(first: number, rows: number): Table {
  const random = new CounterRandom(deriveKey(first, "rising"));
  const column = (name: string, value: (row: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, (_, row) => value(first + row)),
  });
  const [t, x] = [column("t", (row) => row), column("x", () => random.nextGaussian())];
  const y = column("y", (row) => (RISE * row) / ROWS + x.values[row - first]);
  return { rows, columns: [t, x, y] };
}

async function trained(more: Partial<RunConfigInput>) {
  const config = runConfigSchema.parse({
    task: { taskKind: "regression", labelColumn: "y", timeColumn: "t" },
    hpoSpace: {
      models: [
        { family: "gbdt", fixed: { n_estimators: 60 } },
        { family: "extra_trees", fixed: { n_estimators: 30 } },
      ],
    },
    nTrials: 1,
    ...more,
  });
  const store = new MemoryRunStore();
  await new RunDriver({
    run: prepareTable(rising(0, ROWS), config),
    config,
    store,
    pool,
  }).drive();
  return loadModel((path) => readModelFile(store, path));
}

/** How far behind the series its prediction of the rows after the last is, on average. */
function lag(model: Awaited<ReturnType<typeof trained>>): number {
  const fresh = rising(ROWS, 60);
  const { values } = model.predict(fresh);
  const truth = fresh.columns[2] as NumericColumn;
  return values.reduce((sum, value, row) => sum + truth.values[row] - value, 0) / fresh.rows;
}

it("is a blend, each of whose trials is fitted once more on all rows", async () => {
  const model = await trained({});
  const { kind, members } = model.document;
  expect(kind).toBe("ensemble");
  expect(members.every(({ fold }) => fold === null)).toBe(true);
  // Trees answer with the latest that they know: half the stretch behind on average.
  expect(lag(model)).toBeLessThan(RISE * 0.12);
  const config = { task: { taskKind: "regression", labelColumn: "y" } } as const;
  const parsed = runConfigSchema.parse(config);
  expect(parsed.ensemble).toBe(true);
  expect(JSON.stringify(runConfigSchema.parse(parsed))).toBe(JSON.stringify(parsed));
});

it.each([false, true])("is refitted too with strict folds: %s", async (strict) => {
  const model = await trained({ ensemble: true, strictFolds: strict });
  const { members } = model.document;
  expect(members.map(({ fold }) => fold)).toEqual(members.map(() => null));
  expect(members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
  expect(lag(model)).toBeLessThan(RISE * 0.12);
});

it("is one trial, fitted on all rows, where no blend is wanted", async () => {
  const model = await trained({ ensemble: false });
  expect(model.document.kind).toBe("winner");
  expect(lag(model)).toBeLessThan(RISE * 0.12);
  const { notes = [], scoresByFold, meanFoldScores } = model.document.card;
  const said = notes.find((note) => note.startsWith("Fold by fold, in order of time, rmse is"));
  expect(said).toMatch(/first fold learned from 200 rows and the last from 520,/);
  const shown = /rmse is ([^ ]+, [^ ]+, [^ ]+, [^ ]+, [^ ]+)\. /.exec(said ?? "")?.[1].split(", ");
  expect(shown).toHaveLength(5);
  expect(scoresByFold.map(({ scores }) => scores["rmse"]?.toPrecision(4))).toEqual(shown);
  const mean = (shown ?? []).reduce((sum, score) => sum + Number(score) / 5, 0);
  expect(mean).toBeCloseTo(meanFoldScores?.["rmse"] ?? 0, 3);
});
