/** JSON requests in parts: what is answered and counted is that of the whole. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loadModel,
  type Model,
  modelFolder,
  predictionsOf,
  predictRows,
  type Rows,
  reviveError,
  train,
} from "@distillery/engine";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UnprocessableError } from "../../input/problem.ts";
import { joinParts, planRows, predictPart } from "./answer-parts.ts";
import { DriftCounts } from "./drift-counts.ts";
import type { Asked, PlannedRows } from "./messages.ts";
import type { PartsPool } from "./parts.ts";
import { predictBody } from "./predict-body.ts";
import { ServingPool } from "./serving-pool.ts";

let home: string;
/** Of three classes, with a network; and of a value. */
let folders: string[];
let models: Model[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "parts-"));
  const lines = Array.from({ length: 240 }, (_, row) => {
    const x = (row * 37) % 100;
    const shop = ["north", "south", "east"][row % 3];
    const day = new Date(Date.UTC(2024, 0, 1 + (row % 90))).toISOString();
    return `${x},${shop},${day},${x > 60 ? "a" : row % 3 === 0 ? "b" : "c"},${x + (row % 3)}`;
  });
  const path = join(home, "shops.csv");
  await writeFile(path, ["x,shop,day,class,value", ...lines].join("\n"));
  folders = [];
  for (const [labelColumn, taskKind, other, families] of [
    ["class", "multiclass", "value", ["gbdt", "mlp"]],
    ["value", "regression", "class", ["linear"]],
  ] as const) {
    const folder = join(home, labelColumn);
    await train(
      { path, format: "csv" },
      {
        task: { taskKind, labelColumn, ignoreColumns: [other] },
        modelFamilies: [...families],
        hpoSpace: {
          models: families.map((family) => ({
            family,
            ...(family === "mlp" && { fixed: { epochs: 2, hidden_width: 16 } }),
          })),
        },
        nTrials: families.length,
        nCvSplits: 2,
      },
      { folder },
    );
    folders.push(join(folder, "model"));
  }
  models = await Promise.all(folders.map((folder) => loadModel(modelFolder(folder))));
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

const row = fc.record(
  {
    x: fc.option(fc.integer({ min: -10, max: 120 })),
    shop: fc.constantFrom("north", "south", "east", null, "north", "nowhere"),
    day: fc.constantFrom("2024-02-03", "2024-03-01T10:00:00Z", null),
  },
  { requiredKeys: ["x"] },
);
const many: fc.Arbitrary<Rows> = fc
  .tuple(fc.array(row, { minLength: 1, maxLength: 9 }), fc.integer({ min: 129, max: 700 }))
  .map(([rows, count]) => ({
    instances: Array.from({ length: count }, (_, at) => ({
      ...rows[at % rows.length],
      x: rows[at % rows.length].x === null ? null : (at * 7) % 113,
    })),
  }));

/** Parts are as small as they may be, however fast the model is. */
const SMALLEST_MS = 1e-9;

const counted = (drift: DriftCounts) => drift.take().map(({ counts }) => [...counts]);

test("rows in parts are answered, warned of and counted as they are together", () => {
  let split = 0;
  const property = fc.property(
    many,
    fc.constantFrom(0, 1),
    fc.constantFrom(undefined, 0.8),
    fc.integer({ min: 2, max: 5 }),
    (rows, which, coverage, threads) => {
      const model = models[which];
      const ids = { modelId: "m", folder: "", endpointId: "e", coverage };
      const drift = new DriftCounts();
      const planned = planRows(model, { ...ids, rows, threads }, drift, SMALLEST_MS);
      if (planned === null || !("tables" in planned)) throw new Error("It was not split.");
      split = Math.max(split, planned.tables.length);
      const parts = planned.tables.map((table) => predictPart(model, { ...ids, table }, drift));
      const all = planned.first ? [planned.first, ...parts] : parts;
      const found = joinParts(model, { parts: all, warnings: planned.warnings });
      const whole = predictRows(model, { rows, coverage });
      expect(predictionsOf(found)).toEqual(predictionsOf(whole));
      const alone = new DriftCounts();
      alone.add(model, ids, whole);
      expect(counted(drift)).toEqual(counted(alone));
    },
  );
  fc.assert(property, { numRuns: 40 });
  expect(split).toBeGreaterThan(3);
});

test("few rows, or one thread, are no parts", () => {
  const rows = { instances: Array.from({ length: 128 }, () => ({ x: 1, shop: "east" })) };
  const ids = { modelId: "m", folder: "" };
  const drift = new DriftCounts();
  expect(planRows(models[0], { ...ids, rows, threads: 2 }, drift, SMALLEST_MS)).toBeNull();
  const more = { instances: [...rows.instances, ...rows.instances] };
  expect(planRows(models[0], { ...ids, rows: more, threads: 1 }, drift, SMALLEST_MS)).toBeNull();
});

test("threads answer a body in parts with the bytes that one of them answers", async () => {
  const pool = new ServingPool({
    threads: 2,
    modelBytes: 2 ** 30,
    mostWaiting: 100,
    mostWaitingBytes: 2 ** 24,
    revive: (thrown) =>
      thrown.name === "UnprocessableError" && Array.isArray(thrown.members["detail"])
        ? new UnprocessableError(thrown.members["detail"])
        : reviveError(thrown),
  });
  const asked: string[] = [];
  /** Splits whatever the time. */
  const splitting: PartsPool = {
    threads: 2,
    ask<Answer>(one: Asked): Promise<Answer> {
      asked.push(one.kind);
      if (one.kind !== "planBody") return pool.ask(one);
      const { body, ...request } = one.request;
      const rows: Rows = JSON.parse(Buffer.from(body).toString());
      const planned = planRows(models[0], { ...request, rows }, new DriftCounts(), SMALLEST_MS);
      const plan: PlannedRows | null = planned && "tables" in planned ? { ...planned, body } : null;
      // As a thread would answer it.
      return Promise.resolve(plan as Answer);
    },
  };
  try {
    const instances = Array.from({ length: 600 }, (_, at) => ({
      x: (at * 13) % 100,
      shop: ["north", "west", null][at % 3],
      day: "2024-02-03",
    }));
    const bodyOf = (rows: Rows): Uint8Array => new TextEncoder().encode(JSON.stringify(rows));
    const request = { modelId: "m", folder: folders[0] };
    const whole = await pool.ask<{ readonly body: Uint8Array }>({
      kind: "predictBody",
      request: { ...request, body: bodyOf({ instances }) },
    });
    const parts = await predictBody(splitting, { ...request, body: bodyOf({ instances }) });
    expect(Buffer.from(parts.body).toString()).toBe(Buffer.from(whole.body).toString());
    expect(parts.rows).toBe(600);
    expect(asked.filter((kind) => kind === "predictPart").length).toBeGreaterThan(3);
    const real = await predictBody(pool, { ...request, body: bodyOf({ instances }) });
    expect(Buffer.from(real.body).equals(Buffer.from(whole.body))).toBe(true);
    const wrong = { instances: [...instances, { x: "many" }] };
    const fault = predictBody(pool, { ...request, body: bodyOf(wrong) });
    await expect(fault).rejects.toMatchObject({
      detail: [{ loc: ["body", "instances", 600, "x"] }],
    });
  } finally {
    await pool.close();
  }
});
