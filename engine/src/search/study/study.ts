/**
 * A study: the samplers' suggestions asked for one by one and answered by whoever evaluates them, for
 * programs that tune something else than this engine's families.
 */

import { deriveKey } from "../../compute/random.ts";
import { paretoFront } from "../dominance/index.ts";
import { samplerByName } from "../index.ts";
import type { Observation, Sampler } from "../sampler.ts";
import { type Parameters, type SearchSpace, SearchSpaceError } from "../space.ts";
import { type StartUp, suggestNext } from "../start-up.ts";
import { validateParameters } from "../validate-parameters.ts";
import { validateSpace } from "../validate-space.ts";
import { type PrunerOptions, prunerOf } from "./pruners.ts";
import { type StudyReport, StudyReports } from "./study-reports.ts";

/** Whether a value is better the lower or the higher it is. */
export type Direction = "minimize" | "maximize";

/** What is searched, and how. */
export interface StudyOptions {
  readonly space: SearchSpace;
  /** `tpe` (default) or `random`. */
  readonly sampler?: string;
  /** One for each value that is told; default one, `minimize`. Of several, the trials of the front lead. */
  readonly directions?: readonly Direction[];
  /** Any safe integer: equal seeds and answers give equal suggestions. Default 0. */
  readonly seed?: number;
  /** Points to try first, in this order, e.g. what is known to work. */
  readonly first?: readonly Parameters[];
  /**
   * What gives up trials by the values that they report on their way: `median`, `successive_halving`, or one of
   * these with settings. Default none. Of one direction alone.
   */
  readonly pruner?: PrunerOptions | PrunerOptions["kind"];
}

/** A point that was asked for. */
export interface StudyTrial {
  /** Counted from 0, in the order of asking. */
  readonly number: number;
  readonly parameters: Parameters;
  /** As they were told; null = it failed or was pruned; absent = it was not told of yet. */
  readonly values?: readonly number[] | null;
  /** Its values on the way, at rising steps. */
  readonly reports?: readonly StudyReport[];
  /** The step at which it was given up. */
  readonly prunedAt?: number;
}

/** A trial that is being evaluated by `optimize`. */
export interface RunningTrial extends StudyTrial {
  /** `Study.report` of this trial. */
  report(step: number, value: number): boolean;
}

/** A study as plain data, which `Study.restore` goes on with. */
export interface StudyRecord {
  readonly options: StudyOptions;
  readonly trials: readonly StudyTrial[];
}

/** How `optimize` goes about it. */
export interface OptimizeOptions {
  /** Trials to ask for, ≥ 1. */
  readonly trials: number;
  /** Trials that run at once; default 1. What runs is not tried again meanwhile. */
  readonly concurrency?: number;
  /** Aborting asks for no more trials; those that run are waited for. */
  readonly signal?: AbortSignal;
  /** Hears of each trial when it has ended. */
  readonly onTrial?: (trial: StudyTrial) => void;
}

/**
 * Suggests points of a space and learns from what is told of them.
 *
 * ```ts
 * const study = new Study({ space: { rate: { type: "float", low: 1e-4, high: 1, log: true } } });
 * for (let i = 0; i < 50; i++) {
 *   const { number, parameters } = study.ask();
 *   study.tell(number, await lossOf(parameters));
 * }
 * study.best?.parameters;
 * ```
 */
export class Study {
  readonly #options: StudyOptions;
  readonly #directions: readonly Direction[];
  readonly #sampler: Sampler;
  readonly #startUp: StartUp;
  readonly #reports: StudyReports;
  readonly #trials: StudyTrial[] = [];

  /** @throws SearchSpaceError for a space, a point, a direction or a strategy that cannot be */
  constructor(options: StudyOptions) {
    const { space, sampler = "tpe", directions = ["minimize"], seed = 0, first = [] } = options;
    const { pruner } = options;
    validateSpace(space);
    for (const point of first) validateParameters(space, point);
    if (directions.length === 0)
      throw new SearchSpaceError("A study needs at least one direction.");
    const unknown = directions.find((each) => each !== "minimize" && each !== "maximize");
    if (unknown !== undefined) {
      throw new SearchSpaceError(
        `The direction ${JSON.stringify(unknown)} is neither "minimize" nor "maximize".`,
      );
    }
    if (!Number.isSafeInteger(seed)) {
      throw new SearchSpaceError(`The seed must be a safe integer, not ${seed}.`);
    }
    if (pruner !== undefined && directions.length > 1) {
      throw new SearchSpaceError(
        `Trials are pruned by one value, and this study has ${directions.length} directions: leave the pruner out.`,
      );
    }
    this.#options = options;
    this.#directions = directions;
    this.#reports = new StudyReports(pruner === undefined ? null : prunerOf(pruner), directions[0]);
    this.#sampler = samplerByName(sampler);
    this.#startUp = { kind: "sobol", first, key: deriveKey(seed, "sobol") };
  }

