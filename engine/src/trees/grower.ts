/**
 * Grows trees over binned data: sets up the kernels' working memory once a fit, and then grows
 * one tree a call without allocating.
 *
 * The order of work in boosting: quantise gradients, `grow`, `finish`, `follow`, then take the tree
 * with `EnsembleBuilder.append`.
 */

import type { Arena, Pointer } from "../compute/arena.ts";
import { useDevice } from "../compute/gpu/device-calls.ts";
import { type Kernels, kernelsOf } from "../compute/kernels.ts";
import type { RandomKey } from "../compute/random.ts";
import type { Scratch } from "../compute/scratch.ts";
import type { BinnedData } from "../data/encoded.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { allocateGrower, type OwnMemory } from "./grower-block.ts";
import { GrownThere, growsThere } from "./grown-there.ts";
import { type GrownTree, type TreePlace, treeWords } from "./grown-tree.ts";
import type { GrowthSettings } from "./growth-settings.ts";
import type { HistogramLayout, HistogramPlaces } from "./histogram-layout.ts";
import { type HeldTree, TreeDevice } from "./tree-device.ts";

export interface TreeInput {
  /** u32 each, ascending; not changed. */
  readonly rows: Pointer;
  readonly rowCount: number;
  /** Other rows may lie there than at the last tree. */
  readonly redrawn?: boolean;
  /** Features to use, ascending. */
  readonly features: Int32Array;
  /** i64 a row of the data: quantised gradient (high 32 bits), hessian (low). */
  readonly packed: Pointer;
  readonly gradientScale: number;
  readonly hessianScale: number;
  /** For random thresholds. */
  readonly key: RandomKey;
  /** Of symmetric trees: the deviation of what is added to scores, in units of the gradient; absent: 0. */
  readonly scoreNoise?: number;
  /** Where a device has rows and gradients alone; `rows` and `packed` are then filled by what comes home. */
  readonly held?: HeldTree;
  /** Variance of a gradient a unit of hessian, which splits of sorted categories are to beat; absent: 0. */
  readonly noise?: number;
}

/** Whole units of what is aligned. */
function roundUp(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}

export class TreeGrower {
  readonly arena: Arena;
  readonly #kept: readonly TreePlace[];
  #selected: TreePlace;
  readonly #ownMemory: OwnMemory;
  readonly #slots: number;
  readonly #crewBlock: Pointer;
  readonly #kernels: Kernels;
  readonly #block: Pointer;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  /** How its trees' histograms are laid out. */
  readonly histograms: HistogramLayout;
  readonly #places: HistogramPlaces;
  /** A feature: the bin of its missing values. */
  readonly valueBins: Int32Array;
  readonly #symmetric: boolean;
  /** The device that takes part; null: none does. */
  readonly device: TreeDevice | null;
  #listed: Int32Array | null = null;

  /**
   * @param rowCapacity most rows that a tree learns from
   * @param followerCapacity most rows given to `follow`
   */
  constructor(
    scratch: Scratch,
    data: BinnedData,
    rowCapacity: number,
    followerCapacity: number,
    settings: GrowthSettings,
  ) {
    const arena = scratch.arena;
    const symmetric = settings.growth === "symmetric";
    const allocated = allocateGrower(scratch, data, rowCapacity, followerCapacity, settings);
    const { words, numbers, trees } = allocated;
    this.arena = arena;
    this.#symmetric = symmetric;
    this.#kernels = kernelsOf(arena);
    this.#block = allocated.block;
    this.#words = words;
    this.#numbers = numbers;
    this.histograms = allocated.histograms;
    this.#places = allocated.places;
    this.valueBins = allocated.valueBins;
    this.#kept = trees;
    this.#selected = trees[0];
    this.#ownMemory = allocated.ownMemory;
    this.#slots = allocated.slots;
    this.#crewBlock = settings.crew?.block ?? 0;
    this.device = settings.device
      ? new TreeDevice(
          arena,
          settings.device,
          words,
          rowCapacity,
          allocated.directRows + 1,
          symmetric,
          allocated.deviceList,
          growsThere(words, numbers, data.bins.length, symmetric)
            ? new GrownThere(
                settings.device.lane,
                words,
                numbers,
                rowCapacity,
                data.bins.some(({ kind }) => kind === "categorical"),
              )
            : null,
        )
      : null;
  }

  /** The last tree grown, or that of the last `select`. */
  get tree(): GrownTree {
    return this.#selected.tree;
  }

