/**
 * Who may run a query now. Slots are bounded; no organization has all of them; those who wait are
 * served in turn by organization, and beyond a number of them the answer is `busy`, or `too-many` where they are
 * the organization's own.
 */

import { SqlError } from "../query.ts";

export interface AdmissionLimits {
  readonly sessions: number;
  readonly sessionsOfOne: number;
  readonly waiting: number;
  readonly waitingOfOne: number;
}

interface Waiting {
  readonly organizationId: string;
  readonly admit: () => void;
  readonly refuse: (error: SqlError) => void;
}

export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #running = new Map<string, number>();
  #total = 0;
  /** By organization, in the order in which they are served next. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingTotal = 0;
  #closed = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves once the query may run, with the function that gives its slot back.
   *
   * @throws SqlError busy, too-many
   * @throws the signal's reason
   */
  async enter(organizationId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#closed) throw new SqlError("busy", "The service is stopping");
    if (!this.#isFree(organizationId)) await this.#wait(organizationId, signal);
    else this.#take(organizationId);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#give(organizationId);
    };
  }

  /** Refuses those who wait, and all who come. */
  close(): void {
    this.#closed = true;
    for (const queue of this.#waiting.values()) {
      for (const one of queue) one.refuse(new SqlError("busy", "The service is stopping"));
    }
    this.#waiting.clear();
    this.#waitingTotal = 0;
  }

  #isFree(organizationId: string): boolean {
    return (
      this.#total < this.#limits.sessions &&
      (this.#running.get(organizationId) ?? 0) < this.#limits.sessionsOfOne
    );
  }

  #take(organizationId: string): void {
    this.#total += 1;
    this.#running.set(organizationId, (this.#running.get(organizationId) ?? 0) + 1);
  }

  #give(organizationId: string): void {
    this.#total -= 1;
    const left = this.#running.get(organizationId)! - 1;
    if (left === 0) this.#running.delete(organizationId);
    else this.#running.set(organizationId, left);
    this.#admitNext();
  }

  #wait(organizationId: string, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting.get(organizationId) ?? [];
    if (queue.length >= this.#limits.waitingOfOne) {
      const running = this.#running.get(organizationId) ?? 0;
      throw new SqlError(
        "too-many",
        `${running + queue.length} queries of yours run or wait, which is the limit: try again when one has ended`,
      );
    }
    if (this.#waitingTotal >= this.#limits.waiting) {
      throw new SqlError("busy", "All query slots are in use: try again in a moment");
    }
    this.#waiting.set(organizationId, queue);
    this.#waitingTotal += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(one);
        reject(signal.reason);
      };
      const one: Waiting = {
        organizationId,
        admit: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
        refuse: (error) => {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      queue.push(one);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #remove(one: Waiting): void {
    const queue = this.#waiting.get(one.organizationId);
    const at = queue?.indexOf(one) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.#waitingTotal -= 1;
    if (queue.length === 0) this.#waiting.delete(one.organizationId);
  }

  #admitNext(): void {
    for (const [organizationId, queue] of this.#waiting) {
      if (!this.#isFree(organizationId)) continue;
      const one = queue[0]!;
      this.#remove(one);
      // The next turn is another organization's.
      if (queue.length > 0) {
        this.#waiting.delete(organizationId);
        this.#waiting.set(organizationId, queue);
      }
      this.#take(organizationId);
      one.admit();
      return;
    }
  }
}
