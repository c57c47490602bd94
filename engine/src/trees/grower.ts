/**
 * Grows trees over binned data: sets up the kernels' working memory once a fit, and then grows
 * one tree a call without allocating.
 *
 * The order of work in boosting: quantise gradients, `grow`, `finish`, `follow`, then take the tree
 * with `EnsembleBuilder.append`.
 */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { Crew } from "../compute/crew.ts";
import { useDevice } from "../compute/gpu/device-calls.ts";
import { LIST_BYTES } from "../compute/gpu/tree-requests.ts";
import { type Kernels, kernelsOf } from "../compute/kernels.ts";
import type { RandomKey } from "../compute/random.ts";
import type { Scratch } from "../compute/scratch.ts";
import { type BinnedData, rowMajorOf } from "../data/encoded.ts";
import { MOST_UNITS } from "../kernels/assembly/crew/crew-layout.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { GrownThere, growsThere } from "./grown-there.ts";
import {
  allocateTree,
  type GrownTree,
  type TreePlace,
  treeViews,
  treeWords,
} from "./grown-tree.ts";
import { HistogramLayout, type HistogramPlaces } from "./histogram-layout.ts";
import { type DeviceShare, type HeldTree, TreeDevice } from "./tree-device.ts";
import { blockBytesOf, blockRowsOf, histogramBytesOf, placeOf } from "./working-memory.ts";

export type Growth = "leafwise" | "depthwise" | "symmetric";

const GROWTH_CODE: Readonly<Record<Growth, number>> = {
  leafwise: layout.GROW_LEAF_WISE,
  depthwise: layout.GROW_DEPTH_WISE,
  symmetric: layout.GROW_DEPTH_WISE,
};

export interface GrowthSettings {
  /** Which open node is split next: highest gain, or lowest depth; or a level by one test of all its nodes. */
  readonly growth: Growth;
  /** Of symmetric trees the depth alone counts. */
  readonly maxLeaves: number;
  /** 0 = no limit, but for symmetric trees, which need one. */
  readonly maxDepth: number;
  /** Rows in a leaf, estimated from the hessian as LightGBM does; exact where hessians are equal. */
  readonly minData: number;
  readonly minHessian: number;
  /** Least loss reduction of a split. */
  readonly minGain: number;
  readonly l1: number;
  readonly l2: number;
  readonly catSmooth: number;
  readonly catL2: number;
  /** Least rows of a group of categories that a cut may step over. */
  readonly minGroup: number;
  /** Most categories on the listed side of a split. */
  readonly maxCategories: number;
  /** Up to this many categories in a node, each is tried against the rest. */
  readonly oneVersusRest: number;
  /** One random threshold a feature instead of the best (extra trees). */
  readonly randomThresholds: boolean;
  /** -1, 0, 1 a feature; null = none constrained. */
  readonly monotone: Int8Array | null;
  /**
   * Bytes of histograms kept for subtraction (64 MiB if left out). Beyond it some are built again
   * from rows: slower, the same trees.
   */
  readonly histogramBytes?: number;
  /** Who shares the work. Absent: nobody. */
  readonly crew?: Crew;
  /** Cells (rows × features) of a unit of shared work at least. Of no matter for the tree. */
  readonly unitCells?: number;
  /** The device that takes part in this fit. Absent: none. Of no matter for the tree. */
  readonly device?: DeviceShare;
  /** Trees that are kept at once (`select`); 1 if left out. */
  readonly kept?: number;
}

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

/** A feature that trees are grown on, and the feature of the data that it stands for. */
export interface DerivedFeature {
  readonly feature: number;
  /** The derived bin of each of 256 bins of that feature; null where it is that feature. */
  readonly table: Uint8Array | null;
}

/** What of a grower's memory each thread needs that grows trees of its own, by the words of `layout.ts`. */
type OwnMemory = Readonly<Record<number, number>>;

const HISTOGRAM_BUDGET = 64 * 2 ** 20;
/** Nodes of so many rows or fewer do without a histogram of all features. */
const DIRECT_ROWS = 64;
/** A dozen microseconds of work: several times what it costs to share it. */
const UNIT_CELLS = 16_384;

/** Splits ahead of their turn at most, and bytes of their histograms. */
const MOST_AHEAD = 16;
const AHEAD_BUDGET = 8 * 2 ** 20;

