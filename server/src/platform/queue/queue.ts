/**
 * The task queue: pg-boss in the service's own PostgreSQL, so that a task is enqueued in the
 * transaction that registers what it works on, and typed by a schema per queue.
 *
 * Any number of processes work it. A task of a process that died is taken back within two seconds
 * where its connection ended with it, and after about eleven where a machine went silent.
 */
import { PgBoss } from "pg-boss";
import { z } from "zod";
import type { Database, Sql } from "../db/database.ts";
import type { Logger } from "../log.ts";
import { systemAdapter, transactionAdapter } from "./boss-adapter.ts";
import { Consumer, type Envelope, HEARTBEAT_SECONDS } from "./consumer.ts";
import {
  defineQueue,
  type QueueDefinition,
  type SendOptions,
  type Task,
  type WorkOptions,
} from "./definition.ts";
import { notify, QueueInstance, type WorkerFacts } from "./instance.ts";
import { reclaimTasks } from "./reclaim.ts";

export * from "./definition.ts";

const TAKE_BACK_MILLISECONDS = 2000;
/** The look that finds what no notice announced, such as a delayed attempt that is due. */
const LOOK_MILLISECONDS = 1000;
/** The longest that pg-boss lets an attempt take, heartbeats or not. */
const EXPIRE_SECONDS = 23 * 3600;

const noticeSchema = z.object({ queue: z.string(), cancelled: z.string().optional() });

const envelopeSchema = z.object({ payload: z.unknown(), failure: z.string().optional() });

type ActiveConsumer = Pick<Consumer<unknown>, "wake" | "cancelled" | "stop">;

type QueueOnly = Pick<QueueDefinition<unknown>, "name" | "maxAttempts">;

export interface QueueDepth {
  readonly queue: string;
  readonly waiting: number;
  readonly running: number;
}

export class Queue {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #boss: PgBoss;
  readonly #facts: WorkerFacts;
  readonly #consumers = new Map<string, ActiveConsumer[]>();
  readonly #ensured = new Map<string, Promise<void>>();
  #instance: Promise<QueueInstance> | undefined;
  #takeBackTimer: NodeJS.Timeout | undefined;
  #takingBack: Promise<void> = Promise.resolve();
  #lookTimer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #closed = false;

  private constructor(database: Database, log: Logger, boss: PgBoss, facts: WorkerFacts) {
    this.#facts = facts;
    this.#database = database;
    this.#log = log;
    this.#boss = boss;
  }

  /** Opens the queue, creating or migrating its tables. It works nothing until `work` is called. */
  static async open(
    database: Database,
    log: Logger,
    facts: WorkerFacts = { version: "", threads: 0 },
  ): Promise<Queue> {
    const boss = new PgBoss({
      db: systemAdapter(database),
      schema: "distillery_queue",
      createSchema: false,
      schedule: false,
      supervise: true,
      superviseIntervalSeconds: 3,
      monitorIntervalSeconds: 3,
      maintenanceIntervalSeconds: 60,
    });
    boss.on("error", (error) => log.warn({ err: error }, "the queue's upkeep failed"));
    boss.on("warning", ({ message, data }) => log.warn({ data }, message));
    await boss.start();
    return new Queue(database, log, boss, facts);
  }

  /**
   * Enqueues in the caller's transaction: the task exists if, and only if, it commits.
   *
   * @returns the task's id
   */
  async send<Payload>(
    sql: Sql,
    definition: QueueDefinition<Payload>,
    payload: Payload,
    options: SendOptions = {},
  ): Promise<string> {
    const [id] = await this.sendMany(sql, definition, [payload], options);
    return id!;
  }