  /** Goes on with a study that was kept: it asks for what the kept one would have. */
  static restore({ options, trials }: StudyRecord): Study {
    const study = new Study(options);
    for (const [number, { parameters, values, reports, prunedAt }] of trials.entries()) {
      validateParameters(options.space, parameters);
      study.#trials.push({ number, parameters });
      for (const { step, value } of reports ?? []) study.#report(number, step, value);
      if (prunedAt !== undefined) study.#prune(number, prunedAt);
      else if (values !== undefined) study.tell(number, values);
    }
    return study;
  }

  /** All that was asked for, in that order. */
  get trials(): readonly StudyTrial[] {
    return this.#trials;
  }

  /**
   * The trial with the best value; the earliest of equals. Of several directions, by the first; see
   * `front`. Null before any has succeeded.
   */
  get best(): StudyTrial | null {
    let best: StudyTrial | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const trial of this.#trials) {
      const loss = this.#losses(trial)?.[0];
      if (loss !== undefined && loss < least) {
        least = loss;
        best = trial;
      }
    }
    return best;
  }

  /** The trials that no other dominates, in the order of asking. */
  get front(): readonly StudyTrial[] {
    const told = this.#trials.flatMap((trial) => {
      const losses = this.#losses(trial);
      return losses ? [{ trial, losses }] : [];
    });
    if (told.length === 0) return [];
    return paretoFront(told.map(({ losses }) => losses)).map((place) => told[place].trial);
  }

  /** The next point to try. Those that were asked for and not told of yet count as tried. */
  ask(): StudyTrial {
    const { space, seed = 0 } = this.#options;
    const number = this.#trials.length;
    const pending: Parameters[] = [];
    const told: StudyTrial[] = [];
    for (const trial of this.#trials) {
      if (trial.values === undefined) pending.push(trial.parameters);
      else told.push(trial);
    }
    const history = this.#observed(told);
    const key = deriveKey(seed, "suggest", number);
    const state = { space, history, pending };
    const parameters = suggestNext(this.#startUp, this.#sampler, state, number, key);
    const trial = { number, parameters };
    this.#trials.push(trial);
    return trial;
  }

  /**
   * A value of a trial on its way, of a study of one direction. Where the study has a pruner, it may be given up
   * now: it is over then, and is not told of any more. A value that is no finite number gives it up in any study.
   *
   * @param step ≥ 0, and larger than that of the trial's last report
   * @returns whether it is given up
   * @throws RangeError for a trial that was not asked for or is over, for a step that does not rise, and in a study
   *   of several directions
   */
  report(number: number, step: number, value: number): boolean {
    if (this.#directions.length > 1) {
      throw new RangeError(
        `Trials report one value, and this study has ${this.#directions.length} directions.`,
      );
    }
    this.#report(number, step, value);
    if (Number.isFinite(value) && !this.#reports.givesUp(number)) return false;
    this.#prune(number, step);
    return true;
  }

  /**
   * What came of a trial.
   *
   * @param values one a direction; null = it failed, which the search avoids
   * @throws RangeError for a trial that was not asked for, is told of already or was pruned, and for values that
   *   are no finite numbers or not as many as there are directions
   */
  tell(number: number, values: number | readonly number[] | null): void {
    const trial = this.#running(number);
    const told = typeof values === "number" ? [values] : values;
    const count = this.#directions.length;
    if (told !== null && told.length !== count) {
      throw new RangeError(`Trial ${number} has ${told.length} values for ${count} directions.`);
    }
    const odd = told?.find((value) => !Number.isFinite(value));
    if (odd !== undefined) {
      throw new RangeError(
        `Trial ${number} has the value ${odd}; tell null of a trial that failed.`,
      );
    }
    this.#trials[number] = { ...trial, values: told };
    if (told !== null) this.#reports.finish(number);
  }

  /**
   * Asks, evaluates and tells, `trials` times. What a trial answers that was given up when it reported is not
   * looked at. Where `evaluate` rejects, what runs is waited for and its error is thrown; the trial counts as failed.
   *
   * ```ts
   * await study.optimize(
   *   async ({ rate }, trial) => {
   *     let loss = Number.POSITIVE_INFINITY;
   *     for (let epoch = 1; epoch <= 100; epoch++) {
   *       loss = await lossAfter(epoch, rate);
   *       if (trial.report(epoch, loss)) break;
   *     }
   *     return loss;
   *   },
   *   { trials: 50 },
   * );
   * ```
   *
   * @returns the best trial; null where none has succeeded
   */
  async optimize(
    evaluate: (
      parameters: Parameters,
      trial: RunningTrial,
    ) => number | readonly number[] | null | Promise<number | readonly number[] | null>,
    { trials, concurrency = 1, signal, onTrial }: OptimizeOptions,
  ): Promise<StudyTrial | null> {
    let left = trials;
    let hasFailed = false;
    const work = async (): Promise<void> => {
      while (left > 0 && !hasFailed && !signal?.aborted) {
        left--;
        const trial = this.ask();
        const { number, parameters } = trial;
        const report = (step: number, value: number): boolean => this.report(number, step, value);
        try {
          const values = await evaluate(parameters, { ...trial, report });
          if (this.#trials[number].prunedAt === undefined) this.tell(number, values);
          onTrial?.(this.#trials[number]);
        } catch (error) {
          hasFailed = true;
          if (this.#trials[number].values === undefined) this.tell(number, null);
          throw error;
        }
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
    for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
    return this.best;
  }

  /** The study as plain data, for `Study.restore`. */
  toJSON(): StudyRecord {
    return { options: this.#options, trials: this.#trials };
  }

  /** @throws RangeError */
  #running(number: number): StudyTrial {
    const trial = this.#trials[number];
    if (trial === undefined) {
      throw new RangeError(
        `There is no trial ${number}: ${this.#trials.length} have been asked for, counted from 0.`,
      );
    }
    if (trial.prunedAt !== undefined)
      throw new RangeError(`Trial ${number} was pruned at step ${trial.prunedAt}.`);
    if (trial.values !== undefined)
      throw new RangeError(`Trial ${number} has been told of already.`);
    return trial;
  }

  #report(number: number, step: number, value: number): void {
    const trial = this.#running(number);
    this.#reports.add(number, step, value);
    this.#trials[number] = { ...trial, reports: this.#reports.of(number) };
  }

  #prune(number: number, step: number): void {
    this.#trials[number] = { ...this.#running(number), values: null, prunedAt: step };
  }

  /**
   * What the sampler learns from. Trials that were pruned are worse than all that finished, the later the better, and
   * of one step by their last values; samplers see places then, of which they know no more than the order.
   */
  #observed(told: readonly StudyTrial[]): Observation[] {
    const observed = told.map((trial) => ({ trial, losses: this.#losses(trial) }));
    const pruned = observed.filter(({ trial }) => trial.prunedAt !== undefined);
    if (pruned.length === 0)
      return observed.map(({ trial: { parameters }, losses }) => ({ parameters, losses }));
    const finished = observed.flatMap(({ losses }) => (losses === null ? [] : losses[0]));
    const ranks = finished.toSorted((a, b) => a - b);
    const last = ({ trial }: (typeof pruned)[number]): number =>
      this.#reports.lastLoss(trial.number);
    const order = pruned.toSorted(
      (a, b) => (b.trial.prunedAt ?? 0) - (a.trial.prunedAt ?? 0) || last(a) - last(b),
    );
    const places = new Map(order.map(({ trial }, place) => [trial.number, ranks.length + place]));
    return observed.map(({ trial: { number, parameters }, losses }) => {
      const place = losses === null ? places.get(number) : ranks.indexOf(losses[0]);
      return { parameters, losses: place === undefined ? null : [place] };
    });
  }

  #losses({ values }: StudyTrial): number[] | null {
    if (!values) return null;
    return values.map((value, i) => (this.#directions[i] === "maximize" ? -value : value));
  }
}
