/**
 * Which rows of the matrix are asked for trials next, where a time budget bounds their number alone: each
 * row once before any twice, and then each for a share of the time that follows what its trials bring to
 * the blend so far. What is asked is logged, and named on the card, so a rerun need not ask the clock.
 *
 * The shares are kept by weighted fair queueing (Demers, Keshav & Shenker, "Analysis and simulation of a
 * fair queueing algorithm", SIGCOMM 1989): next is the row whose trial would first be half done if each row
 * ran beside the others at its share of the speed. By ends, rows with long trials would always be behind.
 */

import { baselineFamily, familyById } from "../../families/index.ts";
import { GCV, usualColumns } from "../../families/linear/parameters.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { TrialState } from "../log/state.ts";
import type { OpenRun } from "../open-run.ts";
import { blendSoFar } from "../outcome/selection.ts";
import { linearTrialSeconds, rowsOfLeadingLinear } from "../plan/affordable-rows.ts";
import { trialsOfRow } from "./ask.ts";
import { mayRepeat, repeatsOfStep } from "./repeats.ts";
import type { SearchTime } from "./search-time.ts";

/**
 * Of the time, that all rows share alike, whatever they bring: what is weak by its defaults need not stay so.
 * After so many trials half of that: what those did not bring, others hardly will.
 */
const ALIKE = { share: 0.4, trials: 4 };
/** A step takes that part of the time left at most, so that the next one can follow what it found. */
const STEP_SHARE = 0.25;
/** The blend is looked at again when it has so many times as many trials to choose from. */
const GROWTH = 1.25;
/** Of the time left, that a look at the blend may take. */
const LOOK_SHARE = 0.05;
/** Of boosting, over the number of classes: with fewer it hardly leaves their shares, and other families are asked before it. */
const FEW_ROUNDS = 1 / 8;
/** Of the time of the search: trials that take less are nothing to others. */
const PASSING_SHARE = 0.02;
/** Prices that nobody measured may be so many times too high. */
const PRICE_ERROR = 2;
/** Seconds of a trial, at least: asking, storing and judging are not free, and many small ones bring little. */
const LEAST_SECONDS = 0.2;

/** A row of the matrix, as far as its trials have come. Seconds are those of one thread. */
export interface RowRecord {
  /** What its models are told: those of one kind err more alike than those of two. */
  readonly kind: string;
  /** Trials that it may still have. */
  readonly open: number;
  readonly asked: number;
  /** What its trials took. */
  readonly spent: number;
  /** What one of them took on average; null where none has come to an end. */
  readonly cost: number | null;
  /** Of the time; above 0. */
  readonly share: number;
}

/**
 * Rows for the trials of a step, in the order of their numbers; at least one while a row can have another.
 *
 * @param seconds that the search has left; Infinity where none has finished yet
 */
export function rowsOfStep(
  rows: readonly RowRecord[],
  seconds: number,
  threads: number,
): readonly number[] {
  const left = seconds * threads;
  const open = [...rows.keys()].filter((row) => rows[row].open > 0);
  const first = open.filter((row) => rows[row].asked === 0);
  if (first.length > 0) return byTurns(first, (row) => rows[row].kind);
  // Of those that have had trials and no end of one, another would hardly have one.
  const known = open.filter((row) => rows[row].cost !== null);
  if (known.length === 0 || !Number.isFinite(left)) return open;
  const cost = (row: number): number => rows[row].cost ?? 0;
  const most = Math.max(open.length, threads);
  const asked: number[] = [];
  const planned = rows.map(() => 0);
  const counts = rows.map(() => 0);
  let total = 0;
  while (asked.length < most) {
    const able = known.filter((row) => counts[row] < rows[row].open);
    const fitting = able.filter((row) => total + cost(row) <= left);
    // Nothing fits as a whole: the shortest may be cut.
    const among = fitting.length > 0 || asked.length > 0 ? fitting : leastOf(able, cost);
    const [next] = leastOf(
      among,
      (row) => (rows[row].spent + planned[row] + cost(row) / 2) / rows[row].share,
    );
    if (next === undefined) break;
    if (asked.length > 0 && total + cost(next) > STEP_SHARE * left) break;
    asked.push(next);
    counts[next]++;
    planned[next] += cost(next);
    total += cost(next);
  }
  return asked;
}

/** The first of each kind, then the second of each, and so on: where time is short, each kind has had one. */
function byTurns(rows: readonly number[], kindOf: (row: number) => string): readonly number[] {
  const turn = (row: number, place: number): number =>
    rows.slice(0, place).filter((other) => kindOf(other) === kindOf(row)).length;
  return rows
    .map((row, place) => ({ row, turn: turn(row, place) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ row }) => row);
}

