/** Counted rows in the database, where processes add them up; and what is said of them. */

import type { DriftReference } from "@distillery/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../platform/db/database.ts";
import { createLogger } from "../../../platform/log.ts";
import {
  openTemporaryDatabase,
  type TemporaryDatabase,
} from "../../../testing/temporary-database.ts";
import { deleteEndpoint, insertEndpoint } from "../store.ts";
import { compareWithReference } from "./comparison.ts";
import { addCounts, dropCounts, type HourCounts, sumCounts } from "./counts-store.ts";
import { DriftRecorder } from "./recorder.ts";

const id = (kind: number, number: number): string =>
  `0000000${kind}-0000-4000-8000-00000000000${number}`;
const ORGANIZATIONS = [id(1, 0), id(1, 1)];
/** Those of even numbers are the first organization's. */
const ENDPOINTS = [id(2, 0), id(2, 1), id(2, 2)];
const MODELS = [id(3, 0), id(3, 1)];
const organizationOf = (endpoint: string): string =>
  ORGANIZATIONS[ENDPOINTS.indexOf(endpoint) % 2]!;

let temporary: TemporaryDatabase;
let db: Database;

const make = (endpoint: string): Promise<unknown> =>
  db.forOrganization(organizationOf(endpoint), (sql) =>
    insertEndpoint(sql, organizationOf(endpoint), endpoint, {
      name: `endpoint-${endpoint}`,
      models: [{ model_id: MODELS[0]!, traffic: 100 }],
      slots: [[0, 10_000]],
      shadow_model_id: null,
      shadow_percent: 100,
      prediction_log: null,
    }),
  );

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  db = temporary.database;
  for (const endpoint of ENDPOINTS) await make(endpoint);
});
afterAll(() => temporary.close());

const thisHour = (): number => Math.floor(Date.now() / 3_600_000);

const delta = fc.record({
  endpointId: fc.constantFrom(...ENDPOINTS),
  modelId: fc.constantFrom(...MODELS),
  ago: fc.constantFrom(0, 1, 23, 24, 100),
  counts: fc.array(fc.nat(2 ** 31), { minLength: 3, maxLength: 3 }),
});

describe("counted rows", () => {
  it("add up, whoever adds them at once, over the hours and endpoints that are asked for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(delta, { maxLength: 24 }), async (deltas) => {
        const hour = thisHour();
        await dropCounts(db, -1);
        const all = deltas.map(({ ago, counts, ...of }) => ({
          ...of,
          hour: hour - ago,
          counts: Float64Array.from(counts),
        }));
        await Promise.all(all.map((each) => addCounts(db, each)));
        for (const hours of [1, 2, 24, 25, 744]) {
          for (const organizationId of [null, ...ORGANIZATIONS]) {
            for (const endpointId of [null, ENDPOINTS[0]!]) {
              const expected = new Map<string, number[]>();
              for (const each of all) {
                if (each.hour <= hour - hours) continue;
                if (endpointId !== null && each.endpointId !== endpointId) continue;
                const organization = organizationOf(each.endpointId);
                if (organizationId !== null && organization !== organizationId) continue;
                const key = `${each.endpointId} ${each.modelId} ${organization}`;
                const before = expected.get(key) ?? [0, 0, 0];
                expected.set(
                  key,
                  before.map((count, at) => count + each.counts[at]!),
                );
              }
              const sums = await sumCounts(db, { organizationId, endpointId, hours });
              // An hour that begins meanwhile says nothing of the sums.
              if (thisHour() !== hour) return;
              const found = sums.map((sum): [string, readonly number[]] => [
                `${sum.endpoint_id} ${sum.model_id} ${sum.organization_id}`,
                sum.counts,
              ]);
              expect(new Map(found)).toEqual(expected);
            }
          }
        }
        await dropCounts(db, 30);
        const kept = await sumCounts(db, { organizationId: null, endpointId: null, hours: 744 });
        const late = await sumCounts(db, { organizationId: null, endpointId: null, hours: 31 });
        expect(kept).toEqual(late);
      }),
      { numRuns: 8 },
    );
  });

  it("go with their endpoint, and later ones are not kept", async () => {
    const [endpointId = ""] = ENDPOINTS;
    const organizationId = organizationOf(endpointId);
    const counted = {
      endpointId,
      modelId: MODELS[1]!,
      hour: thisHour(),
      counts: new Float64Array(3),
    };
    await addCounts(db, counted);
    await deleteEndpoint(db, organizationId, endpointId);
    await addCounts(db, counted);
    expect(await sumCounts(db, { organizationId, endpointId, hours: 2 })).toEqual([]);
    await make(endpointId);
    expect(await sumCounts(db, { organizationId, endpointId, hours: 2 })).toEqual([]);
  });

  it("wait where the database does not answer, and are added once", async () => {
    await dropCounts(db, -1);
    const [endpointId = ""] = ENDPOINTS;
    const hour = thisHour();
    const counted = (rows: number): HourCounts => ({
      endpointId,
      modelId: MODELS[0]!,
      hour,
      counts: Float64Array.of(rows, rows),
    });
    const told = [[counted(1)], [counted(2)], [counted(4)], []];
    const countedRows = async (): Promise<HourCounts[]> => told.shift() ?? [];
    const log = createLogger({ level: "silent" });
    const reaching = new DriftRecorder({ compute: { countedRows }, db, log });
    const query = db.systemQuery;
    db.systemQuery = () => Promise.reject(new Error("it does not answer"));
    await expect(reaching.flush()).rejects.toThrow("does not answer");
    await expect(reaching.flush()).rejects.toThrow("does not answer");
    db.systemQuery = query;
    await Promise.all([reaching.flush(), reaching.flush()]);
    await reaching.close();
    const organizationId = organizationOf(endpointId);
    const [sum] = await sumCounts(db, { organizationId, endpointId, hours: 2 });
    expect(sum?.counts).toEqual([7, 7]);
  });
});

