/**
 * Memory of a forest's trees while they grow: a slot each, of all that one tree takes, beside what they
 * share. Threads grow trees of different slots at once, and one goes on with what another left.
 */

import { type Arena, ArenaFullError, type Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { BinnedData } from "../../data/encoded.ts";
import * as layout from "../../kernels/assembly/forests/layout.ts";
import type { RowStatistics } from "./row-statistics.ts";
import { type SlotLayout, slotLayout } from "./slot-layout.ts";

/** How impure some rows of several classes are: by the Gini index, or by their entropy. */
export type Criterion = "gini" | "entropy";

export interface ForestGrowth {
  /** Features tried at a node, 1 … features. */
  readonly nodeFeatures: number;
  readonly maxLeaves: number;
  /** 0 = no limit. */
  readonly maxDepth: number;
  /** Distinct rows in a leaf, ≥ 1. */
  readonly minLeaf: number;
  /** One random cut a feature instead of the best. */
  readonly randomCuts: boolean;
  /** Rows of a bag, 1 … rows. */
  readonly draws: number;
  readonly withReplacement: boolean;
  /** What tells classes apart. */
  readonly criterion: Criterion;
  /** λ ≥ 0 of hierarchical shrinkage; 0 = plain means. */
  readonly shrinkage: number;
  /** Cells that a thread looks at before it looks up. */
  readonly lookCells: number;
}

/** Views of a grown tree; the next one in its slot overwrites them. */
export interface GrownForestTree {
  readonly nodes: number;
  readonly feature: Int32Array;
  readonly splitBin: Int32Array;
  readonly isCategorical: Uint8Array;
  readonly missingLeft: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** In the units of the data, as are the others. */
  readonly gain: Float64Array;
  readonly cover: Float64Array;
  /** Nodes × outputs; 0 where a node is split. */
  readonly value: Float64Array;
  readonly sets: Uint32Array;
}

/** How large trees can become, and what is asked of them. */
export interface TreeForm {
  /** Of rows that a tree learns from at most. */
  readonly entries: number;
  readonly maxNodes: number;
  /** Sums of a bin. */
  readonly width: number;
  readonly features: number;
  readonly minLeaf: number;
  /** In quantised units. */
  readonly leastGain: number;
}

/** A grown tree that stays as it is. */
export function copyOf({ nodes, ...views }: GrownForestTree): GrownForestTree {
  const { feature, splitBin, isCategorical, missingLeft, left, right, gain, cover, value, sets } =
    views;
  return {
    ...{ nodes, feature: feature.slice(), splitBin: splitBin.slice() },
    ...{ isCategorical: isCategorical.slice(), missingLeft: missingLeft.slice() },
    ...{ left: left.slice(), right: right.slice(), gain: gain.slice() },
    ...{ cover: cover.slice(), value: value.slice(), sets: sets.slice() },
  };
}

export class TreeSlots {
  /** The block that helpers are told of. */
  readonly block: Pointer;
  /** Slots that there may be. */
  readonly most: number;
  readonly #kernels: Kernels;
  readonly #scratch: Scratch;
  readonly #layout: SlotLayout;
  /** Words of a tree's block that are the same for all. */
  readonly common: Readonly<Record<number, number>>;
  readonly form: TreeForm;
  readonly #numbers: Readonly<Record<number, number>>;
  readonly #outputs: number;
  readonly #slots: Pointer[] = [];

  /**
   * @param rows ascending rows of the data, one an entry of `statistics`, in their order
   * @param extra slots besides the first, for which memory is reserved
   */
  constructor(
    scratch: Scratch,
    data: BinnedData,
    rows: Uint32Array,
    statistics: RowStatistics,
    growth: ForestGrowth,
    extra: number,
  ) {
    const { classes, starts, weightScale, productScale } = statistics;
    this.#kernels = kernelsOf(scratch.arena);
    this.#scratch = scratch;
    this.#layout = slotLayout(data, statistics, growth);
    this.#outputs = Math.max(1, classes);
    this.most = 1 + Math.min(extra, layout.MOST_TREES - 1);
    const { drawn, leaves, width } = this.#layout;
    const stats = scratch.allocate(rows.length * 16);
    this.common = {
      [layout.COLUMN_MAJOR]: data.columnMajor,
      [layout.COLUMN_STRIDE]: data.columnStride,
      [layout.VALUE_BINS]: scratch.i32(data.bins.map((bins) => bins.valueBins)),
      [layout.KINDS]: scratch.u8(data.bins.map((bins) => (bins.kind === "categorical" ? 1 : 0))),
      [layout.FEATURES]: data.bins.length,
      [layout.SOURCE_ROWS]: scratch.u32(rows),
      [layout.SOURCE_STATS]: stats,
      [layout.SOURCE_COUNT]: rows.length,
      [layout.STARTS]: starts ? scratch.u32(starts) : 0,
      [layout.DISTINCT_ROWS]: starts ? starts.length - 1 : rows.length,
      [layout.DRAWS]: growth.draws,
      [layout.WITH_REPLACEMENT]: growth.withReplacement ? 1 : 0,
      [layout.CLASSES]: classes,
      [layout.WIDTH]: width,
      [layout.NODE_FEATURES]: growth.nodeFeatures,
      [layout.MAX_LEAVES]: leaves,
      [layout.MAX_DEPTH]: growth.maxDepth,
      [layout.MIN_LEAF]: growth.minLeaf,
      // A limit that cannot bind leaves the order of splitting free.
      [layout.BEST_FIRST]: growth.maxLeaves < Math.floor(drawn / growth.minLeaf) ? 1 : 0,
      [layout.RANDOM_CUTS]: growth.randomCuts ? 1 : 0,
      [layout.LOOK_CELLS]: growth.lookCells,
      [layout.MASS_LOGS]: growth.criterion === "entropy" ? this.#tableOfMassLogs() : 0,
    };
    this.form = {
      ...{ entries: this.#layout.entries, maxNodes: 2 * leaves - 1, width },
      ...{ features: data.bins.length, minLeaf: growth.minLeaf, leastGain: statistics.leastGain },
    };
    this.#numbers = {
      [layout.MIN_GAIN]: statistics.leastGain,
      [layout.SHRINKAGE]: growth.shrinkage,
      [layout.WEIGHT_SCALE]: weightScale,
      [layout.PRODUCT_SCALE]: productScale,
      [layout.GAIN_SCALE]: classes === 0 ? weightScale / productScale ** 2 : 1 / weightScale,
      [layout.CENTER]: statistics.center,
    };
    this.#writeStatistics(stats, statistics);
    this.block = scratch.allocate(layout.FOREST_BYTES);
    scratch.arena.i32(this.block, layout.FOREST_BYTES / 4).fill(-1)[layout.TREES / 4] = 0;
    scratch.reserve((this.most - 1) * this.#layout.bytes);
    this.#addSlot(scratch.allocate(this.#layout.bytes));
  }

  #tableOfMassLogs(): Pointer {
    const table = this.#scratch.allocate(8 * layout.TABLED);
    this.#kernels.fillMassLogs(table);
    return table;
  }

  get arena(): Arena {
    return this.#scratch.arena;
  }

  /** Slots that there are. */
  get count(): number {
    return this.#slots.length;
  }

  /** See `forests/layout.ts` of the kernels. */
  state(slot: number): number {
    return Atomics.load(this.words(slot), layout.STATE / 4);
  }

  /** Which of the forest's trees was begun here last. */
  number(slot: number): number {
    return this.words(slot)[layout.NUMBER / 4];
  }

  /** One more, empty; null where there is no memory for it. */
  add(): number | null {
    if (this.count === this.most) return null;
    try {
      this.#addSlot(this.#scratch.takeReserved(this.#layout.bytes));
      return this.count - 1;
    } catch (fault) {
      // The forest is the same with fewer.
      if (fault instanceof ArenaFullError) return null;
      throw fault;
    }
  }

  /** Has a tree wait in an empty slot for a thread. */
  begin(slot: number, number: number, key: RandomKey): void {
    this.#begin(slot, number, key, layout.WAITING);
  }

  /** The same for the caller alone. */
  beginHeld(slot: number, number: number, key: RandomKey): void {
    this.#begin(slot, number, key, layout.HELD);
  }

  #begin(slot: number, number: number, key: RandomKey, state: number): void {
    const [bag, splits] = [extendKey(key, "bag"), extendKey(key, "splits")];
    const words = this.words(slot);
    const given: Readonly<Record<number, number>> = {
      [layout.NUMBER]: number,
      [layout.ROW_COUNT]: 0,
      [layout.NODE_COUNT]: 0,
      [layout.WORDS_DRAWN]: 0,
      [layout.OPEN_COUNT]: 0,
      [layout.BAG_KEY_LOW]: bag.low,
      [layout.BAG_KEY_HIGH]: bag.high,
      [layout.KEY_LOW]: splits.low,
      [layout.KEY_HIGH]: splits.high,
    };
    for (const [offset, value] of Object.entries(given)) words[Number(offset) / 4] = value;
    Atomics.store(words, layout.STATE / 4, state);
  }

  /** Takes the tree of a slot to grow it; false where it does not wait any more. */
  take(slot: number): boolean {
    return this.#kernels.takeTree(this.#slots[slot]) !== 0;
  }

  /** Goes on for a bit with a tree that the caller has taken. */
  grow(slot: number): void {
    this.#kernels.growHeldTree(this.#slots[slot]);
  }

  /** The same, no further than the rows of a tree that has none, or its root. */
  look(slot: number): void {
    const words = this.words(slot);
    words[layout.LOOK_CELLS / 4] = 1;
    this.grow(slot);
    words[layout.LOOK_CELLS / 4] = this.common[layout.LOOK_CELLS];
  }

  /** Takes an empty slot for the caller alone. */
  hold(slot: number): void {
    Atomics.store(this.words(slot), layout.STATE / 4, layout.HELD);
  }

  /** Of a tree that the caller has taken, or that is grown. */
  clear(slot: number): void {
    Atomics.store(this.words(slot), layout.STATE / 4, layout.EMPTY);
  }

  /** Of a grown tree. */
  read(slot: number): GrownForestTree {
    const { arena } = this.#scratch;
    const words = this.words(slot);
    const nodes = words[layout.NODE_COUNT / 4];
    const at = (field: number): Pointer => words[field / 4];
    return {
      nodes,
      feature: arena.i32(at(layout.OUT_FEATURE), nodes),
      splitBin: arena.i32(at(layout.OUT_SPLIT), nodes),
      isCategorical: arena.u8(at(layout.OUT_CATEGORICAL), nodes),
      missingLeft: arena.u8(at(layout.OUT_MISSING_LEFT), nodes),
      left: arena.i32(at(layout.OUT_LEFT), nodes),
      right: arena.i32(at(layout.OUT_RIGHT), nodes),
      gain: arena.f64(at(layout.OUT_GAIN), nodes),
      cover: arena.f64(at(layout.OUT_COVER), nodes),
      value: arena.f64(at(layout.OUT_VALUES), nodes * this.#outputs),
      sets: arena.u32(at(layout.OUT_SETS), words[layout.OUT_SET_COUNT / 4] * 8),
    };
  }

  /** The block of a slot; see `forests/layout.ts` of the kernels. */
  words(slot: number): Int32Array {
    return this.#scratch.arena.i32(this.#slots[slot], layout.BYTES / 4);
  }

  #addSlot(block: Pointer): void {
    const { arena } = this.#scratch;
    const { parts, width } = this.#layout;
    const slot = this.#slots.push(block) - 1;
    const words = this.words(slot).fill(0);
    for (const [field, offset] of Object.entries(parts)) words[Number(field) / 4] = block + offset;
    for (const [field, value] of Object.entries(this.common)) words[Number(field) / 4] = value;
    for (const [field, value] of Object.entries(this.#numbers)) {
      arena.f64(block + Number(field), 1)[0] = value;
    }
    arena.f64(words[layout.HISTOGRAM / 4], 256 * width).fill(0);
    arena.u32(words[layout.COUNTS / 4], 256).fill(0);
    const forest = arena.i32(this.block, layout.FOREST_BYTES / 4);
    forest[layout.TREE_BLOCKS / 4 + slot] = block;
    Atomics.store(forest, layout.TREES / 4, slot + 1);
  }

  /** 16 bytes a row, as `kernels/assembly/forests/node.ts` has them. */
  #writeStatistics(at: Pointer, { weight, second, starts, classes }: RowStatistics): void {
    const numbers = this.#scratch.arena.f64(at, weight.length * 2);
    const words = this.#scratch.arena.u32(at, weight.length * 4);
    for (let i = 0; i < weight.length; i++) {
      numbers[2 * i] = weight[i];
      if (classes === 0) numbers[2 * i + 1] = second[i];
      else {
        words[4 * i + 2] = second[i];
        words[4 * i + 3] = starts ? 0 : 1;
      }
    }
    if (starts) for (const first of starts.subarray(0, -1)) words[4 * first + 3] = 1;
  }
}
