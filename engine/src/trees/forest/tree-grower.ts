/**
 * Grows the trees of one forest: sets up the kernels' working memory once, then grows a tree a
 * call from the bag of rows that its key draws.
 */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { BinnedData } from "../../data/encoded.ts";
import * as layout from "../../kernels/assembly/forest-layout.ts";
import type { RowStatistics } from "./row-statistics.ts";

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
}

/** Views of the last tree grown; the next one overwrites them. */
export interface GrownForestTree {
  readonly nodes: number;
  readonly feature: Int32Array;
  readonly splitBin: Int32Array;
  readonly isCategorical: Uint8Array;
  readonly missingLeft: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** In the statistics' integer units. */
  readonly gain: Float64Array;
  /** Nodes × width: weight and weighted target, or weight a class. */
  readonly sums: Float64Array;
  readonly sets: Uint32Array;
}

const SCRATCH_BYTES = 8192;

export class ForestTreeGrower {
  readonly #kernels: Kernels;
  readonly #scratch: Scratch;
  readonly #growth: ForestGrowth;
  readonly #statistics: RowStatistics;
  readonly #block: Pointer;
  readonly #rows: Pointer;
  readonly #stats: Pointer;
  readonly #times: Pointer;
  readonly #bagRows: Pointer;
  readonly #bagStats: Pointer;
  readonly #width: number;
  readonly #outputs: Record<
    "feature" | "split" | "categorical" | "missing" | "left" | "right" | "gain" | "sums" | "sets",
    Pointer
  >;

