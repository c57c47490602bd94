/**
 * Works one queue in this process: fetches as many tasks as there is room for, runs each under a
 * heartbeat, settles it.
 *
 * It fetches by itself rather than by the queue library's own workers, which fetch in batches and
 * wait for the slowest of a batch: here a free place is filled at once.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { JobWithMetadata, PgBoss } from "pg-boss";
import { z } from "zod";
import type { Database, Sql } from "../db/database.ts";
import { isDatabaseUnavailable } from "../db/unavailable.ts";
import type { Logger } from "../log.ts";
import { AT_ONCE, transactionAdapter } from "./boss-adapter.ts";
import {
  PermanentTaskError,
  type QueueDefinition,
  ShutdownError,
  type Task,
  TaskLostError,
  type WorkOptions,
} from "./definition.ts";
import { notify } from "./instance.ts";
import { attemptsAlike, isOfSurroundings } from "./lasting-failures.ts";

/** A task of a killed process is given up after this long without a sign of life. */
export const HEARTBEAT_SECONDS = 10;
const TOUCH_MILLISECONDS = 3000;
/** Before another look at a queue that could not be read. */
const FAILED_MILLISECONDS = 1000;
/** Between two tries to settle a task while the database is away. */
const SETTLE_MILLISECONDS = 500;

/** What pg-boss keeps of a failed attempt until the next ends. */
const failure = z.object({
  message: z.string(),
  /** So many attempts in a row, this one included, failed with that message. */
  alike: z.number().int(),
});

/** What pg-boss keeps as a task's data. `failure` is there on tasks given up by their handler. */
export interface Envelope {
  readonly payload: unknown;
  readonly failure?: string | undefined;
}

export interface ConsumerContext {
  readonly database: Database;
  readonly boss: PgBoss;
  readonly log: Logger;
  readonly instanceId: string;
  /** What this process has now of what tasks may need. */
  readonly offered: () => readonly string[];
  /** Queue that takes what will not be attempted again. */
  readonly exhaustedQueue: string;
  /** What of a task's data its schema describes. */
  readonly payloadOf: (envelope: Envelope) => unknown;
}

interface Running {
  readonly attempt: { readonly id: string; readonly retryCount: number };
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export class Consumer<Payload> {
  readonly #context: ConsumerContext;
  readonly #definition: QueueDefinition<Payload>;
  readonly #options: WorkOptions<Payload>;
  readonly #running = new Map<string, Running>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #loop: Promise<void>;
  #stopping = false;
  #notified = false;
  #resume: () => void = () => undefined;

  constructor(
    context: ConsumerContext,
    definition: QueueDefinition<Payload>,
    options: WorkOptions<Payload>,
  ) {
    this.#context = context;
    this.#definition = definition;
    this.#options = options;
    this.#heartbeat = setInterval(() => void this.#touch(), TOUCH_MILLISECONDS);
    this.#loop = this.#run();
  }

  /** There may be something to fetch; nothing is looked for before. */
  wake(): void {
    this.#notified = true;
    this.#resume();
  }

  /** A task of this queue was cancelled. */
  cancelled(id: string): void {
    this.#running.get(id)?.controller.abort(new TaskLostError(id));
  }

  /**
   * Fetches no more, asks what runs to end, and waits for it.
   *
   * @returns false if something still ran after `timeoutMilliseconds`
   */
  async stop(timeoutMilliseconds: number): Promise<boolean> {
    this.#stopping = true;
    this.wake();
    for (const { controller } of this.#running.values()) controller.abort(new ShutdownError());
    const ended = this.#loop.then(() =>
      Promise.all([...this.#running.values()].map(({ done }) => done)),
    );
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMilliseconds);
    });
    const inTime = await Promise.race([ended.then(() => true), bound]);
    clearTimeout(timer);
    clearInterval(this.#heartbeat);
    return inTime;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const room = this.#options.concurrency - this.#running.size;
      this.#notified = false;
      let fetched = 0;
      let failed = false;
      if (room > 0) {
        try {
          const jobs = await this.#fetch(room);
          fetched = jobs.length;
          for (const job of jobs) this.#start(job);
        } catch (error) {
          failed = true;
          this.#log("warn", error, "the queue cannot be read");
        }
      }
      const full = room > 0 && fetched === room;
      if (!full && !this.#notified) await this.#pause(failed ? FAILED_MILLISECONDS : null);
      else if (full) await this.#waitForRoom();
    }
  }

  /** Until there is room again. */
  async #waitForRoom(): Promise<void> {
    while (!this.#stopping && this.#running.size >= this.#options.concurrency) {
      this.#notified = false;
      await this.#pause(null);
    }
  }

