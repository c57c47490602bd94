import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loadModel,
  type Model,
  ModelFormatError,
  modelFolder,
  placesOf,
  predictionsOf,
  predictRows,
  type Rows,
  reviveError,
  train,
} from "@distillery/engine";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Problem, UnprocessableError } from "../../input/problem.ts";
import type { AnsweredRows } from "../answered-rows.ts";
import { answerTogether } from "./answer-together.ts";
import { DriftCounts } from "./drift-counts.ts";
import type { Asked } from "./messages.ts";
import { type ServingOptions, ServingPool } from "./serving-pool.ts";

let home: string;
/** Models of three classes, and of a value. */
let folders: string[];
let models: Model[];

const MOST = { modelBytes: 2 ** 30, mostWaiting: 100, mostWaitingBytes: 2 ** 20 };
const pools: ServingPool[] = [];

function pool(options: Partial<ServingOptions> = {}): ServingPool {
  const revive: ServingOptions["revive"] = (thrown) =>
    thrown.name === "UnprocessableError" && Array.isArray(thrown.members["detail"])
      ? new UnprocessableError(thrown.members["detail"])
      : reviveError(thrown);
  const made = new ServingPool({ ...MOST, threads: 1, revive, ...options });
  pools.push(made);
  return made;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "serving-"));
  const lines = Array.from({ length: 240 }, (_, row) => {
    const x = (row * 37) % 100;
    const shop = ["north", "south", "east"][row % 3];
    return `${x},${shop},${(row * 7) % 11},${x > 60 ? "a" : row % 3 === 0 ? "b" : "c"},${x + (row % 3)}`;
  });
  const path = join(home, "shops.csv");
  await writeFile(path, ["x,shop,z,class,value", ...lines].join("\n"));
  folders = [];
  for (const [label, taskKind, families] of [
    ["class", "multiclass", ["gbdt", "linear"]],
    ["value", "regression", ["random_forest"]],
  ] as const) {
    const folder = join(home, label);
    await train(
      { path, format: "csv" },
      {
        task: {
          taskKind,
          labelColumn: label,
          ignoreColumns: [label === "class" ? "value" : "class"],
        },
        modelFamilies: [...families],
        nTrials: families.length,
        nCvSplits: 2,
        ensemble: true,
      },
      { folder },
    );
    folders.push(join(folder, "model"));
  }
  models = await Promise.all(folders.map((folder) => loadModel(modelFolder(folder))));
});

afterAll(async () => {
  await Promise.all(pools.map((each) => each.close()));
  await rm(home, { recursive: true, force: true });
});

const row = fc.record({
  x: fc.option(fc.integer({ min: -10, max: 120 })),
  shop: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("north", "south", "east", null) },
    fc.constant("nowhere"),
  ),
  z: fc.double({ min: 0, max: 12, noNaN: true }),
});
const wellFormed: fc.Arbitrary<Rows> = fc.oneof(
  fc.array(row, { minLength: 1, maxLength: 3 }).map((instances) => ({ instances })),
  fc.array(row, { minLength: 1, maxLength: 3 }).map((rows) => ({
    columns: ["z", "x", "shop"],
    data: rows.map(({ x, shop, z }) => [z, x, shop]),
  })),
);
/** A number that is none, a column that nobody knows, one that is absent, and no row. */
const illFormed: fc.Arbitrary<Rows> = fc.constantFrom<Rows>(
  { instances: [{ x: "many", shop: "north", z: 1 }] },
  { instances: [{ x: 1, shop: "north", z: 1, other: 2 }] },
  {
    instances: [
      { x: 1, shop: "south" },
      { x: 1, z: 3, shop: "south" },
    ],
  },
  { columns: ["x"], data: [[1, 2]] },
  { instances: [] },
);
const coverage = fc.constantFrom(undefined, 0.8);
const modelId = fc.constant("m");
const endpointId = fc.constantFrom(undefined, "one", "other");

