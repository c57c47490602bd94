/** A run that is being worked on, as its search, its selection and its finish know it. */

import type { ArenaHandle } from "../compute/arena.ts";
import { HelperLostError, newDesk } from "../compute/crew-desk.ts";
import type { RunDevice } from "../compute/gpu/run-device.ts";
import type { ComputePool, CrewCall, TaskTime } from "../compute/pool.ts";
import type { EncodedData } from "../data/encoded.ts";
import type { Teacher } from "../distill/teacher.ts";
import type { FitBounds } from "../families/fit-limits.ts";
import { familyById } from "../families/index.ts";
import { type Clock, Stopwatch, SYSTEM_CLOCK } from "./clock/budget.ts";
import { contentionAlone, contentionOf } from "./clock/contention.ts";
import type { RunConfig } from "./config/config.ts";
import { RunCancelledError } from "./config/errors.ts";
import type { RunEvent, RunEventBody, RunPlan } from "./log/events.ts";
import { deviceOf, isSettled } from "./log/settled-devices.ts";
import { applyEvent, emptyState, type RunState } from "./log/state.ts";
import type { RunStore } from "./log/store.ts";
import { dataOfFold, type PreparedRun } from "./plan/prepared.ts";
import type {
  FitFoldInput,
  FitFoldOutput,
  RefitInput,
  RefitOutput,
} from "./pool-tasks/fit-task.ts";
import { RESTART_SECONDS } from "./prices/cost-finish.ts";
import { StoreMeter, type StorePrice, USUAL_STORE } from "./prices/store-price.ts";

/** All that a `RunDriver` needs. */
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
  /** Whether a report is written when the run is done, which a time budget has to leave time for. Default true. */
  readonly reports?: boolean | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Called after each event is durable, with the state it led to. */
  readonly onEvent?: ((event: RunEvent, state: RunState) => void) | undefined;
}

/** Processor seconds of work that tell as much of the contention as all that was worked before. */
const CONTENTION_SECONDS = 0.5;

/** Tasks beside which a run has no other: what they waited for is the work of others. */
const ALONE: readonly string[] = ["select", "importance", "conformal"];

/** One run while it is worked on: its log, its state, its pool and its clock. */
export class OpenRun {
  readonly options: RunOptions;
  readonly state = emptyState();
  readonly clock: Clock;
  /** @internal What takes part in its fits beside the threads. */
  readonly device: RunDevice;
  readonly #stopwatch: Stopwatch;
  #contention: number;
  readonly #writing = new StoreMeter(USUAL_STORE.writing);
  readonly #reading = new StoreMeter(USUAL_STORE.reading);
  #tail: Promise<void> = Promise.resolve();
  readonly #settling = new Map<string, Promise<void>>();

