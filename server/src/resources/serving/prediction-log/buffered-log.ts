/**
 * What is to be logged, in memory, until it is stored: bounded in bytes and in time. Nobody waits for it.
 * What finds no room, or cannot be stored, is dropped and counted.
 */

import type { LoggedRequest } from "../../../platform/compute/prediction-log/logged-request.ts";
import type { Logger } from "../../../platform/log.ts";

/** Of all endpoints, what is being stored too. */
const MOST_BYTES = 64 * 2 ** 20;
/** So many of an endpoint are stored at once, before their time. */
const FILE_BYTES = 4 * 2 ** 20;
const WAIT_MS = 60_000;
const TICK_MS = 5_000;
/** After a failure; it doubles. */
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 60_000;
/** A shutdown waits so long for what is not stored yet: half of what it has in all. */
const CLOSE_MS = 5_000;

/** Requests of one endpoint that become one file. */
export interface LogBatch {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly keepDays: number;
  readonly requests: readonly LoggedRequest[];
}

/** What became of a batch that is not to be tried again. */
export type BatchOutcome = "written" | DropReason;
/** `overflow`: too much was waiting. `quota`: the organization's. `failed`: it could not be stored. */
export type DropReason = "overflow" | "quota" | "failed";

/** Predictions since the process began. */
export interface LogCounters {
  readonly written: number;
  /** Not stored yet. */
  readonly waiting: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
}

export interface BufferedLogOptions {
  /** Throws where the same may work later. @param isLast whether the process is about to end */
  readonly store: (batch: LogBatch, isLast: boolean) => Promise<BatchOutcome>;
  readonly log: Pick<Logger, "warn">;
  /** Milliseconds. */
  readonly now?: () => number;
}

interface Waiting {
  readonly request: LoggedRequest;
  readonly rows: number;
  readonly bytes: number;
}

interface OfEndpoint {
  readonly counts: { written: number; overflow: number; quota: number; failed: number };
  organizationId: string;
  keepDays: number;
  waiting: Waiting[];
  bytes: number;
  /** When the oldest of what waits came. */
  since: number;
}

export class BufferedLog {
  readonly #options: BufferedLogOptions;
  readonly #now: () => number;
  readonly #endpoints = new Map<string, OfEndpoint>();
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #working: Promise<void> | null = null;
  #retryMs = 0;
  #retryAt = 0;
  #isClosing = false;

  constructor(options: BufferedLogOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#timer = setInterval(() => this.#begin(), TICK_MS);
    this.#timer.unref();
  }

  /** @returns false where there is no room for it */
  add(
    scope: Omit<LogBatch, "requests">,
    request: LoggedRequest,
    /** Of it that are logged. */
    rows: number,
  ): boolean {
    const of = this.#of(scope);
    const bytes = request.rows.byteLength + request.answer.byteLength;
    if (this.#bytes + bytes > MOST_BYTES) {
      of.counts.overflow += rows;
      return false;
    }
    if (of.waiting.length === 0) of.since = this.#now();
    of.waiting.push({ request, rows, bytes });
    of.bytes += bytes;
    this.#bytes += bytes;
    if (of.bytes >= FILE_BYTES) this.#begin();
    return true;
  }

  countersOf(endpointId: string): LogCounters | null {
    const of = this.#endpoints.get(endpointId);
    if (!of) return null;
    const { written, ...dropped } = of.counts;
    return { written, waiting: of.waiting.reduce((sum, { rows }) => sum + rows, 0), dropped };
  }

  /** Drops what waits of an endpoint that is gone. */
  forget(endpointId: string): void {
    this.#bytes -= this.#endpoints.get(endpointId)?.bytes ?? 0;
    this.#endpoints.delete(endpointId);
  }

  /** Tries to store all that waits, once. */
  async flush(): Promise<void> {
    await this.#working;
    await this.#start(true);
  }

  /** Stores what it can in some seconds; the rest is lost, and said. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.flush(), late]);
    clearTimeout(timer);
    for (const [endpoint, of] of this.#endpoints) {
      const rows = of.waiting.reduce((sum, each) => sum + each.rows, 0);
      if (rows > 0) this.#options.log.warn({ endpoint, rows }, "logged predictions are lost");
    }
  }

  #begin(): void {
    if (this.#working === null && this.#now() >= this.#retryAt) void this.#start(false);
  }

  #start(all: boolean): Promise<void> {
    const working = this.#work(all).finally(() => {
      if (this.#working === working) this.#working = null;
    });
    this.#working = working;
    return working;
  }

  /** Stores what is due, file by file, until one fails. */
  async #work(all: boolean): Promise<void> {
    for (const [endpointId, of] of this.#endpoints) {
      while (of.waiting.length > 0 && (all || this.#isDue(of))) {
        if (!(await this.#storeOne(endpointId, of))) return;
      }
    }
  }

  #isDue({ bytes, since }: OfEndpoint): boolean {
    return bytes >= FILE_BYTES || this.#now() - since >= WAIT_MS;
  }

  async #storeOne(endpointId: string, of: OfEndpoint): Promise<boolean> {
    let count = 0;
    for (let bytes = 0; count < of.waiting.length && bytes < FILE_BYTES; count++) {
      bytes += of.waiting[count]?.bytes ?? 0;
    }
    const batch = of.waiting.slice(0, count);
    const { organizationId, keepDays } = of;
    const requests = batch.map(({ request }) => request);
    let outcome: BatchOutcome;
    try {
      const whole = { organizationId, endpointId, keepDays, requests };
      outcome = await this.#options.store(whole, this.#isClosing);
    } catch (error) {
      this.#retryMs = Math.min(MOST_RETRY_MS, Math.max(RETRY_MS, this.#retryMs * 2));
      this.#retryAt = this.#now() + this.#retryMs;
      this.#options.log.warn(
        { err: error, endpoint: endpointId, waitingBytes: this.#bytes },
        "logged predictions could not be stored; trying again",
      );
      return false;
    }
    this.#retryMs = 0;
    this.#retryAt = 0;
    // Of an endpoint that is gone meanwhile, nothing is counted any more.
    if (this.#endpoints.get(endpointId) !== of) return true;
    of.waiting = of.waiting.slice(count);
    of.since = this.#now();
    for (const { rows, bytes } of batch) {
      of.counts[outcome] += rows;
      of.bytes -= bytes;
      this.#bytes -= bytes;
    }
    return true;
  }

  #of({ endpointId, organizationId, keepDays }: Omit<LogBatch, "requests">): OfEndpoint {
    const known = this.#endpoints.get(endpointId);
    if (known) {
      known.keepDays = keepDays;
      return known;
    }
    const counts = { written: 0, overflow: 0, quota: 0, failed: 0 };
    const made = { counts, organizationId, keepDays, waiting: [], bytes: 0, since: 0 };
    this.#endpoints.set(endpointId, made);
    return made;
  }
}
