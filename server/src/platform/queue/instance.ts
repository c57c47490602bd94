/**
 * This process among those that work the queue: alive for as long as its session holds an advisory
 * lock. The lock goes with the process however it ends, so that others see at once whose tasks are
 * to be taken back, and a process that was killed finds its own when it starts again.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { AnnouncedDevices } from "@distillery/engine";
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
  /** What it has beside them, as it is now; absent: nothing. */
  readonly offer?: (() => Offer) | undefined;
}

export interface Offer {
  /** What tasks can ask for by `need`. */
  readonly needs: readonly string[];
  /** JSON for people: what that is. */
  readonly devices: AnnouncedDevices;
}

const NOTHING: Offer = { needs: [], devices: { devices: [], missing: [] } };

export class QueueInstance {
  readonly id = randomUUID();
  readonly #database: Database;
  readonly #log: Logger;
  readonly #facts: WorkerFacts;
  readonly #onNotice: (payload: string) => void;
  readonly #onListening: () => void;
  #session: Session | undefined;
  /** As it was told last. */
  #told = "";
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

  /** What this process has now. */
  get offer(): Offer {
    return this.#facts.offer?.() ?? NOTHING;
  }

  /** Tells what has changed of what this process has. */
  async announce(): Promise<void> {
    const { needs, devices } = this.offer;
    const told = JSON.stringify({ needs, devices });
    if (told === this.#told) return;
    await this.#database.systemQuery(
      (sql) => sql`
        update queue_instances
        set devices = ${JSON.stringify(devices)}::text::json, offers = ${[...needs]}::text[]
        where instance_id = ${this.id}`,
    );
    this.#told = told;
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
    const { needs, devices } = this.offer;
    await sql`select pg_advisory_lock(${key}::text::bigint)`;
    await sql`
      insert into queue_instances
        (instance_id, lock_key, host, pid, version, threads, devices, offers)
      values (${this.id}, ${key}::text::bigint, ${hostname()}, ${process.pid},
              ${this.#facts.version}, ${this.#facts.threads},
              ${JSON.stringify(devices)}::text::json, ${[...needs]}::text[])
      on conflict (instance_id) do update set lock_key = excluded.lock_key, seen_at = now(),
        devices = excluded.devices, offers = excluded.offers`;
    this.#told = JSON.stringify({ needs, devices });
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
