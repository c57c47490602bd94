/**
 * This process among those that work the queue: alive for as long as its session holds an advisory
 * lock. The lock goes with the process however it ends, so that others see at once whose tasks are
 * to be taken back, and a process that was killed finds its own when it starts again.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Session, Sql } from "../db/database.ts";
import type { Logger } from "../log.ts";

/** NOTIFY channel of the queue. */
const CHANNEL = "distillery_queue";

/** Tells the queue's workers, once the transaction commits: of new tasks, or of a cancelled one. */
export async function notify(sql: Sql, queue: string, cancelled?: string): Promise<void> {
  const notice = JSON.stringify({ queue, cancelled });
  await sql`select pg_notify(${CHANNEL}, ${notice})`;
}

const RECONNECT_MILLISECONDS = 1000;

/** What a process tells of itself to whoever looks at the fleet. */
export interface WorkerFacts {
  readonly version: string;
  /** That it computes with. */
  readonly threads: number;
}

export class QueueInstance {
  readonly id = randomUUID();
  readonly #database: Database;
  readonly #log: Logger;
  readonly #facts: WorkerFacts;
  readonly #onNotice: (payload: string) => void;
  readonly #onListening: () => void;
  #session: Session | undefined;
  #closed = false;

  private constructor(
    database: Database,
    log: Logger,
    facts: WorkerFacts,
    onNotice: (payload: string) => void,
    onListening: () => void,
  ) {
    this.#database = database;
    this.#log = log;
    this.#facts = facts;
    this.#onNotice = onNotice;
    this.#onListening = onListening;
  }

  /**
   * @param onNotice called with each notice of the channel
   * @param onListening called each time listening begins (again): notices before were missed
   */
  static async open(
    database: Database,
    log: Logger,
    facts: WorkerFacts,
    onNotice: (payload: string) => void,
    onListening: () => void,
  ): Promise<QueueInstance> {
    const instance = new QueueInstance(database, log, facts, onNotice, onListening);
    await instance.#connect();
    return instance;
  }

  /** Leaves the list of the living; what is still claimed can be taken back at once. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#session?.end();
  }

  async #connect(): Promise<void> {
    const session = await this.#database.session({
      onLost: () => void this.#reconnect(),
      onNotify: (_channel, payload) => this.#onNotice(payload),
    });
    if (this.#closed) return await session.end();
    this.#session = session;
    // A new key each time: the server may not have noticed yet that the old session is gone.
    const key = randomBytes(8).readBigInt64BE().toString();
    const { sql } = session;
    await sql`select pg_advisory_lock(${key}::text::bigint)`;
    await sql`
      insert into queue_instances (instance_id, lock_key, host, pid, version, threads)
      values (${this.id}, ${key}::text::bigint, ${hostname()}, ${process.pid},
              ${this.#facts.version}, ${this.#facts.threads})
      on conflict (instance_id) do update set lock_key = excluded.lock_key, seen_at = now()`;
    await sql.unsafe(`listen ${CHANNEL}`);
    this.#onListening();
  }

  async #reconnect(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#connect();
        return;
      } catch (error) {
        this.#log.warn({ err: error }, "the queue's session is lost, connecting again");
        await delay(RECONNECT_MILLISECONDS);
      }
    }
  }
}
