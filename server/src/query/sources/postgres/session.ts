/**
 * One connection to a warehouse: the driver `postgres` over a guarded stream. Transactions are
 * read-only; each sets what the texts of values depend on, so that nothing is left in a connection
 * that a pooler shares. A session that failed or was given up is destroyed, never used again.
 */

import type { Readable } from "node:stream";
import postgres from "postgres";
import type { Outbound } from "../../../platform/net/outbound.ts";
import { abortFailure, SourceError } from "../source-error.ts";
import type { WarehouseCredentials } from "../warehouse-settings.ts";
import type { PostgresAddress } from "./address.ts";
import { openSocket, requestCancel } from "./encrypted-socket.ts";
import { postgresFault } from "./fault.ts";
import { GuardedStream } from "./guarded-stream.ts";

/** Ends statements whose reader vanished without a word; readers end them long before. */
const STATEMENT_TIMEOUT = "1h";
const CANCEL_TIMEOUT_MS = 5_000;

const BEGIN = `begin transaction read only;
  set local statement_timeout = '${STATEMENT_TIMEOUT}';
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local standard_conforming_strings = on`;

export interface SessionSettings {
  readonly address: PostgresAddress;
  readonly credentials: WarehouseCredentials | null;
  readonly connectTimeoutMs: number;
}

export type Row = Readonly<Record<string, string | null>>;

export class PostgresSession {
  readonly #settings: SessionSettings;
  readonly #outbound: Outbound;
  readonly #client: postgres.Sql;
  #stream: GuardedStream | null = null;
  #connecting = new AbortController();
  #usable = true;
  /** Cancel requests under way. */
  #cancelling: Promise<void> = Promise.resolve();
  /** What a failure of the driver is said with, where the driver knows less. */
  #failure: unknown = null;