  async #pause(milliseconds: number | null): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
      if (milliseconds !== null) timer = setTimeout(resolve, milliseconds);
      if (this.#notified || this.#stopping) resolve();
    });
    clearTimeout(timer);
  }

  /** Needs that this process cannot meet, and another one can. */
  async #leftToOthers(sql: Sql): Promise<string[]> {
    const { offered, instanceId } = this.#context;
    const { needs = [] } = this.#options;
    const own = needs.length === 0 ? [] : offered();
    const lacking = needs.filter((need) => !own.includes(need));
    if (lacking.length === 0) return [];
    const rows = await sql<{ need: string }[]>`
      select distinct need from queue_instances, unnest(offers) as need
      where instance_id <> ${instanceId} and need = any(${lacking}::text[])`;
    return rows.map(({ need }) => need);
  }

  /** Takes tasks and records who has them, in one transaction. */
  async #fetch(room: number): Promise<JobWithMetadata<Envelope>[]> {
    const { database, boss, instanceId } = this.#context;
    return await database.system(async (sql) => {
      const db = transactionAdapter(sql);
      const ignoreGroups = await this.#leftToOthers(sql);
      const options = { batchSize: room, ignoreGroups, includeMetadata: true as const, db };
      const jobs = await boss.fetch<Envelope>(this.#definition.name, options);
      if (jobs.length > 0) {
        const claims = jobs.map((job) => ({
          task_id: job.id,
          queue: this.#definition.name,
          attempt: job.retryCount + 1,
          instance_id: instanceId,
        }));
        await sql`
          insert into queue_claims ${sql(claims)}
          on conflict (task_id) do update set attempt = excluded.attempt,
            instance_id = excluded.instance_id, claimed_at = now()`;
      }
      return jobs;
    });
  }

  #start(job: JobWithMetadata<Envelope>): void {
    const controller = new AbortController();
    const attempt = { id: job.id, retryCount: job.retryCount };
    const done = this.#perform(job, controller.signal).finally(() => {
      this.#running.delete(job.id);
      this.wake();
    });
    this.#running.set(job.id, { attempt, controller, done });
  }

  /** Never rejects: what cannot be settled here is taken back once its heartbeat is late. */
  async #perform(job: JobWithMetadata<Envelope>, signal: AbortSignal): Promise<void> {
    try {
      try {
        const payload = this.#parse(this.#context.payloadOf(job.data));
        await this.#options.handle(this.#task(job, payload, signal));
      } catch (error) {
        await this.#lastingly(job, () => this.#failed(job, error, signal));
        return;
      }
      await this.#lastingly(job, () => this.#settle(job, async () => undefined));
    } catch (error) {
      this.#log("error", error, "a task could not be settled", job.id);
    }
  }

  /**
   * Writes how an attempt ended as soon as the database answers. Unwritten, the task would wait until
   * its heartbeat is late, though this process knows that nobody runs it.
   */
  async #lastingly(job: JobWithMetadata<Envelope>, write: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await write();
        return;
      } catch (error) {
        if (this.#stopping || !isDatabaseUnavailable(error)) throw error;
        if (tries === 0) {
          this.#log("warn", error, "a task could not be settled, trying until it is", job.id);
        }
        await delay(SETTLE_MILLISECONDS);
      }
    }
  }

  #parse(data: unknown): Payload {
    const parsed = this.#definition.payload.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new PermanentTaskError(`the task is not one of this build: ${parsed.error.message}`);
  }

  #task(job: JobWithMetadata<Envelope>, payload: Payload, signal: AbortSignal): Task<Payload> {
    const attempt = job.retryCount + 1;
    return {
      id: job.id,
      payload,
      attempt,
      signal,
      fence: async (sql: Sql) => {
        const held = await sql`
          select 1 from queue_claims
          where task_id = ${job.id} and attempt = ${attempt}
            and instance_id = ${this.#context.instanceId}
          for share`;
        if (held.length === 0) throw new TaskLostError(job.id);
      },
    };
  }

  async #failed(
    job: JobWithMetadata<Envelope>,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    if (error instanceof TaskLostError || signal.reason instanceof TaskLostError) {
      await this.#forget(job);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    const { boss, exhaustedQueue } = this.#context;
    const isShutdown = signal.reason instanceof ShutdownError;
    const before = failure.safeParse(job.output).data;
    const alike = isShutdown ? 0 : before?.message === message ? before.alike + 1 : 1;
    const isPermanent = error instanceof PermanentTaskError;
    if (isPermanent || alike >= attemptsAlike(error)) {
      if (!isPermanent) {
        this.#log("error", error, "a task fails alike each time and is given up", job.id);
      }
      const envelope: Envelope = { payload: job.data.payload, failure: message };
      await this.#settle(job, async (sql) => {
        await boss.send(exhaustedQueue, envelope, { db: transactionAdapter(sql) });
        await notify(sql, exhaustedQueue);
      });
      return;
    }
    if (!isShutdown) {
      this.#log("warn", error, "a task failed and is tried again", job.id);
    }
    // Where the database was away, that wait is over once this is written.
    const atOnce = isShutdown || isDatabaseUnavailable(error);
    const isSpared = isShutdown || isOfSurroundings(error);
    await this.#giveBack(job, { message, alike }, { atOnce, isSpared });
  }

  /** Completes the attempt together with what `alongside` writes; nothing, if it was lost. */
  async #settle(
    job: JobWithMetadata<Envelope>,
    alongside: (sql: Sql) => Promise<void>,
  ): Promise<void> {
    const { boss, database } = this.#context;
    const held = { id: job.id, retryCount: job.retryCount };
    await database.system(async (sql) => {
      const db = transactionAdapter(sql);
      const completed = await boss.complete(this.#definition.name, held, null, { db });
      if (affected(completed) > 0) await alongside(sql);
      await this.#deleteClaim(sql, job);
    });
  }

  /**
   * Ends the attempt so that there is another: after a delay, or at once if it was no failure. One that is
   * spared is none of those that the task may have; the numbers of attempts go on, as they fence.
   */
  async #giveBack(
    job: JobWithMetadata<Envelope>,
    output: z.infer<typeof failure>,
    { atOnce, isSpared }: { readonly atOnce: boolean; readonly isSpared: boolean },
  ): Promise<void> {
    const { boss, database, exhaustedQueue } = this.#context;
    const { id, retryCount, retryLimit } = job;
    const { name } = this.#definition;
    await database.system(async (sql) => {
      const db = transactionAdapter(sql);
      await boss.fail(name, { id, retryCount }, output, { db });
      if (atOnce || isSpared) {
        await boss.update(name, undefined, {
          id,
          ...(atOnce && { startAfter: AT_ONCE }),
          ...(isSpared && { retryLimit: retryLimit + 1 }),
          db,
        });
      }
      await notify(sql, retryCount < retryLimit ? name : exhaustedQueue);
      await this.#deleteClaim(sql, job);
    });
  }

  async #forget(job: JobWithMetadata<Envelope>): Promise<void> {
    await this.#context.database.system((sql) => this.#deleteClaim(sql, job));
  }

  async #deleteClaim(sql: Sql, job: JobWithMetadata<Envelope>): Promise<void> {
    await sql`
      delete from queue_claims where task_id = ${job.id} and attempt = ${job.retryCount + 1}`;
  }

  /** Signs of life for all that runs; what is no longer ours is told to stop. */
  async #touch(): Promise<void> {
    const attempts = [...this.#running.values()].map(({ attempt }) => attempt);
    if (attempts.length === 0) return;
    const { boss } = this.#context;
    const { name } = this.#definition;
    try {
      if (affected(await boss.touch(name, attempts)) === attempts.length) return;
      for (const attempt of attempts) {
        if (affected(await boss.touch(name, attempt)) === 0) this.cancelled(attempt.id);
      }
    } catch (error) {
      this.#log("warn", error, "a heartbeat could not be sent");
    }
  }

  #log(level: "warn" | "error", error: unknown, message: string, task?: string): void {
    const { log } = this.#context;
    log[level]({ err: error, queue: this.#definition.name, ...(task && { task }) }, message);
  }
}

const responseSchema = z.object({ affected: z.number() });

/** How many tasks a command of pg-boss changed; its types leave the member out. */
function affected(response: unknown): number {
  return responseSchema.parse(response).affected;
}
