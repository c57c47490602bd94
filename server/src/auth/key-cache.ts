/**
 * Principals by the hash of their key, for a short while. A revocation drops the entry at once in
 * every process by NOTIFY; where that channel is down, nothing is remembered at all.
 */
import type { Principal } from "../http/context.ts";

const TTL_MS = 30_000;
const CAPACITY = 10_000;

interface Entry {
  readonly principal: Principal;
  readonly until: number;
}

export class KeyCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  #enabled = false;
  /** Counts what was forgotten, so that a lookup that began before is not remembered after. */
  #generation = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** To be handed to `remember` with what was looked up after it was taken. */
  get generation(): number {
    return this.#generation;
  }

  get(hash: string): Principal | null {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return null;
    if (entry.until > this.#now()) return entry.principal;
    this.#entries.delete(hash);
    return null;
  }

  remember(hash: string, principal: Principal, expiresAt: Date | null, generation: number): void {
    if (!this.#enabled || generation !== this.#generation) return;
    if (this.#entries.size >= CAPACITY) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    const until = Math.min(this.#now() + TTL_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
    this.#entries.set(hash, { principal, until });
  }

  forget(hash: string): void {
    this.#generation++;
    this.#entries.delete(hash);
  }

  /** @param enabled whether revocations are heard of from now on */
  reset(enabled: boolean): void {
    this.#generation++;
    this.#entries.clear();
    this.#enabled = enabled;
  }
}
