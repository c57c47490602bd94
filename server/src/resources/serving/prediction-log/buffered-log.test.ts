import { afterEach, describe, expect, test } from "vitest";
import type { LoggedRequest } from "../../../platform/compute/prediction-log/logged-request.ts";
import { type BatchOutcome, BufferedLog, type LogBatch } from "./buffered-log.ts";

const MIB = 2 ** 20;
const scope = (endpointId: string) => ({ organizationId: "o", endpointId, keepDays: 30 });
const request = (predictionId: string, bytes = 100): LoggedRequest => ({
  predictionId,
  requestId: null,
  modelId: "m",
  time: 0,
  ms: 1,
  coverage: null,
  rows: new Uint8Array(bytes),
  answer: new Uint8Array(0),
});

const open: BufferedLog[] = [];
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
});

function logged(store: (batch: LogBatch) => Promise<BatchOutcome>) {
  const stored: LogBatch[] = [];
  const said: string[] = [];
  const log = new BufferedLog({
    store: async (batch) => {
      const outcome = await store(batch);
      stored.push(batch);
      return outcome;
    },
    log: { warn: (_: unknown, message?: string) => void said.push(message ?? "") },
  });
  open.push(log);
  return { log, stored, said };
}

const idsOf = (batches: readonly LogBatch[]): string[][] =>
  batches.map(({ requests }) => requests.map(({ predictionId }) => predictionId));

describe("what is logged", () => {
  test("is stored by endpoint, in order, and once", async () => {
    const { log, stored } = logged(async () => "written");
    for (const [id, endpoint] of [
      ["a", "one"],
      ["b", "two"],
      ["c", "one"],
    ] as const) {
      expect(log.add(scope(endpoint), request(id), 2)).toBe(true);
    }
    expect(log.countersOf("one")).toMatchObject({ written: 0, waiting: 4 });
    await log.flush();
    await log.flush();
    expect(idsOf(stored)).toEqual([["a", "c"], ["b"]]);
    expect(log.countersOf("one")).toEqual({
      written: 4,
      waiting: 0,
      dropped: { overflow: 0, quota: 0, failed: 0 },
    });
  });

  test("waits while it cannot be stored, and is dropped and counted beyond a bound", async () => {
    let isUp = false;
    const { log, stored, said } = logged(async () => {
      if (!isUp) throw new Error("no answer");
      return "written";
    });
    const rows = Array.from({ length: 70 }, (_, at) =>
      log.add(scope("e"), request(`${at}`, MIB), 1),
    );
    expect(rows.filter(Boolean)).toHaveLength(64);
    await log.flush();
    expect(log.countersOf("e")).toMatchObject({
      written: 0,
      waiting: 64,
      dropped: { overflow: 6 },
    });
    expect(said).toContain("logged predictions could not be stored; trying again");
    isUp = true;
    await log.flush();
    expect(log.countersOf("e")).toMatchObject({
      written: 64,
      waiting: 0,
      dropped: { overflow: 6 },
    });
    expect(idsOf(stored).flat()).toEqual(Array.from({ length: 64 }, (_, at) => `${at}`));
    expect(Math.max(...stored.map(({ requests }) => requests.length))).toBeLessThanOrEqual(4);
    expect(log.add(scope("e"), request("again", MIB), 1)).toBe(true);
  });

  test("is counted where a quota has no room for it, and forgotten with its endpoint", async () => {
    const { log, stored } = logged(async () => "quota");
    log.add(scope("e"), request("a"), 3);
    log.add(scope("gone"), request("b"), 1);
    log.forget("gone");
    await log.flush();
    expect(log.countersOf("e")).toMatchObject({ waiting: 0, dropped: { quota: 3 } });
    expect(log.countersOf("gone")).toBeNull();
    expect(idsOf(stored)).toEqual([["a"]]);
  });

  test("is said to be lost where the process ends before it is stored", async () => {
    const { log, said } = logged(async () => {
      throw new Error("no answer");
    });
    log.add(scope("e"), request("a"), 1);
    await log.close();
    open.pop();
    expect(said).toContain("logged predictions are lost");
  });
});