/** The first of those with the least; empty of none. */
function leastOf(rows: readonly number[], value: (row: number) => number): readonly number[] {
  if (rows.length === 0) return [];
  return [rows.reduce((best, row) => (value(row) < value(best) ? row : best))];
}

/**
 * The order of the first step by the prices of the families, the cheapest first, without those that could not end a
 * trial if it had all of the time, and half of its price. The cheapest is always among them.
 *
 * @param prices by row of the matrix: processor seconds of a fit; undefined: nobody knows
 * @param most seconds that a fit may take
 */
export function cheapestFirst(
  rows: readonly number[],
  prices: readonly (number | undefined)[],
  most: number,
): readonly number[] {
  const sorted = [...rows].sort((a, b) => (prices[a] ?? 0) - (prices[b] ?? 0));
  return sorted.filter((row, place) => place === 0 || (prices[row] ?? 0) <= PRICE_ERROR * most);
}

/** What a step asks. */
export interface AskedRows {
  /** Of the matrix, one a trial. */
  readonly rows: readonly number[];
  /** By the place in `rows`: the trial that this one repeats. */
  readonly repeated: ReadonlyMap<number, number>;
}

export interface LeadingRow {
  readonly row: number;
  /** That the fits of its first trial begin with; null = all. */
  readonly rows: number | null;
}

/** Of one search. */
export class Allocation {
  readonly #driver: OpenRun;
  readonly #time: SearchTime;
  /** What each row weighs in the blend of the trials so far; null before it was looked at. */
  #weights: readonly number[] | null = null;
  /** The same of trials. */
  #members: ReadonlyMap<number, number> | null = null;
  #lookedAt = 0;
  #seconds = 0;
  readonly #tooDear = new Set<number>();
  #leading: LeadingRow | null = null;

  constructor(driver: OpenRun, time: SearchTime) {
    this.#driver = driver;
    this.#time = time;
  }

  /** The row of the matrix that leads for want of time; null where none does. */
  get leading(): LeadingRow | null {
    return this.#leading;
  }

  /** Whether the clock shares out the trials. */
  get isOpen(): boolean {
    const { plan, timeBudget } = this.#driver;
    return timeBudget !== null && plan.isOpen === true;
  }

  /** These rows are asked no more: there was no time for any trial of a step of theirs. */
  leaveOut(rows: Iterable<number>): void {
    for (const row of rows) this.#tooDear.add(row);
  }