test("requests that are answered together are answered as each is alone", () => {
  let together = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ modelId, endpointId, rows: wellFormed, coverage }), {
        minLength: 2,
        maxLength: 12,
      }),
      fc.constantFrom(0, 1),
      (requests, which) => {
        const model = models[which];
        const counted = new DriftCounts();
        const expected = new DriftCounts();
        const answers = answerTogether(model, requests, counted);
        expect(answers).toHaveLength(requests.length);
        for (const [at, answer] of answers.entries()) {
          if (answer === null) continue;
          together++;
          const alone = predictRows(model, requests[at]);
          expect(answer).toEqual(predictionsOf(alone));
          expected.add(model, requests[at], alone);
        }
        expect(new Set(counted.take())).toEqual(new Set(expected.take()));
      },
    ),
    { numRuns: 60 },
  );
  expect(together).toBeGreaterThan(100);
});

test("requests that are all warned of their columns are answered together, each with its warnings", () => {
  const beside = fc.constantFrom<object>({ other: 2 }, { other: 2, another: null });
  let together = 0;
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 2, maxLength: 12 }),
      beside,
      fc.constantFrom<readonly string[]>(["z"], ["z", "shop"], []),
      fc.constantFrom(0, 1),
      coverage,
      (rows, more, absent, which, share) => {
        const model = models[which];
        const requests = rows.map((one) => {
          const given = Object.entries({ ...one, ...more });
          const kept = given.filter(([name]) => !absent.includes(name));
          const instances = [Object.fromEntries(kept)];
          return { modelId: "m", rows: { instances }, coverage: share };
        });
        const answers = answerTogether(model, requests, new DriftCounts());
        for (const [at, answer] of answers.entries()) {
          if (answer === null) continue;
          together++;
          expect(answer.warnings).not.toEqual([]);
          expect(answer).toEqual(predictionsOf(predictRows(model, requests[at])));
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(together).toBeGreaterThan(200);
});

const body = (rows: unknown): Uint8Array => Buffer.from(JSON.stringify(rows));
const asking = (rows: unknown, which = 0, more: object = {}): Asked => ({
  kind: "predictBody",
  request: { modelId: "m", folder: folders[which], body: body(rows), ...more },
});
const settled = async (asked: Promise<AnsweredRows>): Promise<unknown> => {
  const [outcome] = await Promise.allSettled([asked]);
  if (outcome.status === "fulfilled") return JSON.parse(Buffer.from(outcome.value.body).toString());
  return outcome.reason instanceof UnprocessableError ? outcome.reason.detail : outcome.reason;
};

test("whatever waits with a request, its answer or its fault is its own", async () => {
  const serving = pool({ threads: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof({ weight: 3, arbitrary: wellFormed }, illFormed), coverage), {
        minLength: 2,
        maxLength: 12,
      }),
      async (requests) => {
        const all = requests.map(([rows, share], at) => asking(rows, at % 2, { coverage: share }));
        const atOnce = await Promise.all(all.map((each) => settled(serving.ask(each))));
        for (const [at, [rows, share]] of requests.entries()) {
          const alone = await settled(serving.ask(asking(rows, at % 2, { coverage: share })));
          expect(atOnce[at]).toEqual(alone);
        }
      },
    ),
    { numRuns: 20 },
  );
});

const one = { instances: [{ x: 1, shop: "north", z: 1 }] };

test("an answer comes in memory of its own, and takes none of others along", async () => {
  const { body: answer } = await pool().ask<AnsweredRows>(asking(one));
  expect(answer.byteLength).toBeLessThan(Buffer.poolSize / 2);
  expect(answer.buffer.byteLength).toBe(answer.byteLength);
});

test("what waits is bounded: beyond that, requests are told to come again", async () => {
  const serving = pool({ mostWaiting: 3 });
  const asked = Array.from({ length: 6 }, () => serving.ask(asking(one)));
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refused).toHaveLength(2);
  for (const reason of refused) {
    expect(reason).toBeInstanceOf(Problem);
    expect(reason).toMatchObject({ kind: "unavailable", headers: { "retry-after": "1" } });
  }
  const bytes = pool({ mostWaitingBytes: 10 });
  const answers = await Promise.allSettled([1, 2, 3].map(() => bytes.ask(asking(one))));
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});

