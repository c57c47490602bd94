/** What fits are held to that had no time: a quarter of many rows, and all where there are few. */

import { beforeAll, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { NumericColumn, Table } from "../data/table.ts";
import { parseModelDocument } from "../model/document.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { runConfigSchema } from "./config/config.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { fewerRows } from "./pool-tasks/fit-task.ts";
import { RunDriver } from "./run.ts";

let pool: ComputePool;
beforeAll(() => {
  pool = sharedPool(2);
});

const STEPS = 20;

/** The sign of a wave tells the label. */
function waves(count: number): Table {
  const random = new CounterRandom(deriveKey(1, "waves"));
  const column = (name: string, value: (s: number, t: number) => number): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: count * STEPS }, (_, row) =>
      value(Math.floor(row / STEPS), row % STEPS),
    ),
  });
  return {
    rows: count * STEPS,
    columns: [
      column("id", (s) => s),
      column("t", (_, t) => t),
      column("a", (s, t) => (s % 2 ? 1 : -1) * Math.sin(t) + random.nextGaussian()),
      column("y", (s) => s % 2),
    ],
  };
}

it("is a quarter, but not less than 100", () => {
  expect([4000, 401, 300, 100, 48].map(fewerRows)).toEqual([1000, 101, 100, 100, 48]);
});

it.each([
  [60, null],
  [300, 100],
] as const)("of %i sequences", async (count, held) => {
  const config = runConfigSchema.parse({
    task: {
      taskKind: "sequence_binclass",
      labelColumn: "y",
      sequenceColumn: "id",
      orderColumn: "t",
    },
    modelFamilies: ["minirocket"],
    nCvSplits: 2,
    // Over before the first fit has begun.
    timeBudgetS: 0.001,
  });
  const store = new MemoryRunStore();
  const run = new RunDriver({ run: prepareTable(waves(count), config), config, store, pool });
  const { trials } = await run.drive();
  const cuts = trials[0].folds.map((fold) => (fold?.state === "finished" ? fold.cut : undefined));
  expect(cuts.map((cut) => cut?.rows ?? null)).toEqual([held, held]);
  const { card } = parseModelDocument(await readModelFile(store, "model.json", 0));
  const ofFits = card.budget?.cut.filter((sentence) => /^\d+ of \d+ fits/.test(sentence));
  // None was ended early: of so few rows each came to its own end.
  expect(ofFits).toEqual(
    held === null
      ? []
      : ["2 of 2 fits were held to 100 of their rows: there was no time to learn from more."],
  );
});