/** Leaves that a byte tells apart. */
const MOST_MARKED = 256;

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
  readonly #valueBins: Int32Array;
  readonly #valueBinsPointer: Pointer;
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
    const features = data.bins.length;
    const symmetric = settings.growth === "symmetric";
    const leaves = Math.max(
      1,
      Math.min(
        symmetric ? Number.POSITIVE_INFINITY : settings.maxLeaves,
        rowCapacity,
        settings.maxDepth > 0 ? 2 ** settings.maxDepth : Number.POSITIVE_INFINITY,
      ),
    );
    const nodes = 2 * leaves - 1;
    const histogramBytes = histogramBytesOf(data);
    const directRows = Math.min(rowCapacity, DIRECT_ROWS);
    const slots = Math.max(
      3,
      Math.min(
        // The leaves of a symmetric tree are searched for no test, and one slot is read once.
        symmetric ? Math.ceil(leaves / 2) + 2 : leaves + 1,
        Math.floor((settings.histogramBytes ?? HISTOGRAM_BUDGET) / histogramBytes),
      ),
    );
    // A device, and the search for the test of a level, read whole histograms of the features.
    const bundled = symmetric || settings.device ? null : (data.bundled ?? null);
    const place = placeOf(data, nodes);
    const { crew } = settings;
    // Whether a device takes part or not: what a fit holds is a function of the fit alone.
    const deviceList = scratch.allocate(LIST_BYTES);
    const helpers = crew?.places ?? 0;
    const marked = leaves <= MOST_MARKED;
    // Each has a histogram beside those of the tree's leaves, so that no node gives up its own for it.
    const ahead =
      helpers > 0 && !symmetric && slots > leaves
        ? Math.min(MOST_AHEAD, Math.floor(AHEAD_BUDGET / histogramBytes))
        : 0;

    this.arena = arena;
    this.#symmetric = symmetric;
    this.#kernels = kernelsOf(arena);
    this.#block = scratch.allocate(layout.BYTES);
    const histograms = new HistogramLayout(data, bundled !== null);
    const places = histograms.allocate(scratch);
    const usualBins = data.bundled ? scratch.i32(data.bundled.usualBins) : 0;
    this.#valueBinsPointer = scratch.i32(data.bins.map((bins) => bins.valueBins));
    const kept = Array.from({ length: settings.kept ?? 1 }, () => allocateTree(scratch, leaves));
    const ownMemory: OwnMemory = {
      [layout.ROWS]: rowCapacity * 4,
      [layout.ROWS_SCRATCH]: Math.max(rowCapacity, followerCapacity) * 4 + 16,
      [layout.HISTOGRAMS]: slots * histogramBytes,
      [layout.NODES]: nodes * layout.NODE_BYTES,
      [layout.BLOCK]: blockBytesOf(data),
      [layout.SCRATCH]: layout.SCRATCH_BYTES,
      [layout.OPEN]: (nodes + 1) * 4,
      [layout.FREE_SLOTS]: slots * 4,
      [layout.FOLLOWERS]: followerCapacity * 4,
      [layout.LEAF_SUMS]: Math.max(nodes, marked ? MOST_MARKED : 0) * 16,
      // Rows are numbered as those of the data, of which a column has a byte each.
      [layout.LEAF_MARKS]: marked ? data.columnStride : 0,
      [layout.RANGES]: nodes * 8,
    };
    const own = (word: number): Pointer => scratch.allocate(ownMemory[word]);
    const words: Readonly<Record<number, number>> = {
      [layout.ROW_MAJOR]: rowMajorOf(data),
      [layout.ROW_STRIDE]: data.rowStride,
      [layout.COLUMN_MAJOR]: data.columnMajor,
      [layout.COLUMN_STRIDE]: data.columnStride,
      [layout.OFFSETS]: places.offsets,
      [layout.VALUE_BINS]: this.#valueBinsPointer,
      [layout.KINDS]: scratch.u8(data.bins.map((bins) => (bins.kind === "categorical" ? 1 : 0))),
      [layout.MONOTONE]:
        settings.monotone === null ? 0 : scratch.u8(new Uint8Array(settings.monotone)),
      [layout.FEATURE_LIST]: places.features,
      [layout.BUNDLED_ROWS]: bundled?.rowMajor ?? 0,
      [layout.BUNDLED_STRIDE]: bundled?.rowStride ?? 0,
      [layout.COLUMN_LIST]: places.columns,
      [layout.COLUMN_OFFSETS]: places.columnOffsets,
      [layout.USUAL_BINS]: bundled ? usualBins : 0,
      [layout.ROWS]: own(layout.ROWS),
      [layout.ROWS_SCRATCH]: own(layout.ROWS_SCRATCH),
      [layout.HISTOGRAMS]: scratch.allocate((slots + ahead) * histogramBytes),
      [layout.HISTOGRAM_SLOTS]: slots + ahead,
      [layout.HISTOGRAM_STRIDE]: histogramBytes,
      [layout.NODES]: own(layout.NODES),
      [layout.BLOCK]: own(layout.BLOCK),
      [layout.BLOCK_ROWS]: blockRowsOf(bundled?.rowStride ?? data.rowStride),
      [layout.SCRATCH]: own(layout.SCRATCH),
      [layout.OPEN]: own(layout.OPEN),
      [layout.FREE_SLOTS]: scratch.allocate((slots + ahead) * 4),
      [layout.MAX_LEAVES]: leaves,
      [layout.MAX_DEPTH]: settings.maxDepth > 0 ? settings.maxDepth : 0x7fffffff,
      [layout.GROWTH]: GROWTH_CODE[settings.growth],
      [layout.RANDOM_THRESHOLDS]: settings.randomThresholds ? 1 : 0,
      [layout.MIN_DATA]: Math.max(1, settings.minData),
      [layout.MAX_CATEGORIES]: settings.maxCategories,
      [layout.ONE_VS_REST]: settings.oneVersusRest,
      [layout.FOLLOWERS]: own(layout.FOLLOWERS),
      [layout.DIRECT_ROWS]: directRows,
      [layout.CREW]: crew?.block ?? 0,
      [layout.PLACES]: scratch.allocate(helpers * place.bytes),
      [layout.PLACE_COUNT]: helpers,
      [layout.PLACE_BYTES]: place.bytes,
      [layout.PLACE_BLOCK]: place.block,
      [layout.PLACE_HISTOGRAM]: place.histogram,
      [layout.UNIT_CELLS]: settings.unitCells ?? UNIT_CELLS,
      [layout.CANDIDATES]: scratch.allocate(helpers > 0 ? 2 * MOST_UNITS * layout.NODE_BYTES : 0),
      [layout.AHEAD]: scratch.allocate(ahead * layout.AHEAD_BYTES),
      [layout.AHEAD_COUNT]: ahead,
      [layout.LEAF_SUMS]: own(layout.LEAF_SUMS),
      [layout.LEAF_MARKS]: marked ? own(layout.LEAF_MARKS) : 0,
      [layout.LEAF_ORDER]: scratch.allocate(helpers > 0 ? leaves * 4 : 0),
      [layout.RANGES]: own(layout.RANGES),
      [layout.LEVEL_SCORES]: symmetric ? scratch.allocate(histogramBytes * 4) : 0,
      [layout.FEATURE_RANGES]: symmetric ? scratch.allocate(features * 4) : 0,
      ...kept[0],
    };
    // Views are made only now: the arena may have grown, and old views would end too early.
    this.#words = arena.i32(this.#block, layout.BYTES / 4);
    this.#numbers = arena.f64(this.#block, layout.BYTES / 8);
    this.#words.fill(0);
    for (let i = 0; i < helpers; i++) {
      const own = words[layout.PLACES] + i * place.bytes;
      arena.u8(own, layout.SCRATCH_BYTES).fill(0);
      arena.i32(own + layout.PLACE_JOB, 1)[0] = -1;
    }
    for (const [offset, value] of Object.entries(words)) this.#words[Number(offset) / 4] = value;
    this.#numbers[layout.L1 / 8] = settings.l1;
    this.#numbers[layout.L2 / 8] = settings.l2;
    this.#numbers[layout.MIN_HESSIAN / 8] = settings.minHessian;
    this.#numbers[layout.MIN_GAIN / 8] = settings.minGain;
    this.#numbers[layout.CAT_SMOOTH / 8] = settings.catSmooth;
    this.#numbers[layout.CAT_L2 / 8] = settings.catL2;
    this.#numbers[layout.MIN_GROUP / 8] = settings.minGroup;
    this.histograms = histograms;
    this.#places = places;
    const hasCategories = data.bins.some(({ kind }) => kind === "categorical");
    this.device = settings.device
      ? new TreeDevice(
          arena,
          settings.device,
          this.#words,
          rowCapacity,
          directRows + 1,
          symmetric,
          deviceList,
          growsThere(this.#words, this.#numbers, features, symmetric)
            ? new GrownThere(
                settings.device.lane,
                this.#words,
                this.#numbers,
                rowCapacity,
                hasCategories,
              )
            : null,
        )
      : null;
    this.#valueBins = arena.i32(this.#valueBinsPointer, features);
    this.#kept = kept.map((each) => ({ words: each, tree: treeViews(arena, each, leaves) }));
    this.#selected = this.#kept[0];
    this.#ownMemory = ownMemory;
    this.#slots = slots;
    this.#crewBlock = crew?.block ?? 0;
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

  /** A feature: the bin of its missing values. */
  get valueBins(): Int32Array {
    return this.#valueBins;
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

  /**
   * Rewrites the last tree to read the data's own features: a cut of a derived feature becomes the
   * set of bins that it sends left. Call it after `follow`; `missingBins` are the data's.
   */
  restoreSources(
    nodes: number,
    sources: readonly DerivedFeature[],
    missingBins: readonly number[],
  ): void {
    const { tree } = this;
    for (let node = 0; node < nodes; node++) {
      if (tree.feature[node] < 0) continue;
      const { feature, table } = sources[tree.feature[node]];
      tree.feature[node] = feature;
      if (table === null) continue;
      const set = this.setCount;
      const words = tree.sets.subarray(set * 8, set * 8 + 8).fill(0);
      for (let bin = 0; bin < 256; bin++) {
        if (table[bin] <= tree.splitBin[node]) words[bin >> 5] |= 1 << (bin & 31);
      }
      const missing = missingBins[feature];
      tree.isCategorical[node] = 1;
      tree.splitBin[node] = set;
      tree.missingLeft[node] = (words[missing >> 5] >>> (missing & 31)) & 1;
      this.#words[layout.OUT_SET_COUNT / 4] = set + 1;
    }
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
