/**
 * When a request that failed is sent again: exponential backoff with jitter, so that lanes which
 * failed together do not come back together, and no sooner than the server's Retry-After says.
 */

import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

export interface RetryPolicy {
  /** Requests in all, ≥ 1. */
  readonly attempts: number;
  /** Wait after the first failure; it doubles with each that follows. Milliseconds. */
  readonly baseMs: number;
  readonly longestMs: number;
  /** A server that asks for a longer wait than this is given up. */
  readonly longestRetryAfterMs: number;
}

export const RETRIES: RetryPolicy = {
  attempts: 5,
  baseMs: 500,
  longestMs: 20_000,
  longestRetryAfterMs: 120_000,
};

/** @param failures so far, ≥ 1 @returns between half of the wait and all of it */
export function backoffMs(policy: RetryPolicy, failures: number): number {
  const whole = Math.min(policy.longestMs, policy.baseMs * 2 ** (failures - 1));
  return whole / 2 + randomInt(Math.ceil(whole / 2) + 1);
}

/** Milliseconds that a Retry-After (RFC 9110 §10.2.3) asks for; null where there is none to read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** @throws the signal's reason */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error;
  }
}