  private constructor(settings: SessionSettings, outbound: Outbound) {
    this.#settings = settings;
    this.#outbound = outbound;
    const { address, credentials } = settings;
    // Every option that the driver would else take from the environment of the service is given, but for the one
    // that the start of the process drops.
    this.#client = postgres({
      host: address.host,
      port: address.port,
      database: address.database,
      username: credentials?.username ?? "",
      password: () => credentials?.password ?? credentials?.token ?? "",
      ssl: false,
      max: 1,
      idle_timeout: 0,
      connect_timeout: 0,
      max_lifetime: null,
      max_pipeline: 1,
      keep_alive: 60,
      backoff: () => 0,
      prepare: false,
      debug: false,
      fetch_types: false,
      onnotice: () => undefined,
      connection: { application_name: "distillery" },
      // Texts stay texts.
      types: {
        raw: { to: 0, from: TEXT_TYPES, parse: (text: string) => text, serialize: String },
      },
      socket: () => this.#open(),
    } as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  /** @throws SourceError, or the signal's reason */
  static async open(
    settings: SessionSettings,
    outbound: Outbound,
    signal: AbortSignal,
  ): Promise<PostgresSession> {
    const { address } = settings;
    if (!settings.credentials?.username) {
      const sentence = `${address.place} needs a username: the connector's credentials have none.`;
      throw new SourceError("refused", sentence);
    }
    const session = new PostgresSession(settings, outbound);
    const timer = setTimeout(() => {
      const sentence = `${address.place} did not accept the connection within ${settings.connectTimeoutMs} ms.`;
      session.destroy(new SourceError("timeout", sentence));
    }, settings.connectTimeoutMs);
    try {
      await session.#guarded(signal, () => session.#client.unsafe("select 1"));
    } catch (error) {
      session.destroy(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return session;
  }

  get usable(): boolean {
    return this.#usable && this.#stream?.destroyed === false;
  }

  /** Runs the work in one read-only transaction. */
  async transaction<Result>(
    signal: AbortSignal,
    work: (query: (sql: string) => Promise<readonly Row[]>) => Promise<Result>,
  ): Promise<Result> {
    return await this.#guarded(signal, async () => {
      await this.#client.unsafe(BEGIN);
      const result = await work((sql) => this.#client.unsafe<Row[]>(sql));
      await this.#client.unsafe("commit");
      return result;
    });
  }

  /**
   * The output of a COPY … TO STDOUT, whose statement is made in the same transaction. Ending the
   * iteration early cancels it and destroys the session.
   */
  async *copy(
    signal: AbortSignal,
    statement: (query: (sql: string) => Promise<readonly Row[]>) => Promise<string>,
  ): AsyncGenerator<Uint8Array, void> {
    let finished = false;
    const abort = (): void => this.abandon(abortFailure(signal, this.#settings.address.place));
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) abort();
      await this.#client.unsafe(BEGIN);
      const sql = await statement((text) => this.#client.unsafe<Row[]>(text));
      const output: Readable = await this.#client.unsafe(sql).readable();
      // Its reader is told of errors by the iteration; one after its end has nobody to tell.
      output.on("error", () => undefined);
      try {
        yield* output;
      } finally {
        // The driver pauses the connection when the output's buffer is full, and goes on when it is
        // read from: never, where the output's end was in the packet that filled it.
        this.#stream?.resume();
      }
      await this.#client.unsafe("commit");
      finished = true;
    } catch (error) {
      const fault = this.#fault(error, signal);
      finished = await this.#rolledBack();
      throw fault;
    } finally {
      signal.removeEventListener("abort", abort);
      if (!finished) {
        this.abandon(new SourceError("broken", "Reading a table was cancelled."));
      }
    }
  }

  /** Cancels what the server does for this session and closes the connection. */
  abandon(reason: unknown): void {
    const key = this.#stream?.cancelKey ?? null;
    if (key !== null && this.usable) {
      const { address } = this.#settings;
      const clock = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
      // A server that cannot be asked to cancel still sees the connection end.
      this.#cancelling = requestCancel(address, this.#outbound, key, clock).catch(() => undefined);
    }
    this.destroy(reason);
  }

  destroy(reason: unknown): void {
    this.#usable = false;
    this.#failure ??= reason;
    this.#connecting.abort(reason);
    this.#stream?.destroy(reason instanceof Error ? reason : undefined);
  }

  /** Says goodbye to the server. */
  async close(): Promise<void> {
    const stream = this.#stream;
    if (this.usable && stream !== null) {
      this.#usable = false;
      const closed = new Promise((resolve) => stream.once("close", resolve));
      await this.#client.end({ timeout: 1 });
      await closed;
    }
    await this.#cancelling;
  }

  async #open(): Promise<GuardedStream> {
    // The driver connects again where the server hangs up while the session starts.
    if (this.#stream !== null) {
      const sentence = `${this.#settings.address.place} closed the connection while it started.`;
      throw this.#failure ?? new SourceError("unreachable", sentence);
    }
    const { address } = this.#settings;
    const socket = await openSocket(address, this.#outbound, this.#connecting.signal);
    this.#stream = new GuardedStream(socket, address.place);
    if (!this.#usable) this.#stream.destroy();
    return this.#stream;
  }

  async #guarded<Result>(signal: AbortSignal, work: () => PromiseLike<Result>): Promise<Result> {
    const abort = (): void => this.abandon(abortFailure(signal, this.#settings.address.place));
    signal.addEventListener("abort", abort, { once: true });
    try {
      if (signal.aborted) abort();
      signal.throwIfAborted();
      return await work();
    } catch (error) {
      const fault = this.#fault(error, signal);
      if (!(await this.#rolledBack())) this.destroy(fault);
      throw fault;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Whether the session is of use after a failure: one of the statement, not of the connection. */
  async #rolledBack(): Promise<boolean> {
    if (!this.usable) return false;
    try {
      await this.#client.unsafe("rollback");
      return true;
    } catch {
      // The failure before this one tells more.
      return false;
    }
  }

  #fault(error: unknown, signal: AbortSignal): unknown {
    const { address } = this.#settings;
    if (signal.aborted) return abortFailure(signal, address.place);
    return postgresFault(this.#failure ?? error, address);
  }
}

/** Types that the driver would parse: bool, int2, int4, oid, json, float4, float8, date, timestamps, jsonb. */
const TEXT_TYPES = [16, 21, 23, 26, 114, 700, 701, 1082, 1114, 1184, 3802];
