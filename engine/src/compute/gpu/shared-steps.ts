/**
 * Steps that do the work of several fits by the same dispatches, and for whom they wait: a device that has few rows to do
 * takes as long for one fit as for many, so that those that wait are to be many.
 */

import type { Step } from "./steps.ts";

/** Steps that works of several fits have in common. Those of one kind are sent one after another. */
export interface SharedSteps {
  /** Whether a fit may still come to wait for them. It has one work at most that waits. */
  has(fit: object): boolean;
  /** Of all that entered since it was asked last. */
  steps(): Step[];
}

/** What a work shares. */
export interface Share {
  readonly of: SharedSteps;
  /** Whose it is. */
  readonly by: object;
  /** Has the next steps do this work's part as well. */
  enter(): void;
}

/** How the steps of a kind went last. */
interface Pace {
  readonly isUnderWay: boolean;
  /** Of these fits: they are waited for, since fits that are answered together ask again together. */
  readonly last: ReadonlySet<object>;
  readonly ended: number;
  readonly patienceMs: number;
}

/** Of what the last ones took: fits that do something else for longer are waited for once. */
const PATIENCE = 2;
const MOST_PATIENCE_MS = 20;

export class Paces {
  readonly #paces = new WeakMap<SharedSteps, Pace>();

  /**
   * For how many milliseconds those who share these steps still wait for others; infinite: until those before them are
   * done.
   *
   * @param waiting what all works share that wait
   */
  patienceOf(shared: SharedSteps, waiting: readonly Share[]): number {
    const pace = this.#paces.get(shared);
    if (!pace) return 0;
    if (pace.isUnderWay) return Number.POSITIVE_INFINITY;
    const here = new Set(waiting.map(({ by }) => by));
    const isMissing = [...pace.last].some((fit) => shared.has(fit) && !here.has(fit));
    return isMissing ? pace.ended + pace.patienceMs - performance.now() : 0;
  }

  /** The steps are under way until the end is told. @param shares of one kind, or none */
  begin(shares: readonly Share[]): { end(): void } {
    const [first] = shares;
    if (!first) return { end: () => undefined };
    const begun = performance.now();
    const last = new Set(shares.map(({ by }) => by));
    const shared = first.of;
    this.#paces.set(shared, { isUnderWay: true, last, ended: begun, patienceMs: 0 });
    return {
      end: () => {
        const ended = performance.now();
        const patienceMs = Math.min(MOST_PATIENCE_MS, PATIENCE * (ended - begun));
        this.#paces.set(shared, { isUnderWay: false, last, ended, patienceMs });
      },
    };
  }
}
