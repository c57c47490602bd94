/**
 * The rows that the trees of a round are learned from, and those that only follow them: all, a part drawn
 * by chance (Friedman 2002, "Stochastic gradient boosting"), or a part drawn by its gradients: one-side sampling
 * (Ke et al., NIPS 2017, "LightGBM", §3) and minimal variance sampling (Ibragimov & Gusev, NeurIPS 2019).
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

/** Sizes of gradients that the kernels tell apart: levels. */
const LEVELS = 2 ** 16;
/** Rows whose gradients are looked at before the others are drawn. */
const LOOKED_AT = 2 ** 16;
/** A probability of 1. */
const CERTAIN = 2 ** 16;
/** Nothing stands for more rows than this. */
const LEAST_PROBABILITY = 2 ** -10;
/** λ over the squared mean leaf value Σ|g| / Σh. */
const CURVATURE_SHARE = 0.1;

export class RowSampling {
  readonly #scratch: Scratch;
  readonly #work: RowWork;
  readonly #parameters: SamplingParameters;
  readonly #train: RowList;
  readonly #valid: Uint32Array | null;
  readonly #all: RoundRows;
  readonly #drawn: Pointer;
  /** Rows that were not drawn, then the validation rows. */
  readonly #rest: Pointer;
  /** u32 a level: how many rows are there, then their probability. */
  readonly #levels: Pointer;

  /** A round learns from rows that are drawn by chance. */
  readonly isBagged: boolean;
  /** A tree learns from rows that are drawn by their gradients. */
  readonly isByGradient: boolean;

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
    this.#parameters = parameters;
    this.#train = train;
    this.#valid = valid?.rows ?? null;
    this.#all = { learned: train, followers: valid?.list ?? { pointer: 0, count: 0 } };
    const { data_sample_strategy, bagging_fraction, top_rate, other_rate } = parameters;
    const isPartial =
      data_sample_strategy === "goss" ? top_rate + other_rate < 1 : bagging_fraction < 1;
    this.isBagged = isPartial && data_sample_strategy === "bagging";
    this.isByGradient = isPartial && !this.isBagged;
    this.#drawn = isPartial ? scratch.allocate(4 * train.count) : train.pointer;
    this.#rest = isPartial ? scratch.allocate(4 * (train.count + (valid?.list.count ?? 0))) : 0;
    this.#levels = this.isByGradient ? scratch.allocate(4 * LEVELS) : 0;
  }

  /** Rows beside the validation's that follow a tree, at most. */
  get mostLeftOut(): number {
    return this.isBagged || this.isByGradient ? this.#train.count : 0;
  }

  /** What a device draws a round's bag by; null: all rows are learned from. */
  bagOf(key: RandomKey): { readonly threshold: number; readonly key: RandomKey } | null {
    if (!this.isBagged) return null;
    return { threshold: Math.round(this.#parameters.bagging_fraction * CERTAIN), key };
  }

  /** A round's rows, before any gradient is known. */
  draw(key: RandomKey): RoundRows {
    const bag = this.bagOf(key);
    if (bag === null) return this.#all;
    const drawn = this.#work.drawBag(this.#train, bag.threshold, key, this.#drawn, this.#rest);
    // So few rows that none was drawn: this round learns from all of them.
    return drawn === 0 ? this.#all : this.#split(drawn);
  }

  /**
   * A tree's rows, by the gradients that are there; those of the rows drawn are multiplied by what they stand for.
   *
   * @param sums of all rows
   * @returns and their sums; null where all rows are learned from
   */
  drawByGradient(
    round: number,
    sums: GradientSums,
    key: RandomKey,
  ): { readonly rows: RoundRows; readonly sums: GradientSums } | null {
    const { data_sample_strategy: strategy, learning_rate } = this.#parameters;
    // Gradients say little of the first rounds' rows.
    if (!this.isByGradient || round < Math.ceil(1 / learning_rate)) return null;
    const meanValue = sums.hessian > 0 ? sums.gradient / sums.hessian : 0;
    const curvature = strategy === "goss" ? -1 : CURVATURE_SHARE * meanValue ** 2;
    const step = Math.max(1, Math.floor(this.#train.count / LOOKED_AT));
    this.#work.countLevels(this.#train, step, curvature, this.#levels, LEVELS);
    const counts = this.#scratch.arena.u32(this.#levels, LEVELS);
    const rows = Math.ceil(this.#train.count / step);
    if (strategy === "goss") oneSideProbabilities(counts, rows, this.#parameters);
    else leastVarianceProbabilities(counts, rows, this.#parameters.bagging_fraction);
    const lists = [this.#drawn, this.#rest] as const;
    const found = this.#work.drawByGradient(this.#train, curvature, this.#levels, key, ...lists);
    return found.drawn === 0 ? null : { rows: this.#split(found.drawn), sums: found.sums };
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

const wordOf = (probability: number): number =>
  Math.round(Math.min(1, Math.max(LEAST_PROBABILITY, probability)) * CERTAIN);

/**
 * All of the largest gradients, and of the others a part. Rows of the level where the largest begin
 * belong to them by chance.
 *
 * @param counts by level; become probabilities
 * @param rows that were counted
 */
export function oneSideProbabilities(
  counts: Uint32Array,
  rows: number,
  { top_rate, other_rate }: Pick<SamplingParameters, "top_rate" | "other_rate">,
): void {
  const others = other_rate / (1 - top_rate);
  let left = top_rate * rows;
  let level = counts.length - 1;
  for (; level > 0 && counts[level] <= left; level--) left -= counts[level];
  const share = counts[level] > 0 ? Math.min(1, left / counts[level]) : 0;
  counts[level] = wordOf(share + (1 - share) * others);
  counts.fill(wordOf(others), 0, level);
  counts.fill(CERTAIN, level + 1);
}

/**
 * In proportion to the gradients, but for the largest, which are certain: of all draws of so large a part the one
 * whose sums vary least (theorem 1 there).
 *
 * @param counts by level; become probabilities
 * @param rows that were counted
 * @param fraction of the rows that is expected to be drawn, in (0, 1)
 */
function leastVarianceProbabilities(counts: Uint32Array, rows: number, fraction: number): void {
  const sizes = levelSizes();
  /** Levels that have rows, and the size of all rows up to there. */
  const levels: number[] = [];
  const upTo: number[] = [];
  let size = 0;
  for (let level = 0; level < counts.length; level++) {
    if (counts[level] === 0) continue;
    size += counts[level] * sizes[level];
    levels.push(level);
    upTo.push(size);
  }
  let room = fraction * rows;
  let last = levels.length - 1;
  // Until the largest that is left would not be certain in proportion to all that are left.
  for (; last > 0 && room * sizes[levels[last]] > upTo[last]; last--) room -= counts[levels[last]];
  const factor = upTo[last] > 0 ? Math.max(0, room) / upTo[last] : 1;
  counts.fill(CERTAIN, levels[last] + 1);
  // Those that have no row here may have some among the rows that were not looked at.
  for (let level = 0; level <= levels[last]; level++) counts[level] = wordOf(sizes[level] * factor);
}

let sizes: Float32Array | null = null;

/** The size amid each level. */
function levelSizes(): Float32Array {
  if (sizes === null) {
    const words = Uint32Array.from({ length: LEVELS }, (_, level) => (level << 15) | (1 << 14));
    sizes = new Float32Array(words.buffer);
    // No number: levels of what is not finite, which no row that can be learned from has.
    for (let level = 0; level < LEVELS; level++) {
      if (!Number.isFinite(sizes[level])) sizes[level] = 0;
    }
  }
  return sizes;
}