  /** Enqueues many at once; among equal priorities their order is not defined. */
  async sendMany<Payload>(
    sql: Sql,
    definition: QueueDefinition<Payload>,
    payloads: readonly Payload[],
    options: SendOptions = {},
  ): Promise<string[]> {
    await this.#ensure(definition);
    const jobs = payloads.map((payload) => ({
      data: { payload: definition.payload.parse(payload) } satisfies Envelope,
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(options.startAfterSeconds !== undefined && { startAfter: options.startAfterSeconds }),
      // The groups of pg-boss are ours to name; it bounds them only where that is asked for.
      ...(options.need != null && { group: { id: options.need } }),
    }));
    const db = transactionAdapter(sql);
    const ids = await this.#boss.insert(definition.name, jobs, { db, returnId: true });
    await notify(sql, definition.name);
    if (ids?.length !== jobs.length) throw new Error(`${definition.name} took not every task`);
    return ids;
  }

  /** In the caller's transaction: tasks that wait are dropped, those that run are told to stop. */
  async cancel(sql: Sql, definition: QueueOnly, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#ensure(definition);
    await this.#boss.cancel(definition.name, [...ids], { db: transactionAdapter(sql) });
    for (const id of ids) await notify(sql, definition.name, id);
  }

  /** Begins to work a queue in this process. */
  async work<Payload>(
    definition: QueueDefinition<Payload>,
    options: WorkOptions<Payload>,
  ): Promise<void> {
    await this.#ensure(definition);
    const instance = await this.#join();
    this.#consume(instance, definition, options, (envelope) => envelope.payload);
    const { exhausted } = options;
    if (!exhausted) return;
    const given = defineQueue(exhaustedQueue(definition.name), envelopeSchema);
    const handle = async ({ id, payload: envelope }: Task<Envelope>): Promise<void> => {
      const payload = definition.payload.safeParse(envelope.payload);
      if (!payload.success) {
        this.#log.error(
          { queue: definition.name, task: id },
          "an exhausted task is not one of this build",
        );
        return;
      }
      await exhausted(payload.data, envelope.failure ?? (await this.#lastError(given.name, id)));
    };
    this.#consume(instance, given, { concurrency: 1, handle }, (envelope) => envelope);
  }

  /** Resolves when at least one process, here or elsewhere, works the queue. */
  async hasWorker(): Promise<boolean> {
    const rows = await this.#database.systemQuery(
      (sql) => sql`select 1 from queue_instances limit 1`,
    );
    return rows.length > 0;
  }

  /** Whether this process has what a task needs, as of now. */
  async offers(need: string): Promise<boolean> {
    const { needs } = (await this.#join()).offer;
    return needs.includes(need);
  }

  /** How many tasks wait and run, in all processes, by queue; as of about the last second. */
  async depths(): Promise<readonly QueueDepth[]> {
    const queues = await this.#boss.getQueues();
    return queues.map(({ name, queuedCount, activeCount }) => ({
      queue: name,
      waiting: queuedCount,
      running: activeCount,
    }));
  }

  /** Fetches no more, lets what runs end within the time, and leaves the rest to be taken back. */
  async close(timeoutMilliseconds = 5000): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#takeBackTimer);
    clearInterval(this.#lookTimer);
    const consumers = [...this.#consumers.values()].flat();
    const ended = await Promise.all(
      consumers.map((consumer) => consumer.stop(timeoutMilliseconds)),
    );
    if (ended.includes(false)) this.#log.warn("some tasks did not end in time and are left behind");
    await this.#takingBack;
    await this.#looking;
    const instance = await this.#instance;
    if (instance && !ended.includes(false)) {
      await this.#database.systemQuery(
        (sql) => sql`delete from queue_instances where instance_id = ${instance.id}`,
      );
    }
    await instance?.close();
    await this.#boss.stop({ graceful: false, close: false });
  }

  #consume<Payload>(
    instance: QueueInstance,
    definition: QueueDefinition<Payload>,
    options: WorkOptions<Payload>,
    payloadOf: (envelope: Envelope) => unknown,
  ): void {
    const context = {
      database: this.#database,
      boss: this.#boss,
      log: this.#log,
      instanceId: instance.id,
      offered: () => instance.offer.needs,
      exhaustedQueue: exhaustedQueue(definition.name),
      payloadOf,
    };
    const consumers = this.#consumers.get(definition.name) ?? [];
    consumers.push(new Consumer(context, definition, options));
    this.#consumers.set(definition.name, consumers);
  }

