/**
 * The rows that the trees of a round are learned from, and those that only follow them: all, a part drawn
 * by chance (Friedman 2002, "Stochastic gradient boosting"), or by their gradients (one-side sampling, Ke et
 * al., NIPS 2017, "LightGBM", §3).
 */

import type { Pointer } from "../../compute/arena.ts";
import type { RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { GbdtParameters } from "./parameters.ts";
import type { GradientSums, RowList, RowWork } from "./row-work.ts";

/** What a round's trees learn from, and what follows them. */
export interface RoundRows {
  readonly learned: RowList;
  readonly followers: RowList;
}

/** Levels of gradients that the kernels tell apart. */
const LEVELS = 2 ** 16;
/** Rows whose gradients are looked at for the level that the largest are above. */
const LEVEL_ROWS = 2 ** 16;

/** How rows are drawn by their gradients. */
interface OneSide {
  /** Share of the rows that is kept for its gradients. */
  readonly top: number;
  /** The probability of any other row. */
  readonly others: number;
  /** Rounds that learn from all rows: gradients say little before. */
  readonly firstRounds: number;
  /** u32 a level. */
  readonly levels: Pointer;
}

export class RowSampling {
  readonly #scratch: Scratch;
  readonly #work: RowWork;
  readonly #train: RowList;
  readonly #valid: Uint32Array | null;
  /** Of a bag, of 2¹⁶; null: there is none. */
  readonly #threshold: number | null;
  readonly #oneSide: OneSide | null;
  readonly #all: RoundRows;
  readonly #drawn: Pointer;
  /** Rows that were not drawn, then the validation rows. */
  readonly #rest: Pointer;

  /** @param valid the validation rows, and the same as a list; null: there are none */
  constructor(
    scratch: Scratch,
    work: RowWork,
    parameters: SamplingParameters,
    train: RowList,
    valid: { readonly rows: Uint32Array; readonly list: RowList } | null,
  ) {
    this.#scratch = scratch;
    this.#work = work;
    this.#train = train;
    this.#valid = valid?.rows ?? null;
    this.#all = { learned: train, followers: valid?.list ?? { pointer: 0, count: 0 } };
    const { data_sample_strategy, bagging_fraction, top_rate, other_rate } = parameters;
    this.#oneSide =
      data_sample_strategy === "goss" && top_rate + other_rate < 1
        ? {
            top: top_rate,
            others: other_rate / (1 - top_rate),
            firstRounds: Math.ceil(1 / parameters.learning_rate),
            levels: scratch.allocate(4 * LEVELS),
          }
        : null;
    this.#threshold =
      data_sample_strategy === "bagging" && bagging_fraction < 1
        ? Math.round(bagging_fraction * 2 ** 16)
        : null;
    const isPartial = this.isBagged || this.isByGradient;
    this.#drawn = isPartial ? scratch.allocate(4 * train.count) : train.pointer;
    this.#rest = isPartial ? scratch.allocate(4 * (train.count + (valid?.list.count ?? 0))) : 0;
  }

  /** A round learns from rows that are drawn by chance. */
  get isBagged(): boolean {
    return this.#threshold !== null;
  }

  /** A tree learns from rows that are drawn by their gradients. */
  get isByGradient(): boolean {
    return this.#oneSide !== null;
  }

  /** Rows beside the validation's that follow a tree, at most. */
  get mostLeftOut(): number {
    return this.isBagged || this.isByGradient ? this.#train.count : 0;
  }

  /** What a device draws a round's bag by; null: all rows are learned from. */
  bagOf(key: RandomKey): { readonly threshold: number; readonly key: RandomKey } | null {
    return this.#threshold === null ? null : { threshold: this.#threshold, key };
  }

  /** A round's rows, before any gradient is known. */
  draw(key: RandomKey): RoundRows {
    if (this.#threshold === null) return this.#all;
    const drawn = this.#work.drawBag(this.#train, this.#threshold, key, this.#drawn, this.#rest);
    // So few rows that none was drawn: this round learns from all of them.
    return drawn === 0 ? this.#all : this.#split(drawn);
  }

  /**
   * A tree's rows, by the gradients that are there; those of the rows drawn are multiplied by what they stand for.
   *
   * @returns and their sums; null where all rows are learned from
   */
  drawByGradient(
    round: number,
    key: RandomKey,
  ): { readonly rows: RoundRows; readonly sums: GradientSums } | null {
    if (this.#oneSide === null || round < this.#oneSide.firstRounds) return null;
    const { level, share } = this.#leastLargest(this.#oneSide);
    const { others } = this.#oneSide;
    const of = (probability: number): number => Math.round(probability * 2 ** 16);
    const { drawn, sums } = this.#work.drawByGradient(
      this.#train,
      { level, atLevel: of(share + (1 - share) * others), below: of(others) },
      key,
      this.#drawn,
      this.#rest,
    );
    return drawn === 0 ? null : { rows: this.#split(drawn), sums };
  }

  /** The level where the largest gradients begin, and which share of the rows at it belongs to them. */
  #leastLargest({ top, levels }: OneSide): { readonly level: number; readonly share: number } {
    const counts = this.#scratch.arena.u32(levels, LEVELS);
    const step = Math.max(1, Math.floor(this.#train.count / LEVEL_ROWS));
    this.#work.countLevels(this.#train, step, levels, LEVELS);
    let left = top * Math.ceil(this.#train.count / step);
    let level = LEVELS - 1;
    while (level > 0 && counts[level] <= left) left -= counts[level--];
    return { level, share: counts[level] > 0 ? Math.min(1, left / counts[level]) : 0 };
  }

  #split(drawn: number): RoundRows {
    const left = this.#train.count - drawn;
    const valid = this.#valid?.length ?? 0;
    if (this.#valid !== null) {
      this.#scratch.arena.u32(this.#rest + 4 * left, valid).set(this.#valid);
    }
    return {
      learned: { pointer: this.#drawn, count: drawn },
      followers: { pointer: this.#rest, count: left + valid },
    };
  }
}

type SamplingParameters = Pick<
  GbdtParameters,
  "data_sample_strategy" | "bagging_fraction" | "top_rate" | "other_rate" | "learning_rate"
>;
