/**
 * Warm processes. One that has worked for an organization works for no other; one that nobody has used
 * waits for whoever comes, so that a query does not wait for a process to start. Every session gets
 * fresh DuckDB instances, which are opened in the background after the last one's end.
 */

import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { residentBytes } from "../../../platform/processes/process-memory.ts";
import type { SessionLimits } from "./limits.ts";
import { QueryProcess } from "./query-process.ts";

interface Idle {
  readonly process: QueryProcess;
  /** Null = nobody has used it. */
  readonly organizationId: string | null;
  /** Open for its next session. */
  readonly ready: Promise<void>;
  isReady: boolean;
  timer: NodeJS.Timeout | null;
}

/** A process that keeps more than this after its session is ended. */
const KEPT_BYTES = 768 << 20;

export class ProcessPool {
  readonly #root: string;
  readonly #limits: SessionLimits;
  /** Latest used last. */
  #idle: Idle[] = [];
  readonly #all = new Set<QueryProcess>();
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  /** @param root an absolute folder that exists and is no link */
  constructor(root: string, limits: SessionLimits) {
    this.#root = root;
    this.#limits = limits;
  }

  /** Starts the processes that wait for the first queries. */
  warm(): void {
    let missing =
      this.#limits.spares - this.#idle.filter((one) => one.organizationId === null).length;
    for (; missing > 0 && !this.#closed; missing--) void this.#startSpare();
  }

  /** A process that is ready for a session; `release` must follow. */
  async acquire(organizationId: string): Promise<QueryProcess> {
    for (;;) {
      const own = this.#idle.filter((one) => one.organizationId === organizationId);
      const spares = this.#idle.filter((one) => one.organizationId === null);
      const idle =
        own.findLast((one) => one.isReady) ??
        spares.find((one) => one.isReady) ??
        own.at(-1) ??
        spares[0];
      const taken = idle ?? this.#keep(await this.#start(), null);
      this.#take(taken);
      try {
        await taken.ready;
        if (!taken.process.isGone) return taken.process;
      } catch (error) {
        this.#retire(taken.process);
        // A new process that cannot be made ready is a fault; an old one is replaced.
        if (idle === undefined) throw error;
        continue;
      }
      this.#retire(taken.process);
    }
  }

  /** @param healthy nothing happened to it that its next session could feel */
  release(process: QueryProcess, organizationId: string, healthy: boolean): void {
    if (
      this.#closed ||
      !healthy ||
      process.isGone ||
      process.sessions >= this.#limits.sessionsOfProcess
    ) {
      this.#retire(process);
    } else {
      const idle = this.#keep(process, organizationId);
      idle.ready.then(
        () => this.#endWhenLarge(idle),
        () => this.#retire(process),
      );
      this.#evict();
    }
    this.warm();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const process of this.#all) this.#retire(process);
    await Promise.all(this.#closing);
  }

  async #start(): Promise<QueryProcess> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const process = new QueryProcess(await mkdtemp(join(this.#root, "p-")), this.#limits);
    this.#all.add(process);
    if (this.#closed) this.#retire(process);
    return process;
  }

  async #startSpare(): Promise<void> {
    const place: { spare: Idle | null } = { spare: null };
    const started = this.#start();
    try {
      const process = await started;
      if (this.#closed) return;
      place.spare = this.#keep(process, null);
      await place.spare.ready;
    } catch {
      // A query that finds no spare starts a process of its own, and then tells why it cannot.
      if (place.spare !== null) this.#retire(place.spare.process);
    }
  }

  #keep(process: QueryProcess, organizationId: string | null): Idle {
    const ready = process.open();
    const idle: Idle = { process, organizationId, ready, isReady: false, timer: null };
    ready.then(
      () => {
        idle.isReady = true;
      },
      // Whoever takes it hears of it; nobody may.
      () => undefined,
    );
    if (organizationId !== null) {
      idle.timer = setTimeout(() => {
        this.#take(idle);
        this.#retire(process);
      }, this.#limits.idleMs).unref();
    }
    this.#idle.push(idle);
    return idle;
  }

  #take(idle: Idle): void {
    this.#idle = this.#idle.filter((one) => one !== idle);
    if (idle.timer !== null) clearTimeout(idle.timer);
  }

  async #endWhenLarge(idle: Idle): Promise<void> {
    const { pid } = idle.process;
    const resident = pid === undefined ? null : await residentBytes(pid);
    if (resident !== null && resident > KEPT_BYTES && this.#idle.includes(idle)) {
      this.#take(idle);
      this.#retire(idle.process);
    }
  }

  /** As many processes are kept warm as may run at once. */
  #evict(): void {
    const owned = this.#idle.filter((one) => one.organizationId !== null);
    for (const idle of owned.slice(0, Math.max(0, owned.length - this.#limits.sessions))) {
      this.#take(idle);
      this.#retire(idle.process);
    }
  }

  #retire(process: QueryProcess): void {
    if (!this.#all.delete(process)) return;
    this.#idle = this.#idle.filter((one) => one.process !== process);
    const closing = process.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
    closing.catch(() => undefined);
  }
}
