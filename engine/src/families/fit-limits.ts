/**
 * What may end a fit before its own rules do, and how far it then was: the number of iterations
 * that a rerun is given in the clock's place to come to the same model.
 */

/** A fit was asked to end before it had anything to show. */
export class FitStoppedError extends Error {
  override readonly name = "FitStoppedError";

  constructor() {
    super("The fit was stopped before its first iteration was complete.");
  }
}

/** What a task says of the limits of its fit. Plain data, and shared memory. */
export interface FitBounds {
  /** Iterations at most; absent: any number. */
  readonly iterations?: number;
  /** Of wall time, from when the worker takes up the fit; absent: any. */
  readonly seconds?: number;
  /** Likewise of the worker's processor time, in which waiting for others who use the core does not count. */
  readonly processorSeconds?: number;
  /** One word; what is not 0 asks the fit to end. Absent: nobody asks. */
  readonly stop?: Int32Array;
  /** Nothing shorter can be had: what it does around its iterations is not given up, and they end when they are to. */
  readonly mustLearn?: true;
}

/**
 * Counts the iterations of one fit: boosting rounds, trees, steps of a solver. The first one is
 * always allowed.
 */
export class FitLimits {
  readonly #most: number;
  readonly #deadline: number;
  readonly #processor: () => number;
  /** Processor time is not more than wall time: before this it need not be asked. */
  readonly #processorAsked: number;
  readonly #processorEnd: number;
  readonly #stop: Int32Array | null;
  readonly #mustLearn: boolean;
  #begun = 0;
  #ended = false;
  /** Milliseconds. */
  #kept = 0;

  /**
   * @param now milliseconds of `performance.now` from which `seconds` count
   * @param processor milliseconds of the thread's processor time, from whose first answer `processorSeconds` count
   */
  constructor(
    bounds: FitBounds = {},
    now = performance.now(),
    processor = () => performance.now(),
  ) {
    this.#most = bounds.iterations ?? Number.POSITIVE_INFINITY;
    this.#deadline = now + 1000 * (bounds.seconds ?? Number.POSITIVE_INFINITY);
    const work = 1000 * (bounds.processorSeconds ?? Number.POSITIVE_INFINITY);
    this.#processor = processor;
    this.#processorAsked = now + work;
    this.#processorEnd = processor() + work;
    this.#stop = bounds.stop ?? null;
    this.#mustLearn = bounds.mustLearn ?? false;
  }

  /** Whether another iteration may begin, which is then counted. */
  begin(): boolean {
    if (this.#begun >= Math.max(1, this.#most) || (this.#begun > 0 && this.#isOver(this.#kept))) {
      this.#ended = true;
      return false;
    }
    this.#begun++;
    return true;
  }

  /** Further iterations are to leave so many seconds for what the fit does after them. */
  keep(seconds: number): void {
    this.#kept = 1000 * seconds;
  }

  /** Asked amid an iteration: whether it is to be given up, which counts as never begun. */
  abandons(): boolean {
    if (this.#begun < 2 || !this.#isOver()) return false;
    this.#begun--;
    this.#ended = true;
    return true;
  }

  /** The fit begins anew, with another part of the machine: its iterations are counted anew, its time is not. */
  restart(): void {
    this.#begun = 0;
    this.#ended = false;
  }

  /**
   * For work before the first iteration.
   *
   * @throws FitStoppedError when the time is over, unless the fit must learn
   */
  throwIfOver(): void {
    if (!this.#mustLearn && this.#isOver()) throw new FitStoppedError();
  }

  /**
   * For work without which there is no model: amid a first iteration that is long, and after the last. It may take more
   * of the processor's time than the fit was to have, as long as its wall time allows it: that ends where others wait.
   *
   * @throws FitStoppedError when the wall time is over, or somebody asks the fit to end, unless it must learn
   */
  throwIfLate(): void {
    if (this.#mustLearn) return;
    if (this.#isAsked() || performance.now() > this.#deadline) throw new FitStoppedError();
  }

  /** So far; 0 of a fit that has none. */
  get iterations(): number {
    return this.#begun;
  }

  /** Iterations after which the fit was ended from without; null where it ended by itself. */
  get cutAt(): number | null {
    return this.#ended ? this.#begun : null;
  }

  #isAsked(): boolean {
    return this.#stop !== null && Atomics.load(this.#stop, 0) !== 0;
  }

  /** @param kept milliseconds that are to be left */
  #isOver(kept = 0): boolean {
    if (this.#isAsked()) return true;
    const then = performance.now() + kept;
    if (then > this.#deadline) return true;
    return then > this.#processorAsked && this.#processor() + kept > this.#processorEnd;
  }
}
