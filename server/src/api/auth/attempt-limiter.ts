/**
 * A token bucket for each network: how many tokens that are no good one network may try. A token that
 * authenticates is never held back, whatever else came from its address.
 */
import ipaddr from "ipaddr.js";
import type { Services } from "../services.ts";

export interface AttemptLimits {
  /** Failures at once. */
  readonly burst: number;
  /** Failures a second after that. */
  readonly perSecond: number;
}

const LIMITS: AttemptLimits = { burst: 300, perSecond: 5 };
const CAPACITY = 10_000;
/** What one customer is commonly given of IPv6, and can choose addresses from. */
const NETWORK_6_BITS = 64;

export class AttemptLimiter {
  readonly #limits: AttemptLimits;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(limits = LIMITS, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Counts one failed attempt.
   *
   * @param address of the client, as text
   * @returns seconds to wait before the next where this was one too many, else 0
   */
  fail(address: string): number {
    const network = networkOf(address);
    const tokens = this.#level(network);
    if (tokens < 1) return Math.ceil((1 - tokens) / this.#limits.perSecond);
    this.#buckets.delete(network);
    if (this.#buckets.size >= CAPACITY) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    this.#buckets.set(network, { tokens: tokens - 1, at: this.#now() });
    return 0;
  }

  #level(network: string): number {
    const bucket = this.#buckets.get(network);
    if (bucket === undefined) return this.#limits.burst;
    const grown = bucket.tokens + ((this.#now() - bucket.at) / 1000) * this.#limits.perSecond;
    return Math.min(this.#limits.burst, grown);
  }
}

const instances = new WeakMap<Services, AttemptLimiter>();

/** Of a process, for keys, tokens, links and cookies together. */
export function attemptsOf(services: Services): AttemptLimiter {
  let limiter = instances.get(services);
  if (limiter === undefined) {
    limiter = new AttemptLimiter();
    instances.set(services, limiter);
  }
  return limiter;
}

/** An IPv4 address itself, also where IPv6 carries it; of IPv6, the network of 64 bits. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${NETWORK_6_BITS}`)}`;
}
