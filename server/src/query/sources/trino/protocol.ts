/**
 * A statement over Trino's client protocol: it is posted, and each answer names the next page of it
 * until one does not. Ending the iteration early cancels it with DELETE.
 * https://trino.io/docs/current/develop/client-protocol.html
 */

import { setTimeout as sleep } from "node:timers/promises";
import { findExcess } from "../../../platform/input/json-fault.ts";
import { type Outbound, OutboundFailedError } from "../../../platform/net/outbound.ts";
import { abortFailure, outboundFault, SourceError } from "../source-error.ts";
import type { WarehouseCredentials } from "../warehouse-settings.ts";
import type { TrinoAddress } from "./address.ts";
import { type TrinoError, trinoFault } from "./fault.ts";
import { isObject, readSignature, type TypeSignature } from "./type-signature.ts";

export interface TrinoColumn {
  readonly name: string;
  readonly type: TypeSignature;
}

export interface TrinoPage {
  /** Null until the statement is planned. */
  readonly columns: readonly TrinoColumn[] | null;
  readonly rows: readonly (readonly unknown[])[];
}

export interface TrinoSettings {
  readonly address: TrinoAddress;
  readonly credentials: WarehouseCredentials | null;
  readonly connectTimeoutMs: number;
}

/** Trino's own largest page is 128 MB. */
const MAX_PAGE_BYTES = 160 * 1024 * 1024;
/**
 * Trino sends rows of 1 MB at once, of a byte a value at the least, unless one row has more. Few packed bytes may hold
 * many times as many values, which take minutes of the loop and gigabytes.
 */
const MAX_PAGE_VALUES = 4_000_000;
/** Rows within rows are lists within lists. */
const MAX_PAGE_DEPTH = 200;
/** An answer is held back for a second at most while there is nothing to say. */
const PAGE_TIMEOUT_MS = 60_000;
const CANCEL_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Trino, or what stands before it, asks to come again. */
const AGAIN = new Set([429, 502, 503, 504]);
/** Of a row without a user of its own. */
const USER = "distillery";

export class TrinoClient {
  readonly #settings: TrinoSettings;
  readonly #outbound: Outbound;
  readonly #cancelling = new Set<Promise<void>>();

  constructor(settings: TrinoSettings, outbound: Outbound) {
    this.#settings = settings;
    this.#outbound = outbound;
  }

