/**
 * Principals by the hash of their key, for a short while. A revocation drops the entry in every process
 * by NOTIFY; where that channel is down, nothing is remembered at all, and where it was not heard to
 * work for as long as `LEASE_MS`, nothing that is remembered is used (`revocation.ts`).
 */
import type { Principal } from "../context/context.ts";

const TTL_MS = 30_000;
/** A revocation that no process has to confirm takes effect everywhere after this long. */
export const LEASE_MS = 2_000;
const CAPACITY = 10_000;

interface Entry {
  readonly principal: Principal;
  readonly until: number;
}

export class KeyCache {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;
  readonly #elapsed: () => number;
  #enabled = false;
  /** On the clock of `performance`: until here every revocation has been heard of. */
  #heardUntil = Number.NEGATIVE_INFINITY;
  #wasAsked = false;
  /** Counts what was forgotten, so that a lookup that began before is not remembered after. */
  #generation = 0;

  /** @param elapsed a clock that nobody sets, as that of `performance` */
  constructor(now: () => number = Date.now, elapsed: () => number = () => performance.now()) {
    this.#now = now;
    this.#elapsed = elapsed;
  }

  /** To be handed to `remember` with what was looked up after it was taken. */
  get generation(): number {
    return this.#generation;
  }

  get(hash: string): Principal | null {
    this.#wasAsked = true;
    const entry = this.#entries.get(hash);
    if (entry === undefined || this.#elapsed() - this.#heardUntil > LEASE_MS) return null;
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

  /** Whether anybody asked since this was asked last. */
  takeAsked(): boolean {
    const wasAsked = this.#wasAsked;
    this.#wasAsked = false;
    return wasAsked;
  }

  /** @param time of `performance`: all that was revoked before it has been forgotten */
  heard(time: number): void {
    this.#heardUntil = Math.max(this.#heardUntil, time);
  }

  /** @param enabled whether revocations are heard of from now on */
  reset(enabled: boolean): void {
    this.#generation++;
    this.#entries.clear();
    this.#enabled = enabled;
  }
}
