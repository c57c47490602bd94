import { setTimeout as delay } from "node:timers/promises";
import { Schema } from "apache-arrow";
import { describe, expect, test } from "vitest";
import type { Warehouse, WarehouseRead } from "../../query/sources/warehouse.ts";
import { SharedWarehouse } from "./shared-warehouse.ts";

const { signal } = new AbortController();
const READ: WarehouseRead = {
  table: { catalog: "c", schema: "s", table: "t" },
  schema: new Schema([]),
  columns: [],
  filter: null,
  limit: null,
};

/** A warehouse in memory, and what became of it. */
function counted(idleMs: number) {
  const counts = { opened: 0, closed: 0 };
  const open = (): Warehouse => {
    counts.opened += 1;
    let closed = false;
    const alive = () => {
      if (closed) throw new Error("it is closed");
    };
    return {
      cacheScope: "inner",
      check: async () => {
        alive();
        await delay(1);
        alive();
        return { version: "1" };
      },
      describe: async () => new Schema([]),
      listSchemas: async (catalog) => [catalog],
      listTables: async (catalog, schema) => [catalog, schema],
      async *read() {
        for (let part = 0; part < 3; part++) {
          alive();
          yield new Uint8Array([part]);
          await delay(5);
        }
      },
      close: async () => {
        closed = true;
        counts.closed += 1;
      },
    };
  };
  return { counts, warehouse: new SharedWarehouse("scope", open, idleMs) };
}

async function until(met: () => boolean): Promise<void> {
  while (!met()) await delay(1);
}

describe("a shared warehouse", () => {
  test("opens when it is first asked, once for all", async () => {
    const { counts, warehouse } = counted(60_000);
    expect([warehouse.cacheScope, counts.opened]).toEqual(["scope", 0]);
    await Promise.all([warehouse.check(signal), warehouse.check(signal)]);
    expect(await warehouse.listSchemas("a", signal)).toEqual(["a"]);
    expect(await warehouse.listTables("a", "b", signal)).toEqual(["a", "b"]);
    expect((await warehouse.describe(READ.table, signal)).fields).toEqual([]);
    // Who borrowed it does not end it.
    await warehouse.close();
    await warehouse.check(signal);
    expect(counts).toEqual({ opened: 1, closed: 0 });
    await warehouse.retire();
    expect(counts).toEqual({ opened: 1, closed: 1 });
  });

  test("closes when it is idle and opens again, but never under a reader", async () => {
    const { counts, warehouse } = counted(2);
    const parts: number[] = [];
    for await (const chunk of warehouse.read(READ, signal)) parts.push(...chunk);
    expect(parts).toEqual([0, 1, 2]);
    await until(() => counts.closed === 1);
    expect(await warehouse.check(signal)).toEqual({ version: "1" });
    expect(counts.opened).toBe(2);
    await until(() => counts.closed === 2);
  });

  test("retired under a reader, it closes once that has ended", async () => {
    const { counts, warehouse } = counted(60_000);
    const reading = warehouse.read(READ, signal);
    await reading.next();
    await warehouse.retire();
    expect(counts.closed).toBe(0);
    expect((await reading.next()).value).toEqual(new Uint8Array([1]));
    await reading.return(undefined);
    expect(counts.closed).toBe(1);
  });

  test("a failure of an operation counts as its end", async () => {
    const { counts, warehouse } = counted(60_000);
    const reading = warehouse.read(READ, signal);
    await reading.next();
    await expect(reading.throw(new Error("the reader's own"))).rejects.toThrow("own");
    await warehouse.retire();
    expect(counts.closed).toBe(1);
  });
});
