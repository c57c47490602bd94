/**
 * What other processes change, heard of by NOTIFY, so that rows may be remembered and yet are never read
 * as they no longer are. The feed is current while its connection has worked within the last `LEASE_MS`:
 * else nothing that is remembered is used.
 *
 * Who changes something waits, before it answers, until every process has heard of it (`settled`): a
 * process that listens holds an advisory lock on its connection, and confirms what it is asked to. For
 * one that does not confirm, the wait is as long as that one may go on with what it remembers.
 */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Database, Session } from "./database.ts";

/** How long a process goes on with what it remembers while it hears nothing. */
const LEASE_MS = 2_000;
/** While rows are asked for, the connection is asked whether it works this often. */
const CHECK_MS = LEASE_MS / 4;
/** The clocks of two processes do not tick quite alike. */
const MARGIN_MS = 100;
/** A feed that was lost is opened again after this long. */
const LISTEN_AGAIN_MS = 1_000;

export interface ChangeFeedOptions {
  /** `changed` and an organization's id is said on it by triggers; the rest is between processes. */
  readonly channel: string;
  /** The first key of the advisory lock that listeners share. */
  readonly lock: number;
  /** Told when the feed cannot be had; nothing is remembered until it is back. */
  readonly onLost: (error: unknown) => void;
}

/** @param organizationId null = anything may have changed */
export type OnChange = (organizationId: string | null) => void;

export class ChangeFeed {
  readonly #db: Database;
  readonly #options: ChangeFeedOptions;
  readonly #watchers = new Set<OnChange>();
  /** Who has confirmed what is asked here: numbers of sessions. */
  readonly #confirmed = new Map<string, Set<number>>();
  readonly #confirmations = new EventTarget();
  #session: Session | null = null;
  #pid = 0;
  #again: NodeJS.Timeout | null = null;
  #checks: NodeJS.Timeout | null = null;
  #isChecking = false;
  #wasAsked = false;
  /** On the clock of `performance`: every change before it has been told. */
  #heardUntil = Number.NEGATIVE_INFINITY;
  #generation = 0;
  #closed = false;

  constructor(db: Database, options: ChangeFeedOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Counts changes: what was looked up while it changed is not remembered. Null = nothing is. */
  get generation(): number | null {
    return this.#session === null ? null : this.#generation;
  }

  /** Whether all that was changed up to a lease ago has been told. */
  get isCurrent(): boolean {
    this.#wasAsked = true;
    if (this.#session === null) return false;
    if (performance.now() - this.#heardUntil <= LEASE_MS) return true;
    void this.#check(this.#session);
    return false;
  }

  /** @returns what ends it */
  watch(watcher: OnChange): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Opens the feed; where it cannot be had, it is tried again behind the caller's back. */
  async open(): Promise<void> {
    if (this.#closed) return;
    const { channel, lock } = this.#options;
    try {
      const session = await this.#db.session({
        onLost: () => this.#lost(new Error("the connection of the feed was lost")),
        onNotify: (_channel, payload) => this.#hear(payload),
      });
      await session.sql.unsafe(`listen ${channel}`);
      await session.sql.unsafe(`select pg_advisory_lock_shared(${lock}, 1)`);
      const [row] = await session.sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
      if (this.#closed) {
        await session.end();
        return;
      }
      this.#pid = row.pid;
      this.#session = session;
      this.#tell(null);
      await this.#check(session);
      this.#checks = setInterval(() => {
        if (this.#wasAsked) void this.#check(session);
        this.#wasAsked = false;
      }, CHECK_MS);
      this.#checks.unref();
    } catch (error) {
      this.#lost(error);
    }
  }

  /** Resolves when every process has heard of what was committed before, or hears of nothing any more. */
  async settled(): Promise<void> {
    const token = randomUUID();
    const confirmed = new Set<number>();
    this.#confirmed.set(token, confirmed);
    const signal = AbortSignal.timeout(LEASE_MS + MARGIN_MS);
    try {
      const hears = this.#session !== null;
      await this.#notify(`asked ${token}`);
      // Who begins to listen after it was asked reads what was changed before.
      const listening = await this.#listening();
      if (!hears && listening.length > 0) await aborted(signal);
      while (!listening.every((pid) => confirmed.has(pid)) && !signal.aborted) {
        await once(this.#confirmations, "confirmed", { signal }).catch(() => undefined);
      }
    } catch {
      // What was changed is changed, though the database has gone since: nobody relies on it for longer.
      await aborted(signal);
    } finally {
      this.#confirmed.delete(token);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    const session = this.#session;
    this.#end();
    await session?.end();
  }

  #hear(payload: string): void {
    const [kind, of = "", by = ""] = payload.split(" ");
    if (kind === "changed") this.#tell(of);
    else if (kind === "heard") this.#confirm(of, Number(by));
    else if (kind === "asked") {
      if (this.#confirmed.has(of)) this.#confirm(of, this.#pid);
      // Where it cannot be said, who waits for it waits for the lease.
      else this.#notify(`heard ${of} ${this.#pid}`).catch(() => undefined);
    }
  }

  #confirm(token: string, pid: number): void {
    this.#confirmed.get(token)?.add(pid);
    this.#confirmations.dispatchEvent(new Event("confirmed"));
  }

  #tell(organizationId: string | null): void {
    this.#generation++;
    for (const watcher of this.#watchers) watcher(organizationId);
  }

  async #notify(payload: string): Promise<void> {
    const { channel } = this.#options;
    await this.#db.systemQuery((sql) => sql`select pg_notify(${channel}, ${payload})`);
  }

  /** The numbers of the sessions that listen. */
  async #listening(): Promise<readonly number[]> {
    const { lock } = this.#options;
    const rows = await this.#db.systemQuery(
      (sql) => sql<{ pid: number }[]>`
        select pid from pg_locks
        where locktype = 'advisory' and granted and classid = ${lock} and objid = 1
          and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  }

  /** What was notified before is told before the answer to a statement that was sent after. */
  async #check({ sql }: Session): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const sent = performance.now();
    try {
      await sql.unsafe("select 1");
      this.#heardUntil = Math.max(this.#heardUntil, sent);
    } catch {
      // The connection is lost, which is told elsewhere, or does not work: then the lease ends.
    } finally {
      this.#isChecking = false;
    }
  }

  #end(): void {
    this.#session = null;
    this.#heardUntil = Number.NEGATIVE_INFINITY;
    if (this.#checks !== null) clearInterval(this.#checks);
  }

  #lost(error: unknown): void {
    this.#end();
    this.#tell(null);
    if (this.#closed) return;
    this.#options.onLost(error);
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.open(), LISTEN_AGAIN_MS);
    this.#again.unref();
  }
}

const aborted = (signal: AbortSignal): Promise<unknown> | undefined =>
  signal.aborted ? undefined : once(signal, "abort");