  /** Makes this process one that works the queue, and takes back what dead ones held. */
  #join(): Promise<QueueInstance> {
    this.#instance ??= (async () => {
      const instance = await QueueInstance.open(
        this.#database,
        this.#log,
        this.#facts,
        (payload) => this.#onNotice(payload),
        () => this.#wakeAll(),
      );
      await reclaimTasks(this.#database, this.#boss, this.#log, instance.id);
      this.#takeBackTimer = setInterval(() => {
        this.#takingBack = this.#takeBackNow(instance);
      }, TAKE_BACK_MILLISECONDS);
      this.#lookTimer = setInterval(() => {
        this.#looking ??= this.#wakeDue().finally(() => {
          this.#looking = undefined;
        });
      }, LOOK_MILLISECONDS);
      return instance;
    })();
    return this.#instance;
  }

  async #takeBackNow(instance: QueueInstance): Promise<void> {
    await this.#takingBack;
    if (this.#closed) return;
    try {
      await instance.announce();
      await reclaimTasks(this.#database, this.#boss, this.#log, instance.id);
    } catch (error) {
      this.#log.warn({ err: error }, "the tasks of ended processes could not be taken back");
    }
  }

  /** One statement for all queues, which is cheap while they are empty. */
  async #wakeDue(): Promise<void> {
    if (this.#closed) return;
    const names = [...this.#consumers.keys()];
    try {
      const due = await this.#database.systemQuery(
        (sql) => sql<{ name: string }[]>`
          select name from unnest(${names}::text[]) as worked (name)
          where exists (
            select from distillery_queue.job
            where job.name = worked.name and state < 'active' and start_after <= now())`,
      );
      for (const { name } of due) this.#wake(name);
    } catch (error) {
      this.#log.warn({ err: error }, "whether tasks are due could not be read");
    }
  }

  #onNotice(payload: string): void {
    const { queue, cancelled } = noticeSchema.parse(JSON.parse(payload));
    for (const consumer of this.#consumers.get(queue) ?? []) {
      if (cancelled === undefined) consumer.wake();
      else consumer.cancelled(cancelled);
    }
  }

  #wake(queue: string): void {
    for (const consumer of this.#consumers.get(queue) ?? []) consumer.wake();
  }

  #wakeAll(): void {
    for (const queue of this.#consumers.keys()) this.#wake(queue);
  }

  /** Creates a queue and the one that takes its exhausted tasks, once a process. */
  #ensure(definition: QueueOnly): Promise<void> {
    const { name } = definition;
    let ensured = this.#ensured.get(name);
    if (!ensured) {
      ensured = this.#create(name, definition.maxAttempts);
      this.#ensured.set(name, ensured);
      ensured.catch(() => this.#ensured.delete(name));
    }
    return ensured;
  }

  async #create(name: string, maxAttempts: number): Promise<void> {
    const options = {
      retryLimit: maxAttempts - 1,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 60,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: EXPIRE_SECONDS,
      deleteAfterSeconds: 24 * 3600,
    };
    const deadLetter = exhaustedQueue(name);
    await this.#boss.createQueue(deadLetter, { ...options, retryLimit: 1000 });
    await this.#boss.createQueue(name, { ...options, deadLetter });
    await this.#boss.updateQueue(name, { ...options, deadLetter });
  }

  /** What the last attempt of an exhausted task failed with. */
  async #lastError(queue: string, id: string): Promise<string> {
    const [job] = await this.#boss.findJobs(queue, { id });
    const parsed = z.object({ message: z.string() }).safeParse(job?.sourceOutput);
    return parsed.success ? parsed.data.message : "it failed for a reason that was not recorded";
  }
}

function exhaustedQueue(name: string): string {
  return `${name}.exhausted`;
}
