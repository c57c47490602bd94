/** A few sessions of one warehouse: opened when needed, kept for a while, closed when idle. */

import { abortFailure, SourceError } from "../source-error.ts";
import type { PostgresSession } from "./session.ts";

const MAX_SESSIONS = 8;
const IDLE_MS = 10_000;

interface Waiter {
  readonly resolve: () => void;
}

export class SessionPool {
  readonly #place: string;
  readonly #open: (signal: AbortSignal) => Promise<PostgresSession>;
  readonly #idle: { readonly session: PostgresSession; readonly timer: NodeJS.Timeout }[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #leased = new Set<PostgresSession>();
  readonly #closing = new Set<Promise<void>>();
  #taken = 0;
  #closed = false;

  /** @param place names the server in messages */
  constructor(place: string, open: (signal: AbortSignal) => Promise<PostgresSession>) {
    this.#place = place;
    this.#open = open;
  }

  /** @throws SourceError, or the signal's reason */
  async lease(signal: AbortSignal): Promise<PostgresSession> {
    await this.#takePlace(signal);
    try {
      const session = this.#fromIdle() ?? (await this.#open(signal));
      this.#leased.add(session);
      return session;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Gives it back, to be used again where it is still of use. */
  release(session: PostgresSession): void {
    this.#leased.delete(session);
    if (session.usable && !this.#closed) {
      const timer = setTimeout(() => this.#expire(session), IDLE_MS);
      timer.unref();
      this.#idle.push({ session, timer });
    } else {
      this.#end(session);
    }
    this.#leave();
  }

  async close(reason: Error): Promise<void> {
    this.#closed = true;
    for (const session of this.#leased) session.abandon(reason);
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      this.#end(session);
    }
    await Promise.all(this.#closing);
  }

  async #takePlace(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw abortFailure(signal, this.#place);
    if (this.#closed) {
      throw new SourceError("unreachable", `The connection to ${this.#place} was closed.`);
    }
    if (this.#taken < MAX_SESSIONS) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(abortFailure(signal, this.#place));
      };
      const waiter = {
        resolve: () => {
          signal.removeEventListener("abort", abort);
          resolve();
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** The place goes to who waits longest. */
  #leave(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#taken--;
    else next.resolve();
  }

  #fromIdle(): PostgresSession | null {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      clearTimeout(one.timer);
      if (one.session.usable) return one.session;
      this.#end(one.session);
    }
    return null;
  }

  #expire(session: PostgresSession): void {
    const index = this.#idle.findIndex((one) => one.session === session);
    if (index < 0) return;
    this.#idle.splice(index, 1);
    this.#end(session);
  }

  #end(session: PostgresSession): void {
    const closing = session.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