const reference: DriftReference = {
  version: 1,
  rows: 2000,
  columns: [
    {
      kind: "numeric",
      name: "age",
      edges: [30, 50],
      range: [18, 77],
      counts: [600, 700, 600],
      missing: 100,
      outside: 0,
    },
    {
      kind: "timestamp",
      name: "day",
      edges: [],
      range: [0, 1],
      counts: [2000],
      missing: 0,
      outside: 0,
    },
  ],
  omitted: 0,
  predictedRows: 2000,
  predictions: [
    {
      kind: "categorical",
      name: "label",
      values: ["no"],
      counts: [2000, 0],
      missing: 0,
      outside: 0,
    },
  ],
};

const levels = (counts: readonly number[]): string[] => {
  const { columns, predictions, level } = compareWithReference(reference, counts);
  return [...[...columns, ...predictions].map((each) => each.level), level];
};

describe("what is said of counts", () => {
  it("is the customary level of each, and the worst of them", () => {
    const others = [1000, 0, 1000, 1000, 0, 0, 0];
    expect(levels([1000, 300, 350, 300, 50, 0, ...others])).toEqual([
      "none",
      "not_compared",
      "none",
      "none",
    ]);
    expect(levels([1000, 150, 350, 450, 50, 0, ...others]).at(-1)).toBe("moderate");
    expect(levels([1000, 0, 350, 600, 50, 0, ...others]).at(-1)).toBe("large");
    // All are there, and nothing is in them.
    expect(levels([1000, 0, 0, 0, 1000, 0, ...others])[0]).toBe("large");
    expect(levels([1000, 300, 350, 300, 50, 0, 1000, 0, 0, 500, 500, 0, 0]).at(-1)).toBe("large");
  });

  it("is nothing of few rows and of none, with shares of what is there", () => {
    expect(levels([])).toEqual(["too_few_rows", "not_compared", "too_few_rows", "too_few_rows"]);
    const { columns } = compareWithReference(reference, []);
    expect(columns[0]).toMatchObject({ psi: null, missing: null, missingInTraining: 0.05 });
    expect(columns[0]?.bins[0]).toEqual({ upTo: 30, value: null, share: null, inTraining: 0.3 });
    const few = compareWithReference(reference, [10, 0, 0, 6, 4, 3, 10, 0, 9, 10, 0, 0, 0]);
    expect(few.columns[0]).toMatchObject({ level: "too_few_rows", missing: 0.4, outside: 0.5 });
    expect(few.columns[1]).toMatchObject({ psi: null, outside: 0.9 });
    expect(few.columns[0]?.bins.map(({ share }) => share)).toEqual([0, 0, 0.6]);
    expect(few.columns[0]?.bins.map(({ upTo }) => upTo)).toEqual([30, 50, null]);
    expect(few.predictions[0]?.bins.map(({ value }) => value)).toEqual(["no", null]);
  });
});
