/**
 * The service's access to PostgreSQL, with row-level security as the wall behind each query's own
 * `organization_id`.
 *
 * Resource code works as an organization: `read` for one statement that only reads, `query` for one
 * statement (one round trip: BEGIN with the setting, the statement and COMMIT leave in one packet),
 * `forOrganization` for a transaction. The role it runs under, `distillery_app`, sees only rows whose
 * `organization_id` is the one set.
 * Workers and authentication work as the system: `systemQuery` and `system`, under the role
 * `distillery_system`, which sees all.
 */
import type postgres from "postgres";
import { type Lease, SessionPool } from "./pool.ts";
import { ReaderPool } from "./readers.ts";
import { type Address, APP_ROLE, type Client, connect, type Sql, SYSTEM_ROLE } from "./sql.ts";

export type { Sql } from "./sql.ts";

/** Whose rights a transaction has; kept so that the queue can enqueue in any of them. */
const roles = new WeakMap<Sql, string>();

/** The role that the statements of `sql` run under. */
export function roleOf(sql: Sql): string {
  const role = roles.get(sql);
  if (role === undefined) throw new Error("not the statements of a transaction of this database");
  return role;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Sessions of `read`: each takes many statements at a time. */
const READERS = 4;

export interface DatabaseOptions {
  /** Sessions for organizations' queries, and as many for the system's; 10 unless told. */
  readonly sessions?: number;
}

export interface Session {
  readonly sql: Sql;
  end(): Promise<void>;
}

export interface SessionEvents {
  /** The connection ended before `end` was called. */
  readonly onLost: () => void;
  readonly onNotify?: (channel: string, payload: string) => void;
}

export class Database {
  readonly #address: Address;
  readonly #app: SessionPool;
  readonly #readers: ReaderPool;
  readonly #system: SessionPool;
  readonly #sessions = new Set<Client>();

  constructor(address: Address, options: DatabaseOptions = {}) {
    this.#address = address;
    const max = options.sessions ?? 10;
    this.#app = new SessionPool(address, { max, role: APP_ROLE });
    this.#readers = new ReaderPool(address, { max: READERS, role: APP_ROLE });
    this.#system = new SessionPool(address, { max, role: SYSTEM_ROLE });
  }

  /**
   * One statement that only reads, as an organization. It waits for no session: it goes out behind
   * those of others, and so must be a short one, without locks.
   *
   * @param statement builds it, and sends nothing else: `(sql) => sql\`select …\``
   */
  async read<Rows extends readonly (object | undefined)[]>(
    organizationId: string,
    statement: (sql: Sql) => postgres.PendingQuery<Rows>,
  ): Promise<postgres.RowList<Rows>> {
    return await this.#readers.read(organizationId, `set ${setting(organizationId)}`, statement);
  }

  /**
   * One statement as an organization, in one round trip.
   *
   * @param statement builds it, and sends nothing else: `(sql) => sql\`select …\``
   */
  async query<Rows extends readonly (object | undefined)[]>(
    organizationId: string,
    statement: (sql: Sql) => postgres.PendingQuery<Rows>,
  ): Promise<postgres.RowList<Rows>> {
    const prelude = begin(organizationId);
    const lease = await this.#app.lease();
    try {
      const query = statement(lease.sql);
      const outcomes = await Promise.allSettled([
        lease.run(prelude),
        query.execute(),
        lease.run("commit"),
      ]);
      // The statement's own error tells most; BEGIN and COMMIT fail with their connection.
      for (const index of [1, 0, 2] as const) {
        const outcome = outcomes[index];
        if (outcome.status === "rejected") throw outcome.reason;
      }
      return await query;
    } finally {
      lease.release();
    }
  }

  /** A transaction as an organization: commits when `work` resolves, rolls back when it rejects. */
  async forOrganization<Result>(
    organizationId: string,
    work: (sql: Sql) => Promise<Result>,
  ): Promise<Result> {
    return await transaction(await this.#app.lease(), APP_ROLE, begin(organizationId), work);
  }

  /** One statement as the system, outside any organization. */
  async systemQuery<Result>(statement: (sql: Sql) => PromiseLike<Result>): Promise<Result> {
    const lease = await this.#system.lease();
    try {
      return await statement(lease.sql);
    } finally {
      lease.release();
    }
  }

  /** A transaction as the system, outside any organization. */
  async system<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    return await transaction(await this.#system.lease(), SYSTEM_ROLE, "begin", work);
  }

  /**
   * Runs SQL text as the system and gives what the driver gives: for the queue's own statements,
   * which may be several and carry their own BEGIN.
   */
  async systemText<Result>(text: string, run: (sql: Sql) => PromiseLike<Result>): Promise<Result> {
    const lease = await this.#system.lease();
    try {
      return await run(lease.sql);
    } catch (error) {
      // A script that opened a transaction and failed inside it must not leave it open.
      if (/^\s*begin\b/i.test(text)) await rollback(lease);
      throw error;
    } finally {
      lease.release();
    }
  }

  /**
   * One session of its own, outside the pools: for LISTEN and for session-level advisory locks.
   * It is not opened again when its connection ends.
   */
  async session(events: SessionEvents): Promise<Session> {
    let ended = false;
    const forget = () => {
      ended = true;
      this.#sessions.delete(client);
    };
    const client = connect(this.#address, {
      max: 1,
      role: SYSTEM_ROLE,
      onClose: () => {
        if (ended) return;
        forget();
        void client.end({ timeout: 0 });
        events.onLost();
      },
      ...(events.onNotify && { onNotify: events.onNotify }),
    });
    this.#sessions.add(client);
    try {
      await client`select 1`;
    } catch (error) {
      forget();
      await client.end({ timeout: 0 });
      throw error;
    }
    return {
      sql: client,
      end: async () => {
        forget();
        await client.end({ timeout: 1 });
      },
    };
  }

  /** Ends every connection; statements still running after `timeoutSeconds` are cut off. */
  async close(timeoutSeconds = 5): Promise<void> {
    await Promise.all([
      ...[...this.#sessions].map((client) => client.end({ timeout: 1 })),
      this.#app.close(timeoutSeconds),
      this.#readers.close(timeoutSeconds),
      this.#system.close(timeoutSeconds),
    ]);
  }
}

const begin = (organizationId: string): string => `begin; set local ${setting(organizationId)}`;

/** It goes as text into a packet without parameters, so the id is checked to be a UUID. */
function setting(organizationId: string): string {
  if (!UUID.test(organizationId)) throw new TypeError("an organization id is a lower-case UUID");
  return `distillery.organization_id = '${organizationId}'`;
}

async function transaction<Result>(
  lease: Lease,
  role: string,
  prelude: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  try {
    roles.set(lease.sql, role);
    const begun = lease.run(prelude);
    // Should the first statement fail with it, that error is the one to show.
    begun.catch(() => undefined);
    let result: Result;
    try {
      result = await work(lease.sql);
    } catch (error) {
      await rollback(lease);
      throw error;
    }
    await begun;
    await commit(lease);
    return result;
  } finally {
    lease.release();
  }
}

/** COMMIT of a transaction in which a statement failed answers ROLLBACK and no error. */
async function commit(lease: Lease): Promise<void> {
  const { command } = await lease.run("commit");
  if (command !== "COMMIT") {
    throw new Error("the transaction was rolled back: one of its statements had failed");
  }
}

/** A rollback fails only with its connection, whose end rolls back as well. */
async function rollback(lease: Lease): Promise<void> {
  await Promise.allSettled([lease.run("rollback")]);
}