  /**
   * @param exactIntegers whether integers beyond 2^53 are kept as they were written
   *   (`JSON.rawJSON`), which is slower and only matters inside arrays, maps and rows
   * @throws SourceError, or the signal's reason
   */
  async *run(
    sql: string,
    signal: AbortSignal,
    exactIntegers = false,
  ): AsyncGenerator<TrinoPage, void> {
    let next: string | null = null;
    try {
      let answer = await this.#ask("POST", `${this.#settings.address.origin}/v1/statement`, {
        ...{ signal, exactIntegers, body: sql },
      });
      for (;;) {
        next = this.#nextOf(answer);
        if (isObject(answer["error"])) {
          next = null;
          throw trinoFault(answer["error"] satisfies TrinoError, this.#settings.address.place);
        }
        const page = this.#page(answer);
        if (next === null) this.#checkEnded(answer);
        yield page;
        if (next === null) return;
        answer = await this.#ask("GET", next, { signal, exactIntegers });
      }
    } finally {
      if (next !== null) this.#cancel(next);
    }
  }

  /** Ends once the cancelling of statements has. */
  async close(): Promise<void> {
    await Promise.all(this.#cancelling);
  }

  async #ask(
    method: "POST" | "GET",
    url: string,
    how: {
      readonly signal: AbortSignal;
      readonly exactIntegers: boolean;
      readonly body?: string;
    },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { address, connectTimeoutMs } = this.#settings;
    const { signal } = how;
    const headers = this.#headers();
    const patience = performance.now() + connectTimeoutMs;
    try {
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        signal.throwIfAborted();
        const answer = await this.#send(method, url, headers, how, patience);
        if (answer !== null && !AGAIN.has(answer.status)) {
          return this.#parse(answer.text, how.exactIntegers);
        }
        if (performance.now() + pause > patience) {
          const said = answer === null ? "broke the connection" : `answered ${answer.status}`;
          throw new SourceError("unreachable", `${address.place} ${said}, repeatedly.`);
        }
        await sleep(pause, undefined, { signal });
      }
    } catch (error) {
      if (signal.aborted) throw abortFailure(signal, address.place);
      throw outboundFault(error) ?? error;
    }
  }

  /** Null where the connection broke under a page or inside it: it can be asked for again. */
  async #send(
    method: "POST" | "GET",
    url: string,
    headers: Readonly<Record<string, string>>,
    how: { readonly signal: AbortSignal; readonly body?: string },
    patience: number,
  ): Promise<{ readonly status: number; readonly text: string } | null> {
    const first = method === "POST";
    try {
      const answer = await this.#outbound.fetch(url, {
        method,
        headers,
        signal: how.signal,
        timeoutMs: first ? this.#settings.connectTimeoutMs : PAGE_TIMEOUT_MS,
        bodyTimeoutMs: PAGE_TIMEOUT_MS,
        maxBytes: MAX_PAGE_BYTES,
        ...(how.body !== undefined && { body: how.body }),
      });
      const { status } = answer;
      if (!AGAIN.has(status)) {
        this.#checkStatus(answer);
        return { status, text: await answer.text() };
      }
      await answer.body?.cancel();
      return { status, text: "" };
    } catch (error) {
      const broken = error instanceof OutboundFailedError && error.failure === "unreachable";
      if (first || !broken || performance.now() > patience) throw error;
      return null;
    }
  }

  #checkStatus(answer: Response): void {
    const { place } = this.#settings.address;
    const { status } = answer;
    if (status === 200) return;
    if (status === 401 || status === 403) {
      const sentence = `${place} does not accept the credentials of the connector.`;
      throw new SourceError("refused", sentence);
    }
    if (status >= 300 && status < 400) {
      const location = URL.parse(answer.headers.get("location") ?? "")?.origin ?? "elsewhere";
      const sentence = `${place} redirects to ${location}: give that address to the connector.`;
      throw new SourceError("broken", sentence);
    }
    const sentence = `${place} answered ${status}, which is not part of Trino's protocol.`;
    throw new SourceError(status >= 500 ? "unreachable" : "broken", sentence);
  }

  #parse(text: string, exactIntegers: boolean): Readonly<Record<string, unknown>> {
    const { place } = this.#settings.address;
    const limits = { depth: MAX_PAGE_DEPTH, values: MAX_PAGE_VALUES, name: MAX_PAGE_BYTES };
    const excess = findExcess(text, limits);
    if (excess !== null) {
      const most = excess.of === "depth" ? `${MAX_PAGE_DEPTH} levels` : `${MAX_PAGE_VALUES} values`;
      throw new SourceError("broken", `${place} sent an answer of more than ${most}.`);
    }
    try {
      const answer: unknown = exactIntegers ? JSON.parse(text, rawInteger) : JSON.parse(text);
      if (isObject(answer)) return answer;
    } catch (cause) {
      throw new SourceError("broken", `${place} does not answer as Trino does.`, { cause });
    }
    throw new SourceError("broken", `${place} does not answer as Trino does.`);
  }

  /** The credentials go to the connector's own server and to no other that it names. */
  #nextOf(answer: Readonly<Record<string, unknown>>): string | null {
    const { origin, place } = this.#settings.address;
    const next = answer["nextUri"];
    if (next === undefined || next === null) return null;
    const url = typeof next === "string" ? URL.parse(next) : null;
    if (url === null) throw new SourceError("broken", `${place} does not answer as Trino does.`);
    if (url.origin === origin && url.username === "" && url.password === "") return url.href;
    const sentence =
      `${place} continues its answer at ${url.origin}, another server than the connector's: ` +
      "behind a proxy Trino needs http-server.process-forwarded=true.";
    throw new SourceError("broken", sentence);
  }

  /** What names no next page is the end only of a statement that says that it has ended. */
  #checkEnded({ stats }: Readonly<Record<string, unknown>>): void {
    const { place } = this.#settings.address;
    const state = isObject(stats) ? stats["state"] : null;
    if (state === "FINISHED") return;
    const sentence =
      typeof state === "string" && /^[A-Z_]{1,40}$/.test(state)
        ? `${place} ended its answer while the statement was ${state}.`
        : `${place} does not answer as Trino does.`;
    throw new SourceError("broken", sentence);
  }

  #page(answer: Readonly<Record<string, unknown>>): TrinoPage {
    const { place } = this.#settings.address;
    const { columns, data } = answer;
    const broken = new SourceError("broken", `${place} does not answer as Trino does.`);
    const rows = data ?? [];
    if (!Array.isArray(rows)) throw broken;
    if (columns === undefined || columns === null) {
      if (rows.length > 0) throw broken;
      return { columns: null, rows };
    }
    if (!Array.isArray(columns)) throw broken;
    const isRow = (row: unknown): boolean => Array.isArray(row) && row.length === columns.length;
    if (!rows.every(isRow)) throw broken;
    return {
      columns: columns.map((column: unknown) => {
        const type = isObject(column) ? readSignature(column["typeSignature"]) : null;
        if (!isObject(column) || typeof column["name"] !== "string" || type === null) throw broken;
        return { name: column["name"], type };
      }),
      rows,
    };
  }

  #cancel(next: string): void {
    const cancelling = this.#outbound
      .fetch(next, { method: "DELETE", headers: this.#headers(), timeoutMs: CANCEL_TIMEOUT_MS })
      .then((answer) => answer.body?.cancel())
      // A statement that nobody asks after is ended by Trino in its own time.
      .catch(() => undefined)
      .finally(() => this.#cancelling.delete(cancelling));
    this.#cancelling.add(cancelling);
  }

  /** @throws SourceError where the credentials may not travel */
  #headers(): Readonly<Record<string, string>> {
    const { address, credentials } = this.#settings;
    const { username, password, token } = credentials ?? {};
    if ((password !== undefined || token !== undefined) && !address.encrypted) {
      const sentence =
        `${address.place} is not encrypted: Trino takes a password or token over TLS only, ` +
        "so the connector's URL must begin with trinos:// or https://.";
      throw new SourceError("refused", sentence);
    }
    if (password !== undefined && username === undefined) {
      const sentence = `${address.place} needs a username beside the password.`;
      throw new SourceError("refused", sentence);
    }
    const basic = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
    return {
      "content-type": "text/plain; charset=utf-8",
      accept: "application/json",
      "user-agent": "distillery",
      "x-trino-source": "distillery",
      "x-trino-time-zone": "UTC",
      // Without it times come with three digits, whatever they have.
      "x-trino-client-capabilities": "PARAMETRIC_DATETIME",
      ...(token === undefined && { "x-trino-user": headerText(username ?? USER, address) }),
      ...(token !== undefined &&
        username !== undefined && {
          "x-trino-user": headerText(username, address),
        }),
      ...(token !== undefined && { authorization: `Bearer ${headerText(token, address)}` }),
      ...(token === undefined && password !== undefined && { authorization: `Basic ${basic}` }),
    };
  }
}

function headerText(text: string, address: TrinoAddress): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  const sentence = `${address.place} cannot be given this username or token: it is not plain ASCII.`;
  throw new SourceError("refused", sentence);
}

/** The type definitions know neither the source of a number nor `rawJSON`. */
const rawJson: (text: string) => unknown = Reflect.get(JSON, "rawJSON");

/** Integers that a double would round, as they were written. */
function rawInteger(this: unknown, _key: string, value: unknown, context?: unknown): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !isObject(context)) return value;
  const { source } = context;
  return typeof source === "string" && /^-?[0-9]+$/.test(source) ? rawJson(source) : value;
}