test("a thread that may hold little loads again what it dropped", async () => {
  const serving = pool({ modelBytes: 1 });
  for (const which of [0, 1, 0, 1]) {
    expect(await settled(serving.ask(asking(one, which)))).toHaveProperty("predictions");
  }
});

test("a model that is loaded ahead is there when it is asked; one that cannot be is told to who asks", async () => {
  const serving = pool();
  const folder = join(home, "ahead");
  await cp(folders[0], folder, { recursive: true });
  serving.warm(join(home, "nowhere"));
  serving.warm(folder);
  // Both loads come before what the only thread is asked after them.
  for (const which of [1, 1]) {
    expect(await settled(serving.ask(asking(one, which)))).toHaveProperty("predictions");
  }
  await rm(folder, { recursive: true });
  const asked = (path: string): Promise<AnsweredRows> =>
    serving.ask({ kind: "predictBody", request: { modelId: "m", folder: path, body: body(one) } });
  expect(await settled(asked(folder))).toHaveProperty("predictions");
  expect(await settled(asked(join(home, "nowhere")))).toBeInstanceOf(ModelFormatError);
});

test("a model that is forgotten is read anew, and its absence told", async () => {
  const serving = pool();
  const folder = join(home, "moved");
  await rm(folder, { recursive: true, force: true });
  await cp(folders[0], folder, { recursive: true });
  const asked = (): Promise<AnsweredRows> =>
    serving.ask({ kind: "predictBody", request: { modelId: "m", folder, body: body(one) } });
  expect(await settled(asked())).toHaveProperty("predictions");
  await rm(folder, { recursive: true });
  expect(await settled(asked())).toHaveProperty("predictions");
  serving.forget(folder);
  expect(await settled(asked())).toBeInstanceOf(ModelFormatError);
});

test("rows of endpoints are counted whatever they wait with, those of faults and of others are not", async () => {
  const serving = pool({ threads: 2 });
  const reference = models[0].reference;
  if (reference === null) throw new Error("The model has no reference.");
  const requests = Array.from({ length: 90 }, (_, at) => {
    const rows = at % 10 === 0 ? { instances: [{ x: "many", shop: "north", z: 1 }] } : one;
    const more = at % 3 === 0 ? {} : { endpointId: at % 3 === 1 ? "a" : "b" };
    return serving.ask(asking(rows, 0, more));
  });
  await Promise.allSettled([
    ...requests,
    serving.ask({
      kind: "predict",
      request: { modelId: "m", folder: folders[0], rows: one, endpointId: "a" },
    }),
    serving.ask(asking({ instances: [{ x: 1 }, { z: 1e9, x: null }] }, 0, { endpointId: "c" })),
  ]);
  const byEndpoint = new Map<string, Float64Array>();
  for (const { endpointId: endpoint, counts } of await serving.counted()) {
    const before = byEndpoint.get(endpoint);
    byEndpoint.set(endpoint, before ? before.map((count, at) => count + counts[at]) : counts);
  }
  const expected = (mine: number): number =>
    requests.filter((_, at) => at % 10 !== 0 && at % 3 === mine).length;
  expect(byEndpoint.get("a")?.[0]).toBe(expected(1) + 1);
  expect(byEndpoint.get("b")?.[0]).toBe(expected(2));
  const [c = new Float64Array(0)] = [byEndpoint.get("c")];
  expect(c[0]).toBe(2);
  let at = 1;
  const missing: Record<string, number> = {};
  const outside: Record<string, number> = {};
  for (const of of [...reference.columns, ...reference.predictions]) {
    missing[of.name] = c[at + of.counts.length];
    outside[of.name] = c[at + of.counts.length + 1];
    at += placesOf(of);
  }
  expect(c).toHaveLength(at);
  expect(missing).toMatchObject({ x: 1, shop: 2, z: 1 });
  expect(outside).toMatchObject({ x: 0, shop: 0, z: 1 });
  expect(await serving.counted()).toEqual([]);
});
