/**
 * Drives one run: plan → steps of trials → selection → fit → model files.
 *
 * All that happens is appended to the store's log first and folded into the state second, so a
 * run that was killed goes on from its log and ends with the same bytes. Nothing that depends on
 * time or on the number of workers reaches the model, but for a time budget (the log records how
 * many trials it allowed).
 */

import type { ComputePool } from "../compute/pool.ts";
import type { Teacher } from "../distill/teacher.ts";
import { type Clock, Stopwatch, SYSTEM_CLOCK } from "./budget.ts";
import type { RunConfig } from "./config.ts";
import { RunCancelledError } from "./errors.ts";
import { LOG_VERSION, type RunEvent, type RunEventBody, type RunPlan } from "./events.ts";
import { finishModels } from "./finish.ts";
import { FITS, PREDICTIONS } from "./fold-artifact.ts";
import type { PreparedRun } from "./prepared.ts";
import { Search } from "./search.ts";
import { selectModels } from "./selection.ts";
import { applyEvent, emptyState, foldEvents, type RunState } from "./state.ts";
import { modelPrefix, type RunStore } from "./store.ts";

export interface RunOptions {
  readonly run: PreparedRun;
  readonly config: RunConfig;
  readonly store: RunStore;
  readonly pool: ComputePool;
  readonly signal?: AbortSignal | undefined;
  /** Of students: asked again at the end, to measure its time beside theirs. Absent: not measured. */
  readonly teacher?: Teacher | undefined;
  /** By the clock: when reading the data began; a time budget counts from there. Default: now. */
  readonly startedAt?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Called after each event is durable, with the state it led to. */
  readonly onEvent?: ((event: RunEvent, state: RunState) => void) | undefined;
}

/** Of what is held to be the contention, that one task changes. */
const CONTENTION_SHARE = 0.15;

export class RunDriver {
  readonly options: RunOptions;
  readonly state = emptyState();
  readonly clock: Clock;
  readonly #stopwatch: Stopwatch;
  #contention: number;
  #tail: Promise<void> = Promise.resolve();

  constructor(options: RunOptions) {
    this.options = options;
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.#contention = options.run.contention;
    this.#stopwatch = new Stopwatch(this.clock, options.startedAt);
  }

  get plan(): RunPlan {
    return this.options.run.plan;
  }

  /** The metrics that are optimised: the first, or all in a sweep over their weights. */
  get objectives(): readonly string[] {
    const { metrics, sweep } = this.plan;
    return sweep ? metrics : metrics.slice(0, 1);
  }

  /** Of late; see `contention.ts`. */
  get contention(): number {
    return this.#contention;
  }

  observeContention(contention: number): void {
    this.#contention += (contention - this.#contention) * CONTENTION_SHARE;
  }

  /** Seconds for the whole run; null where the clock is not asked. */
  get timeBudget(): number | null {
    const { timeBudgetS, trialsAllowed } = this.options.config;
    return trialsAllowed == null ? (timeBudgetS ?? null) : null;
  }

  /** Seconds of work on the run so far. */
  get elapsed(): number {
    return this.#stopwatch.elapsed;
  }

  /** Runs to the end, from wherever the store's log is. */
  async drive(): Promise<RunState> {
    await this.#resume();
    const search = new Search(this);
    try {
      await search.run();
      await this.#finish();
    } finally {
      await search.settled();
    }
    return this.state;
  }

  async #finish(): Promise<void> {
    if (this.state.selections.length === 0) {
      // What there is a row of stays in the store.
      const { selections, pareto } = await selectModels(this);
      await this.append({ type: "selected", selections, ...(pareto ? { pareto } : {}) });
    }
    if (this.state.phase !== "done") await finishModels(this);
    await this.options.store.deleteArtifacts(FITS);
  }

  /**
   * Runs a task in the pool; a cancelled run rejects with RunCancelledError.
   *
   * @param stop ends this task alone
   */
  async compute<Input, Output>(name: string, input: Input, stop?: AbortSignal): Promise<Output> {
    const { pool } = this.options;
    const signals = [this.options.signal, stop].filter((each) => each !== undefined);
    this.throwIfCancelled();
    try {
      const signal = AbortSignal.any(signals);
      return await pool.run<Input, Output>(name, input, signals.length > 0 ? { signal } : {});
    } catch (error) {
      this.throwIfCancelled();
      throw error;
    }
  }

  throwIfCancelled(): void {
    if (this.options.signal?.aborted) throw new RunCancelledError("The run was cancelled.");
  }

  /** Appends one event: durable first, then folded into the state. Appends never overlap. */
  append(body: RunEventBody): Promise<void> {
    const next = this.#tail.then(async () => {
      const elapsed = Number(this.elapsed.toFixed(3));
      const event: RunEvent = { ...body, at: new Date().toISOString(), elapsed };
      await this.options.store.appendEvent(event);
      applyEvent(this.state, event);
      this.options.onEvent?.(event, this.state);
    });
    // A failed append fails its caller; the chain itself must stay usable for the others' errors.
    this.#tail = next.catch(() => undefined);
    return next;
  }

  async #resume(): Promise<void> {
    Object.assign(this.state, foldEvents(await this.options.store.readEvents()));
    // JSON on both sides: the logged plan has been through it.
    if (JSON.stringify(this.state.plan) === JSON.stringify(this.plan)) {
      if (this.state.elapsed !== null) this.#stopwatch.resumeFrom(this.state.elapsed);
      return;
    }
    // The log is of other data or another version: its artifacts would not be this run's.
    const former = this.state.plan;
    const prefixes = [FITS, PREDICTIONS, modelPrefix(0)];
    for (const model of this.state.selections.keys()) prefixes.push(modelPrefix(model));
    for (const prefix of former ? new Set(prefixes) : []) {
      await this.options.store.deleteArtifacts(prefix);
    }
    await this.append({
      type: "planned",
      plan: this.plan,
      ...(former ? { anew: whyAnew(former) } : {}),
    });
  }
}

function whyAnew(former: RunPlan): string {
  return former.logVersion === LOG_VERSION
    ? "The data or the plan made of it is not the one that the log was begun with."
    : `The log was begun by a version that wrote format ${former.logVersion}; this one writes ${LOG_VERSION}.`;
}