  /** @param rows ascending rows of the data, one an entry of `statistics`, in their order */
  constructor(
    scratch: Scratch,
    data: BinnedData,
    rows: Uint32Array,
    statistics: RowStatistics,
    growth: ForestGrowth,
  ) {
    const features = data.bins.length;
    const distinct = statistics.starts ? statistics.starts.length - 1 : rows.length;
    const drawn = Math.min(distinct, growth.draws);
    // A row of several entries is in the bag with all of them.
    const capacity = statistics.starts ? rows.length : drawn;
    const leaves = Math.min(drawn, growth.maxLeaves);
    const nodes = 2 * leaves - 1;
    const width = statistics.classes === 0 ? 2 : statistics.classes + (statistics.classes & 1);
    this.#kernels = kernelsOf(scratch.arena);
    this.#scratch = scratch;
    this.#growth = growth;
    this.#statistics = statistics;
    this.#width = width;
    this.#rows = scratch.u32(rows);
    this.#stats = scratch.allocate(rows.length * 16);
    this.#times = scratch.allocate(rows.length * 4);
    this.#bagRows = scratch.allocate(capacity * 4 + 16);
    this.#bagStats = scratch.allocate(capacity * 16 + 16);
    this.#outputs = {
      feature: scratch.allocate(nodes * 4),
      split: scratch.allocate(nodes * 4),
      categorical: scratch.allocate(nodes),
      missing: scratch.allocate(nodes),
      left: scratch.allocate(nodes * 4),
      right: scratch.allocate(nodes * 4),
      gain: scratch.allocate(nodes * 8),
      sums: scratch.allocate(nodes * width * 8),
      sets: scratch.allocate(leaves * 32),
    };
    this.#block = scratch.allocate(layout.BYTES);
    const histogram = scratch.allocate(256 * width * 8);
    const counts = scratch.allocate(256 * 4);
    const words: Readonly<Record<number, number>> = {
      [layout.COLUMN_MAJOR]: data.columnMajor,
      [layout.COLUMN_STRIDE]: data.columnStride,
      [layout.VALUE_BINS]: scratch.i32(data.bins.map((bins) => bins.valueBins)),
      [layout.KINDS]: scratch.u8(data.bins.map((bins) => (bins.kind === "categorical" ? 1 : 0))),
      [layout.FEATURES]: features,
      [layout.ROWS]: this.#bagRows,
      [layout.STATS]: this.#bagStats,
      [layout.ROWS_SCRATCH]: scratch.allocate(capacity * 4 + 16),
      [layout.STATS_SCRATCH]: scratch.allocate(capacity * 16 + 16),
      [layout.HISTOGRAM]: histogram,
      [layout.COUNTS]: counts,
      [layout.SCRATCH]: scratch.allocate(SCRATCH_BYTES),
      [layout.PERMUTATION]: scratch.allocate(features * 4),
      [layout.NODES]: scratch.allocate(nodes * layout.NODE_BYTES),
      [layout.OPEN]: scratch.allocate((leaves + 1) * 4),
      [layout.SIDES]: scratch.allocate(width * 8),
      [layout.GATHERED]: scratch.allocate(capacity),
      [layout.CLASSES]: statistics.classes,
      [layout.WIDTH]: width,
      [layout.NODE_FEATURES]: growth.nodeFeatures,
      [layout.MAX_LEAVES]: leaves,
      [layout.MAX_DEPTH]: growth.maxDepth,
      [layout.MIN_LEAF]: growth.minLeaf,
      // A limit that cannot bind leaves the order of splitting free.
      [layout.BEST_FIRST]: growth.maxLeaves < Math.floor(drawn / growth.minLeaf) ? 1 : 0,
      [layout.RANDOM_CUTS]: growth.randomCuts ? 1 : 0,
      [layout.OUT_FEATURE]: this.#outputs.feature,
      [layout.OUT_SPLIT]: this.#outputs.split,
      [layout.OUT_CATEGORICAL]: this.#outputs.categorical,
      [layout.OUT_MISSING_LEFT]: this.#outputs.missing,
      [layout.OUT_LEFT]: this.#outputs.left,
      [layout.OUT_RIGHT]: this.#outputs.right,
      [layout.OUT_GAIN]: this.#outputs.gain,
      [layout.OUT_SUMS]: this.#outputs.sums,
      [layout.OUT_SETS]: this.#outputs.sets,
    };
    const { arena } = scratch;
    arena.f64(histogram, 256 * width).fill(0);
    arena.u32(counts, 256).fill(0);
    const block = arena.i32(this.#block, layout.BYTES / 4).fill(0);
    for (const [offset, value] of Object.entries(words)) block[Number(offset) / 4] = value;
    arena.f64(this.#block + layout.MIN_GAIN, 1)[0] = statistics.leastGain;
    this.#writeStatistics();
  }

  grow(key: RandomKey): GrownForestTree {
    const { arena } = this.#scratch;
    const { draws, withReplacement } = this.#growth;
    const kernels = this.#kernels;
    const { starts, weight } = this.#statistics;
    const rows = starts ? starts.length - 1 : weight.length;
    const bag = extendKey(key, "bag");
    const times = arena.u32(this.#times, rows);
    if (withReplacement) {
      times.fill(0);
      kernels.drawWithReplacement(rows, draws, bag.low, bag.high, this.#times);
    } else if (draws < rows) {
      kernels.drawWithoutReplacement(rows, draws, bag.low, bag.high, this.#times);
    } else times.fill(1);
    if (starts) this.#repeatTimes(starts);
    const block = arena.i32(this.#block, layout.BYTES / 4);
    block[layout.ROW_COUNT / 4] = kernels.fillBag(
      weight.length,
      this.#rows,
      this.#stats,
      this.#times,
      this.#statistics.classes,
      this.#bagRows,
      this.#bagStats,
    );
    const splits = extendKey(key, "splits");
    block[layout.KEY_LOW / 4] = splits.low;
    block[layout.KEY_HIGH / 4] = splits.high;
    const nodes = kernels.growForestTree(this.#block);
    const at = this.#outputs;
    return {
      nodes,
      feature: arena.i32(at.feature, nodes),
      splitBin: arena.i32(at.split, nodes),
      isCategorical: arena.u8(at.categorical, nodes),
      missingLeft: arena.u8(at.missing, nodes),
      left: arena.i32(at.left, nodes),
      right: arena.i32(at.right, nodes),
      gain: arena.f64(at.gain, nodes),
      sums: arena.f64(at.sums, nodes * this.#width),
      sets: arena.u32(at.sets, block[layout.OUT_SET_COUNT / 4] * 8),
    };
  }

  /** From how often each row was drawn to how often each entry is: from the back, in place. */
  #repeatTimes(starts: Uint32Array): void {
    const times = this.#scratch.arena.u32(this.#times, this.#statistics.weight.length);
    for (let row = starts.length - 2; row >= 0; row--) {
      times.fill(times[row], starts[row], starts[row + 1]);
    }
  }

  /** 16 bytes a row, as `kernels/assembly/forest-node.ts` has them. */
  #writeStatistics(): void {
    const { weight, second, starts, classes } = this.#statistics;
    const numbers = this.#scratch.arena.f64(this.#stats, weight.length * 2);
    const words = this.#scratch.arena.u32(this.#stats, weight.length * 4);
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
