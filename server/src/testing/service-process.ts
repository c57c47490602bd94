/**
 * A process of the service that tests kill: opens the embedded database of a home (or, as a worker,
 * joins it), works one queue, and tells of itself by lines on standard output.
 *
 * Usage: service-process.ts <server|worker> <home>
 */
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { openDatabase } from "../platform/db/open.ts";
import { createLogger } from "../platform/log.ts";
import { defineQueue, Queue, type Task, TaskLostError } from "../platform/queue/queue.ts";

export const killedQueue = defineQueue(
  "killed",
  z.object({ name: z.string(), milliseconds: z.number() }),
);

type Payload = z.infer<typeof killedQueue.payload>;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function handle(
  database: Awaited<ReturnType<typeof openDatabase>>["database"],
  task: Task<Payload>,
): Promise<void> {
  const { name, milliseconds } = task.payload;
  say(`begin ${name} ${task.attempt}`);
  await delay(milliseconds);
  try {
    await database.system(async (sql) => {
      await task.fence(sql);
      await sql`insert into results (name, attempt) values (${name}, ${task.attempt})`;
    });
  } catch (error) {
    if (error instanceof TaskLostError) say(`lost ${name} ${task.attempt}`);
    throw error;
  }
  say(`done ${name} ${task.attempt}`);
}

async function main(role: "server" | "worker", home: string): Promise<void> {
  const log = createLogger({ level: "silent" });
  const { database, close } = await openDatabase({ home }, log, role);
  const queue = await Queue.open(database, log);
  process.on("SIGTERM", async () => {
    await queue.close();
    await close();
    process.exit(0);
  });
  await queue.work(killedQueue, { concurrency: 2, handle: (task) => handle(database, task) });
  say("ready");
}

if (import.meta.main) {
  const [role, home] = process.argv.slice(2);
  if ((role !== "server" && role !== "worker") || home === undefined) {
    throw new Error("usage: service-process.ts <server|worker> <home>");
  }
  await main(role, home).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  });
}
