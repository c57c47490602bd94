/** Tasks that need what not every process has: who takes them, and who when nobody has it any more. */

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { createLogger } from "../log.ts";
import { defineQueue, Queue } from "./queue.ts";

const log = createLogger({ level: "silent" });
const definition = defineQueue("needing", z.object({ n: z.int() }));

let temporary: TemporaryDatabase;
const queues: Queue[] = [];
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close(200);
});
afterAll(() => temporary.close());

/** A process that takes tasks one by one as long as `may` lets it, and has what `needs` says. */
async function work(handled: number[], needs: () => readonly string[], may = Promise.resolve()) {
  const queue = await Queue.open(temporary.database, log, {
    ...{ version: "0", threads: 1 },
    offer: () => ({ needs: needs(), devices: { devices: [], missing: [] } }),
  });
  queues.push(queue);
  await queue.work(definition, {
    ...{ concurrency: 1, needs: ["a lathe"] },
    handle: async ({ payload }) => {
      await may;
      handled.push(payload.n);
    },
  });
  return queue;
}

test("a task is left to the busy process that has what it needs, and to any once that has it no more", async () => {
  const [able, plain] = [[], []] as [number[], number[]];
  const begun = Promise.withResolvers<void>();
  let has = ["a lathe"];
  const queue = await work(able, () => has, begun.promise);
  await work(plain, () => []);
  const send = (n: number, need: string | null) =>
    temporary.database.system((sql) => queue.send(sql, definition, { n }, { need }));
  await send(1, "a lathe");
  await send(2, "a lathe");
  // By whom does not matter: one behind them is taken, which they were not.
  await send(3, null);
  await expect.poll(() => plain).toEqual([3]);
  begun.resolve();
  await expect.poll(() => able).toEqual([1, 2]);
  expect(await queue.offers("a lathe")).toBe(true);
  has = [];
  expect(await queue.offers("a lathe")).toBe(false);
  await send(4, "a lathe");
  await expect.poll(() => [...able, ...plain].sort()).toEqual([1, 2, 3, 4]);
});