  /**
   * Rows of the next step, none where there is no time for any; undefined: all, each for as many trials as the plan
   * has a step.
   */
  async next(): Promise<AskedRows | undefined> {
    const { plan, state, options, timeBudget } = this.#driver;
    const told = options.config.trialsAsked?.[state.stepsAsked];
    if (told) return { rows: told, repeated: this.#told(told.length) };
    if (timeBudget === null || !this.isOpen) return undefined;
    await this.#look();
    const { threads } = options.pool;
    if (this.#members !== null && mayRepeat(this.#driver)) {
      const left = this.#time.left();
      const repeats = repeatsOfStep(state.trials, this.#members, {
        left,
        timeBudget,
        threads,
        rows: plan.matrix.length,
      });
      const rows = repeats.map((trial) => state.trials[trial].row);
      if (repeats.length > 0) return { rows, repeated: new Map(repeats.entries()) };
    }
    const seconds = this.#time.someAreComplete
      ? Math.max(0, this.#time.left())
      : Number.POSITIVE_INFINITY;
    const rows = rowsOfStep(this.#records(), seconds, threads);
    return { rows: state.trials.length > 0 ? rows : this.#cheapFirst(rows), repeated: new Map() };
  }

  /**
   * Of the first step: by prices, where families have them; else, where boosting would have too few rounds to be worth much,
   * the linear model leads, and boosting that grows a tree for each of several classes comes behind what does not.
   */
  #cheapFirst(rows: readonly number[]): readonly number[] {
    const { plan, options, contention } = this.#driver;
    if (plan.matrix.some(({ fitSeconds }) => fitSeconds !== undefined)) {
      const waves = Math.max(1, plan.folds / options.pool.threads);
      const most = Math.max(0, this.#time.left()) / (waves * contention);
      const prices = plan.matrix.map(({ fitSeconds }) => fitSeconds);
      const begun = cheapestFirst(rows, prices, most);
      this.leaveOut(rows.filter((row) => !begun.includes(row)));
      return begun;
    }
    if (typeOf(plan.task).framing !== null) return rows;
    const hurried =
      outputCount(plan.task) > 1 ? rows.filter((row) => this.#isHurried(row, rows.length)) : [];
    const ordered = [...rows.filter((row) => !hurried.includes(row)), ...hurried];
    const cheap = baselineFamily(plan.task.kind).id;
    const first = rows.find((row) => plan.matrix[row].family === cheap);
    if (first === undefined) return ordered;
    const prices = {
      rows: plan.rows,
      columns: plan.features,
      design: usualColumns({
        rows: plan.rows,
        task: plan.task,
        features: options.run.data.features,
      }),
      outputs: outputCount(plan.task),
      folds: plan.folds,
      threads: options.pool.threads,
      contention,
      seconds: this.#time.shareOfFirst,
    };
    const learned = rowsOfLeadingLinear(prices);
    if (learned !== null) {
      this.#leading = { row: first, rows: learned < plan.rows ? learned : null };
    }
    const begun = learned === null ? ordered : [first, ...ordered.filter((row) => row !== first)];
    const isPassing = linearTrialSeconds(prices) <= PASSING_SHARE * this.#time.left();
    const more = isPassing ? this.#choosingPenalties(first) : 0;
    return begun.flatMap((row) => (row === first ? new Array<number>(1 + more).fill(row) : row));
  }

  /**
   * Trials that follow a linear row's first one at once, and take next to nothing: of those that choose their penalty
   * themselves, one is far ahead of all families where the label is a sum of columns.
   */
  #choosingPenalties(row: number): number {
    const { plan } = this.#driver;
    const { portfolio } = plan.matrix[row];
    const others = portfolio.slice(1).findIndex((each) => each["regularization"] !== GCV);
    const found = others < 0 ? portfolio.length - 1 : others;
    return Math.min(found, trialsOfRow(plan, row) - 1);
  }

  /** Whether boosting of a first trial, one of so many, would hardly leave the classes' shares. */
  #isHurried(row: number, trials: number): boolean {
    const rounds = this.#time.roundsOf({ row, parameters: {} }, trials);
    return rounds !== null && rounds < FEW_ROUNDS * outputCount(this.#driver.plan.task);
  }

  /** Of so many trials that are asked next, the repeats that the configuration names. */
  #told(count: number): ReadonlyMap<number, number> {
    const first = this.#driver.state.trials.length;
    const { trialsRepeated } = this.#driver.options.config;
    const own = trialsRepeated.filter(({ trial }) => trial >= first && trial < first + count);
    return new Map(own.map(({ trial, of }) => [trial - first, of]));
  }

  #records(): readonly RowRecord[] {
    const { plan, state } = this.#driver;
    const alike = 1 / plan.matrix.length;
    return plan.matrix.map(({ family }, row) => {
      const own = state.trials.filter((trial) => trial.row === row);
      const ended = own.filter(({ state: each }) => each === "finished" || each === "pruned");
      const spent = own.reduce((sum, trial) => sum + secondsOf(trial), 0);
      const took = ended.reduce((sum, trial) => sum + secondsOf(trial), 0);
      const weight = this.#weights?.[row] ?? alike;
      return {
        kind: familyById(family)?.reads ?? "",
        open: this.#tooDear.has(row) ? 0 : trialsOfRow(plan, row) - own.length,
        asked: own.filter(({ repeats }) => repeats === null).length,
        spent,
        cost: ended.length > 0 ? took / ended.length : null,
        share: shareOf(weight, alike, own.length),
      };
    });
  }

  /** Weighs the rows by the blend of what has finished, where that is due and takes little of the time. */
  async #look(): Promise<void> {
    const { plan, state, clock } = this.#driver;
    const finished = state.trials.filter((trial) => trial.state === "finished").length;
    if (finished < 2 || finished < GROWTH * this.#lookedAt) return;
    if (plan.matrix.length < 2 && !mayRepeat(this.#driver)) return;
    const expected = this.#time.selecting;
    const price = this.#lookedAt > 0 ? GROWTH * this.#seconds : expected;
    if (price > LOOK_SHARE * this.#time.left()) return;
    const began = clock.now();
    const selections = await blendSoFar(this.#driver);
    this.#seconds = (clock.now() - began) / 1000;
    this.#lookedAt = finished;
    const members = selections.flatMap((selection) => selection.members);
    this.#time.lookedAt(this.#seconds, expected, new Set(members.map(({ trial }) => trial)));
    this.#members = new Map(members.map(({ trial, weight }) => [trial, Math.abs(weight)]));
    this.#weights = plan.matrix.map(
      (_, row) =>
        members
          .filter(({ trial }) => state.trials[trial].row === row)
          .reduce((sum, { weight }) => sum + Math.abs(weight), 0) / selections.length,
    );
  }
}

/** @param weight in the blend so far; `alike` where each row has the same */
function shareOf(weight: number, alike: number, asked: number): number {
  const exploring = (ALIKE.share * alike) / (1 + asked / ALIKE.trials);
  return exploring + (1 - ALIKE.share) * weight;
}

function secondsOf({ folds }: TrialState): number {
  const seconds = folds.map((fold) => (fold?.state === "finished" ? fold.seconds : 0));
  return Math.max(
    LEAST_SECONDS,
    seconds.reduce((sum, each) => sum + each, 0),
  );
}
