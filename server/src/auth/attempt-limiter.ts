/** A token bucket for each address: how many unknown tokens one address may try. */
export interface AttemptLimits {
  /** Attempts at once. */
  readonly burst: number;
  /** Attempts a second after that. */
  readonly perSecond: number;
}

const CAPACITY = 10_000;

export class AttemptLimiter {
  readonly #limits: AttemptLimits;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(limits: AttemptLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Seconds to wait before the next attempt; 0 = go on. */
  wait(address: string): number {
    const tokens = this.#level(address);
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / this.#limits.perSecond);
  }

  /** Counts one failed attempt. */
  fail(address: string): void {
    const tokens = Math.max(0, this.#level(address) - 1);
    this.#buckets.delete(address);
    if (this.#buckets.size >= CAPACITY) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    this.#buckets.set(address, { tokens, at: this.#now() });
  }

  #level(address: string): number {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return this.#limits.burst;
    const grown = bucket.tokens + ((this.#now() - bucket.at) / 1000) * this.#limits.perSecond;
    return Math.min(this.#limits.burst, grown);
  }
}
