import { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Child } from "../../testing/child.ts";
import { killedQueue } from "../../testing/service-process.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { connect } from "../db/sql.ts";
import { createLogger, loggerOptions } from "../log.ts";
import { ObjectStoreUnavailableError } from "../objects/object-store.ts";
import {
  defineQueue,
  PermanentTaskError,
  Queue,
  ShutdownError,
  type Task,
  TaskLostError,
} from "./queue.ts";

const ALICE = "00000000-0000-4000-8000-00000000000a";
const log = createLogger({ level: "silent" });
const number = z.object({ n: z.int() });
type Numbered = z.infer<typeof number>;

let temporary: TemporaryDatabase;
const queues: Queue[] = [];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const owner = connect(temporary.address, { max: 1 });
  await owner.unsafe(`
    create table runs (id integer primary key, organization_id uuid not null);
    call protect('runs');
    create table results (name text not null, attempt integer not null);
    grant all on results to distillery_system`);
  await owner.end();
});
afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close(200);
});
afterAll(() => temporary.close());

async function openQueue(): Promise<Queue> {
  const queue = await Queue.open(temporary.database, log);
  queues.push(queue);
  return queue;
}

/** Resolves once the condition holds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(5);
}

let count = 0;
const freshQueue = (maxAttempts = 20) => defineQueue(`test-${count++}`, number, { maxAttempts });

describe("sending", () => {
  test("a task exists if its transaction commits, and only then", async () => {
    const { database } = temporary;
    const queue = await openQueue();
    const definition = freshQueue();
    const handled: number[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ payload }) => {
        // What registered the task is there before the task is.
        const rows = await database.systemQuery(
          (sql) => sql`select 1 from runs where id = ${payload.n}`,
        );
        handled.push(rows.length === 1 ? payload.n : -1);
      },
    });
    const register = (n: number, fails: boolean) =>
      database.forOrganization(ALICE, async (sql) => {
        await queue.send(sql, definition, { n });
        await delay(30);
        await sql`insert into runs values (${n}, ${ALICE})`;
        if (fails) throw new Error("changed my mind");
      });
    await expect(register(1, true)).rejects.toThrow("changed my mind");
    await register(2, false);
    await register(3, false);
    // One that came to be first would have been handled first.
    await until(() => handled.includes(3));
    expect(handled).toEqual([2, 3]);
  });

  test("the sender's rights are its own again after sending", async () => {
    const queue = await openQueue();
    const role = await temporary.database.forOrganization(ALICE, async (sql) => {
      await queue.send(sql, freshQueue(), { n: 1 });
      const [row] = await sql<{ role: string }[]>`select current_user as role`;
      return row?.role;
    });
    expect(role).toBe("distillery_app");
  });

  test("a payload that the schema refuses is not sent", async () => {
    const queue = await openQueue();
    const sent = temporary.database.system((sql) => queue.send(sql, freshQueue(), { n: 0.5 }));
    await expect(sent).rejects.toThrow(z.ZodError);
  });

  test("payloads of every kind of text arrive as they were", async () => {
    const queue = await openQueue();
    const definition = defineQueue("texts", z.object({ text: z.string() }));
    const texts = ['"', "\\", "{a,b}", "null", "ä🙂", "'; drop table runs; --", "[1]", "a\nb"];
    const arrived: string[] = [];
    await queue.work(definition, {
      concurrency: 3,
      handle: async ({ payload }) => void arrived.push(payload.text),
    });
    await temporary.database.system((sql) =>
      queue.sendMany(
        sql,
        definition,
        texts.map((text) => ({ text })),
      ),
    );
    await until(() => arrived.length === texts.length);
    expect(arrived.sort()).toEqual(texts.sort());
  });

  test("a delayed task waits, a prior one goes first", async () => {
    const queue = await openQueue();
    const definition = freshQueue();
    await temporary.database.system(async (sql) => {
      await queue.send(sql, definition, { n: 1 }, { startAfterSeconds: 1 });
      await queue.send(sql, definition, { n: 2 });
      await queue.send(sql, definition, { n: 3 }, { priority: 5 });
    });
    const handled: number[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ payload }) => void handled.push(payload.n),
    });
    await until(() => handled.length === 3);
    expect(handled).toEqual([3, 2, 1]);
  });
});

describe("working", () => {
  test("no more tasks at once than told, and a free place is filled at once", async () => {
    const queue = await openQueue();
    const definition = freshQueue();
    let running = 0;
    let most = 0;
    let done = 0;
    let release: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    await temporary.database.system((sql) =>
      queue.sendMany(
        sql,
        definition,
        Array.from({ length: 30 }, (_, n) => ({ n })),
      ),
    );
    await queue.work(definition, {
      concurrency: 3,
      handle: async ({ payload }) => {
        running += 1;
        most = Math.max(most, running);
        // One slow task must not hold the other places.
        if (payload.n === 0) await blocked;
        else await delay(1);
        running -= 1;
        done += 1;
      },
    });
    await until(() => done === 29);
    release();
    await until(() => done === 30);
    expect(most).toBe(3);
  });

  test("two processes' worth of consumers share without doing anything twice", async () => {
    const definition = freshQueue();
    const handled: number[] = [];
    const [a, b] = [await openQueue(), await openQueue()];
    for (const queue of [a, b]) {
      await queue.work(definition, {
        concurrency: 4,
        handle: async ({ payload }) => void handled.push(payload.n),
      });
    }
    await temporary.database.system((sql) =>
      a.sendMany(
        sql,
        definition,
        Array.from({ length: 200 }, (_, n) => ({ n })),
      ),
    );
    await until(() => handled.length >= 200);
    // Then nothing runs any more.
    await Promise.all([a.close(), b.close()]);
    expect(handled.sort((x, y) => x - y)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test("a rejection is tried again with a higher attempt, then exhausted with its message", async () => {
    const queue = await openQueue();
    const definition = freshQueue(2);
    const attempts: number[] = [];
    const given: [Numbered, string][] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ attempt }) => {
        attempts.push(attempt);
        throw new Error(`attempt ${attempt} failed`);
      },
      exhausted: async (payload, message) => void given.push([payload, message]),
    });
    await temporary.database.system((sql) => queue.send(sql, definition, { n: 7 }));
    await until(() => given.length > 0);
    expect(attempts).toEqual([1, 2]);
    expect(given).toEqual([[{ n: 7 }, "attempt 2 failed"]]);
  });

  test("attempts that the surroundings failed are none of those that a task may have", async () => {
    const queue = await openQueue();
    const definition = freshQueue(2);
    const attempts: number[] = [];
    const given: string[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ attempt }) => {
        attempts.push(attempt);
        if (attempt < 3) throw new ObjectStoreUnavailableError("AccessDenied", "refusing");
        throw new Error(`attempt ${attempt} failed`);
      },
      exhausted: async (_payload, message) => void given.push(message),
    });
    await temporary.database.system((sql) => queue.send(sql, definition, { n: 7 }));
    await until(() => given.length > 0);
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(given).toEqual(["attempt 4 failed"]);
  });

  test("a fault of the program that comes again alike is exhausted, long before its last attempt", async () => {
    const queue = await openQueue();
    const definition = freshQueue(20);
    const attempts: number[] = [];
    const given: string[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ attempt }) => {
        attempts.push(attempt);
        // The first one is another.
        throw new RangeError(`the offset ${attempt === 1 ? 1 : 2} is out of range`);
      },
      exhausted: async (_payload, message) => void given.push(message),
    });
    await temporary.database.system((sql) => queue.send(sql, definition, { n: 7 }));
    await until(() => given.length > 0);
    expect(attempts).toEqual([1, 2, 3]);
    expect(given).toEqual(["the offset 2 is out of range"]);
  });

  test("a permanent rejection is exhausted at once, and `exhausted` is called until it resolves", async () => {
    const queue = await openQueue();
    const definition = freshQueue();
    let attempts = 0;
    const given: string[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async () => {
        attempts += 1;
        throw new PermanentTaskError("there is no such dataset");
      },
      exhausted: async (_payload, message) => {
        given.push(message);
        if (given.length === 1) throw new Error("the database was away");
      },
    });
    await temporary.database.system((sql) => queue.send(sql, definition, { n: 7 }));
    await until(() => given.length === 2);
    expect(attempts).toBe(1);
    expect(given).toEqual(["there is no such dataset", "there is no such dataset"]);
  });

  test("a cancelled task is told to stop, and a waiting one never begins", async () => {
    const { database } = temporary;
    const queue = await openQueue();
    const definition = freshQueue();
    const begun: number[] = [];
    let reason: unknown;
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ payload, signal }) => {
        begun.push(payload.n);
        if (payload.n === 3) return;
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          }),
        );
      },
    });
    const ids = await database.system((sql) =>
      queue.sendMany(sql, definition, [{ n: 1 }, { n: 2 }]),
    );
    await until(() => begun.length === 1);
    await database.system((sql) => queue.cancel(sql, definition, ids));
    await database.system((sql) => queue.send(sql, definition, { n: 3 }));
    await until(() => begun.includes(3));
    expect(begun).toHaveLength(2);
    expect(reason).toBeInstanceOf(TaskLostError);
    const left = await database.systemQuery(
      (sql) => sql`select 1 from queue_claims where task_id = any(${ids})`,
    );
    expect(left).toHaveLength(0);
  });

  test("a stop asks what runs to end, and its task is taken up again at once", async () => {
    const definition = freshQueue();
    const first = await openQueue();
    let reason: unknown;
    let begun = false;
    await first.work(definition, {
      concurrency: 1,
      handle: async ({ signal }) => {
        begun = true;
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          }),
        );
      },
    });
    await temporary.database.system((sql) => first.send(sql, definition, { n: 1 }));
    await until(() => begun);
    // When that is counts by the database's clock, however far ahead this machine's is.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 3_600_000 });
    await first.close().finally(() => vi.useRealTimers());
    expect(reason).toBeInstanceOf(ShutdownError);
    const second = await openQueue();
    let attempt = 0;
    await second.work(definition, {
      concurrency: 1,
      handle: async (task) => {
        attempt = task.attempt;
      },
    });
    await until(() => attempt > 0);
    expect(attempt).toBe(2);
  });

  test("an attempt that ends while the database is away is given back once it answers", async () => {
    const said: string[] = [];
    const heard = new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    });
    const queue = await Queue.open(temporary.database, pino(loggerOptions("warn"), heard));
    queues.push(queue);
    const definition = freshQueue();
    // From another database: nobody shuts the door of the room that they are in.
    const elsewhere = { ...temporary.address, database: "template1" };
    const administrator = connect(elsewhere, { max: 1 });
    const failures: unknown[] = [];
    await queue.work(definition, {
      concurrency: 1,
      handle: async ({ id, attempt }) => {
        if (attempt === 1) {
          await administrator.unsafe("alter database postgres allow_connections false");
          await administrator.unsafe(`
            select pg_terminate_backend(pid) from pg_stat_activity
            where pid <> pg_backend_pid() and backend_type = 'client backend'`);
          throw new Error("it could not be saved");
        }
        const [row] = await temporary.database.systemQuery(
          (sql) => sql`select output from distillery_queue.job where id = ${id}`,
        );
        failures.push(row?.["output"]);
      },
    });
    await temporary.database.system((sql) => queue.send(sql, definition, { n: 1 }));
    await until(() => said.some((line) => line.includes("could not be settled")));
    await administrator.unsafe("alter database postgres allow_connections true");
    await until(() => failures.length > 0);
    await administrator.end();
    // Its own error, and not that its heartbeat was missed.
    expect(failures).toEqual([{ message: "it could not be saved", alike: 1 }]);
  });

  test("a fence holds for the newest attempt alone, also inside an organization", async () => {
    const { database } = temporary;
    const queue = await openQueue();
    const definition = freshQueue();
    let held: Task<Numbered> | undefined;
    let release: () => void = () => undefined;
    await queue.work(definition, {
      concurrency: 1,
      handle: async (task) => {
        held = task;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    await database.system((sql) => queue.send(sql, definition, { n: 1 }));
    await until(() => held !== undefined);
    const task = held!;
    await database.forOrganization(ALICE, (sql) => task.fence(sql));
    await database.system((sql) => task.fence(sql));
    await database.systemQuery(
      (sql) => sql`update queue_claims set attempt = attempt + 1 where task_id = ${task.id}`,
    );
    const late = database.forOrganization(ALICE, (sql) => task.fence(sql));
    await expect(late).rejects.toThrow(TaskLostError);
    release();
  });

  test("whether anybody works is known", async () => {
    const queue = await openQueue();
    expect(await queue.hasWorker()).toBe(false);
    await queue.work(freshQueue(), { concurrency: 1, handle: async () => undefined });
    expect(await queue.hasWorker()).toBe(true);
    await queue.close();
    expect(await (await openQueue()).hasWorker()).toBe(false);
  });
});

describe("processes that end badly", () => {
  const results = () =>
    temporary.database.systemQuery(
      (sql) => sql<{ name: string; attempt: number }[]>`
      select name, attempt from results order by name, attempt`,
    );

  test("a killed worker's tasks are taken back without waiting for their heartbeats", async () => {
    const queue = await openQueue();
    const child = new Child("./service-process.ts", ["worker", temporary.home]);
    await child.line(/^ready$/);
    await temporary.database.system((sql) =>
      queue.send(sql, killedQueue, { name: "killed", milliseconds: 3_600_000 }),
    );
    await child.line(/^begin killed 1$/);
    await child.kill("SIGKILL");
    let attempt = 0;
    await queue.work(killedQueue, {
      concurrency: 1,
      handle: async (task) => {
        attempt = task.attempt;
      },
    });
    await until(() => attempt > 0);
    expect(attempt).toBe(2);
    const [row] = await temporary.database.systemQuery(
      (sql) => sql`select count(*) from queue_instances`,
    );
    expect(row).toEqual({ count: 1 });
  });

  test("a worker that is frozen loses its task to another, and cannot write when it thaws", async () => {
    const queue = await openQueue();
    const child = new Child("./service-process.ts", ["worker", temporary.home]);
    await child.line(/^ready$/);
    await temporary.database.system((sql) =>
      queue.send(sql, killedQueue, { name: "frozen", milliseconds: 1000 }),
    );
    await child.line(/^begin frozen 1$/);
    child.process.kill("SIGSTOP");
    let attempt = 0;
    await queue.work(killedQueue, {
      concurrency: 1,
      handle: async (task) => {
        await temporary.database.system(async (sql) => {
          await task.fence(sql);
          await sql`insert into results values ('frozen', ${task.attempt})`;
        });
        attempt = task.attempt;
      },
    });
    await until(() => attempt > 0);
    child.process.kill("SIGCONT");
    await child.line(/^lost frozen 1$/);
    await child.kill("SIGTERM");
    expect([...(await results())]).toEqual([{ name: "frozen", attempt: 2 }]);
  });
});