  constructor(options: RunOptions) {
    this.options = options;
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.device = options.pool.devices.forRun(options.config.device);
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

  /** Of late, with all threads at work; see `contention.ts`. */
  get contention(): number {
    return this.#contention;
  }

  /** The same of one thread at work, as in what follows the search. */
  get contentionAlone(): number {
    return contentionAlone(this.#contention, this.options.pool.threads);
  }

  /**
   * Takes what one task tells of the contention into the running mean of it, by its processor time: one that
   * had to wait once says little by a large ratio if it is short.
   *
   * @param seconds of wall time
   */
  observeContention(contention: number, seconds: number): void {
    const processor = seconds / contention;
    const share = processor / (processor + CONTENTION_SECONDS);
    this.#contention += (contention - this.#contention) * share;
  }

  /** Seconds that a thread takes to start, as the last one did. */
  get startSeconds(): number {
    return this.options.pool.startSeconds ?? RESTART_SECONDS * this.#contention;
  }

  /** The same of what one thread did while the others of the run did nothing. */
  #observeAlone(took: TaskTime): void {
    const more = contentionOf(took) - this.contentionAlone;
    this.observeContention(Math.max(1, this.#contention + more), took.wall);
  }

  /** Keeps bytes in the store, and learns how long it takes. */
  async keep(name: string, bytes: Uint8Array): Promise<void> {
    const began = this.clock.now();
    await this.options.store.putArtifact(name, bytes);
    this.#writing.observe(bytes.length, this.#secondsSince(began));
  }

  /** What was kept, and learns likewise. */
  async kept(name: string): Promise<Uint8Array> {
    const began = this.clock.now();
    const bytes = await this.options.store.getArtifact(name);
    this.#reading.observe(bytes.length, this.#secondsSince(began));
    return bytes;
  }

  #secondsSince(began: number): number {
    return Math.max(0, this.clock.now() - began) / 1000;
  }

  /** As far as the run has seen. */
  get storePrice(): StorePrice {
    return { writing: this.#writing.price, reading: this.#reading.price };
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

  /** Seconds that were worked before this process took the run up. */
  protected resumeClock(elapsed: number): void {
    this.#stopwatch.resumeFrom(elapsed);
  }

  /**
   * Runs a task in the pool; a cancelled run rejects with RunCancelledError.
   *
   * @param stop ends this task alone
   * @param crew threads without work are to help it
   */
  async compute<Input, Output>(
    name: string,
    input: Input,
    stop?: AbortSignal,
    crew?: CrewCall,
  ): Promise<Output> {
    const { pool } = this.options;
    const signals = [this.options.signal, stop].filter((each) => each !== undefined);
    this.throwIfCancelled();
    try {
      const signal = AbortSignal.any(signals);
      return await pool.run<Input, Output>(name, input, {
        ...(signals.length > 0 ? { signal } : {}),
        ...(crew ? { crew } : {}),
        ...(ALONE.includes(name) ? { onTime: (took) => this.#observeAlone(took) } : {}),
      });
    } catch (error) {
      this.throwIfCancelled();
      throw error;
    }
  }

  /** Runs the task that fits a fold, as `compute`. */
  fitFold(input: FitFoldInput, stop: AbortSignal): Promise<FitFoldOutput> {
    const { run, fold } = input;
    const rows = input.rows ?? run.folds[fold].train.length;
    return this.#fit("fitFold", input, dataOfFold(run, fold), rows, stop);
  }

  /** Runs the task that fits on all rows, as `compute`. */
  refit(input: RefitInput): Promise<RefitOutput> {
    const { data } = input.run;
    return this.#fit("refit", input, data, input.rows ?? data.rows);
  }

  async #fit<Input extends FitFoldInput | RefitInput, Output>(
    task: string,
    input: Input,
    { arena, features }: EncodedData,
    rows: number,
    stop?: AbortSignal,
  ): Promise<Output> {
    const crew = this.#crewOf(input.family, arena, rows, features.length);
    const family = familyById(input.family);
    const network = family?.networkWork?.({ rows, features }, input.parameters);
    const onDevice = network !== undefined || family?.growsOnDevice === true;
    const cells = rows * features.length;
    const lane = onDevice ? await this.device.laneFor(arena, cells, network) : null;
    const tensorflow = this.device.tensorflowFor(network);
    const takesPart = lane !== null || tensorflow !== null;
    const settled = onDevice ? this.device.settledBy(takesPart, cells, network) : null;
    try {
      if (settled !== null) await this.#settleDevice(settled, "fold" in input ? input.trial : null);
      return await this.compute<Input, Output>(
        task,
        {
          ...input,
          // What a device works is not of the thread's processor time.
          ...(lane || tensorflow !== null
            ? { bounds: inWallTime(input.bounds, this.contention) }
            : {}),
          ...(crew ? { crew: crew.desk } : {}),
          ...(lane ? { device: lane.lane } : {}),
          ...(tensorflow === null ? {} : { tensorflow }),
        },
        stop,
        crew,
      );
    } catch (error) {
      if (!(error instanceof HelperLostError)) throw error;
      // Alone it is the same fit, of all that is shared and of trees on a device.
      return await this.compute<Input, Output>(task, input, stop);
    } finally {
      await lane?.end();
    }
  }

  /** Which device takes part, or why none does, for the card; null where nothing was asked or looked for. */
  get deviceSentence(): string | null {
    return deviceOf(this.state) ?? this.device.unsettled;
  }

  /**
   * Logged before the fit is: a run that is killed and goes on elsewhere has the card that it would have had.
   *
   * @param trial whose fit it is; null: one of a selected model
   */
  async #settleDevice(sentence: string, trial: number | null): Promise<void> {
    if (isSettled(this.state, sentence, trial)) return;
    const key = `${trial}: ${sentence}`;
    const logging =
      this.#settling.get(key) ??
      this.append({ type: "device_settled", sentence, ...(trial === null ? {} : { trial }) });
    this.#settling.set(key, logging);
    await logging;
  }

  /** What threads without work are told of a fit that has work for them. */
  #crewOf(
    family: string,
    arena: ArenaHandle,
    rows: number,
    features: number,
  ): CrewCall | undefined {
    const shares = familyById(family)?.sharesWork?.(rows, features) ?? false;
    if (!shares || this.options.pool.threads < 2) return undefined;
    return { name: "help", arena, desk: newDesk() };
  }

  /** @throws RunCancelledError where the run's signal is aborted */
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
}

/** The same bounds of a fit whose thread waits for others. */
function inWallTime({ processorSeconds, ...bounds }: FitBounds, contention: number): FitBounds {
  return processorSeconds === undefined
    ? bounds
    : { ...bounds, seconds: processorSeconds * contention };
}