  /** The next tree is kept as the i-th, or has been. */
  select(i: number): void {
    this.#selected = this.#kept[i];
    for (const [offset, pointer] of Object.entries(this.#selected.words)) {
      this.#words[Number(offset) / 4] = pointer;
    }
  }

  /** Where the i-th tree lies, from OUT_FEATURE to OUT_COUNT. */
  wordsOf(i: number): Int32Array {
    return treeWords(this.#kept[i]);
  }

  /** Whether others share the work on a tree, where there are any. Of no matter for the tree. */
  set isShared(isShared: boolean) {
    this.#words[layout.CREW / 4] = isShared ? this.#crewBlock : 0;
  }

  /** Bytes that a thread needs to grow trees of its own, behind a block of `layout.BYTES`. */
  get seatBytes(): number {
    return Object.values(this.#ownMemory).reduce((sum, bytes) => sum + roundUp(bytes), 0);
  }

  /**
   * Writes a grower's block for another thread, which has the settings of this one and shares nothing.
   *
   * @param memory for it, `seatBytes` @param packed as of `TreeInput`
   */
  writeSeat(block: Pointer, memory: Pointer, packed: Pointer): void {
    const words = this.arena.i32(block, layout.BYTES / 4);
    words.set(this.#words);
    let at = memory;
    for (const [offset, bytes] of Object.entries(this.#ownMemory)) {
      if (bytes > 0) words[Number(offset) / 4] = at;
      at += roundUp(bytes);
    }
    words[layout.PACKED / 4] = packed;
    words[layout.HISTOGRAM_SLOTS / 4] = this.#slots;
    for (const none of [layout.CREW, layout.PLACE_COUNT, layout.AHEAD_COUNT]) {
      words[none / 4] = 0;
    }
  }

  /** Of any tree. */
  get mostLeaves(): number {
    return this.#words[layout.MAX_LEAVES / 4];
  }

  /** Categorical splits of the last tree: how many sets of `tree.sets` are in use. */
  get setCount(): number {
    return this.#words[layout.OUT_SET_COUNT / 4];
  }

  /** Of a tree that another thread grew, or that was selected anew. */
  set setCount(count: number) {
    this.#words[layout.OUT_SET_COUNT / 4] = count;
  }

  /**
   * Grows a tree's structure; returns its number of nodes. Values are not set yet. 0: nothing was grown, since the
   * device failed that alone has the gradients.
   */
  grow(input: TreeInput): number {
    this.#useFeatures(input.features);
    const words = this.#words;
    words[layout.SOURCE_ROWS / 4] = input.rows;
    words[layout.ROW_COUNT / 4] = input.rowCount;
    words[layout.PACKED / 4] = input.packed;
    words[layout.KEY_LOW / 4] = input.key.low;
    words[layout.KEY_HIGH / 4] = input.key.high;
    this.#numbers[layout.GRADIENT_SCALE / 8] = input.gradientScale;
    this.#numbers[layout.HESSIAN_SCALE / 8] = input.hessianScale;
    this.#numbers[layout.CAT_NOISE / 8] = input.noise ?? 0;
    if (this.#symmetric) {
      this.#numbers[layout.SCORE_NOISE / 8] =
        ((input.scoreNoise ?? 0) * input.gradientScale) / Math.sqrt(input.hessianScale);
    }
    const { held = null } = input;
    const away = this.device?.begin(input.redrawn ?? true, held) ?? 0;
    if (held !== null && away === 0) return 0;
    words[layout.DEVICE_ROWS / 4] = away;
    words[layout.GROWN_THERE / 4] = away > 0 && this.device?.growsThere ? 1 : 0;
    words[layout.GRADIENTS_AWAY / 4] = held === null ? 0 : 1;
    useDevice(this.device);
    try {
      return this.#symmetric
        ? this.#kernels.growObliviousTree(this.#block)
        : this.#kernels.growTree(this.#block);
    } finally {
      useDevice(null);
    }
  }

  /**
   * Sets the leaves' values and covers and adds the values to the scores of the tree's rows.
   *
   * @param gradients f32 pairs, one a row of the data
   * @param fine integer units of gradient and of hessian for the leaves' sums
   * @param weights f64 a row for the covers, or 0
   * @param scores f64 a row
   */
  finish(
    nodes: number,
    gradients: Pointer,
    fine: { readonly gradient: number; readonly hessian: number },
    shrinkage: number,
    weights: Pointer,
    scores: Pointer,
  ): void {
    this.#kernels.finishTree(
      this.#block,
      nodes,
      gradients,
      fine.gradient,
      fine.hessian,
      shrinkage,
      weights,
      scores,
    );
  }

  /**
   * Four words a node, of which `finishAway` reads the sums of its gradients, gradient before hessian. Before and after
   * it they are for anybody.
   */
  get leafSums(): Pointer {
    return this.#words[layout.LEAF_SUMS / 4];
  }

  /**
   * As `finish`, of a tree whose rows a device has: from `leafSums`, and no scores are changed. False where the sums
   * cannot be those of the tree's leaves.
   *
   * @param weights as `finish`; where they are given, the rows of leaves came home
   * @param isOwn the structure was chosen by these gradients, and not by others
   */
  finishAway(
    nodes: number,
    fine: { readonly gradient: number; readonly hessian: number },
    shrinkage: number,
    weights: Pointer,
    isOwn: boolean,
  ): boolean {
    const { gradient, hessian } = fine;
    const block = this.#block;
    const { finishAway } = this.#kernels;
    const own = isOwn ? 1 : 0;
    return finishAway(block, nodes, gradient, hessian, shrinkage, weights, own) === 1;
  }

  /** The grown tree's category sets, in the arena. */
  get sets(): Pointer {
    return this.#words[layout.OUT_SETS / 4];
  }

  /** The last tree's rows in a node: a view, which the next tree overwrites. */
  rowsOf(node: number): Uint32Array {
    const { start, count } = this.tree;
    return this.arena.u32(this.#words[layout.ROWS / 4] + start[node] * 4, count[node]);
  }

  /**
   * Adds the last tree's values to the scores (f64, by row number) of rows that it did not learn
   * from. Call it after `finish`.
   *
   * @param count at most the follower capacity
   */
  follow(nodes: number, rows: Pointer, count: number, scores: Pointer): void {
    this.#kernels.followTree(this.#block, nodes, rows, count, scores);
  }

  /** Lays the listed features' histograms side by side. */
  #useFeatures(features: Int32Array): void {
    if (features === this.#listed) return;
    this.#listed = features;
    const { entries, columns } = this.histograms.layOut(this.arena, features, this.#places);
    this.#words[layout.FEATURE_COUNT / 4] = features.length;
    this.#words[layout.HISTOGRAM_ENTRIES / 4] = entries;
    this.#words[layout.COLUMN_COUNT / 4] = columns;
  }
}
