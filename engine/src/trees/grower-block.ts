/**
 * The block of words by which kernels grow the trees of one fit (`layout.ts`), and the memory that the words point
 * to, allocated once.
 */

import type { Pointer } from "../compute/arena.ts";
import { LIST_BYTES } from "../compute/gpu/tree-requests.ts";
import type { Scratch } from "../compute/scratch.ts";
import { type BinnedData, rowMajorOf } from "../data/encoded.ts";
import { MOST_UNITS } from "../kernels/assembly/crew/crew-layout.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";
import { allocateTree, type TreePlace, treeViews } from "./grown-tree.ts";
import type { Growth, GrowthSettings } from "./growth-settings.ts";
import { HistogramLayout, type HistogramPlaces } from "./histogram-layout.ts";
import { blockBytesOf, blockRowsOf, histogramBytesOf, placeOf } from "./working-memory.ts";

const GROWTH_CODE: Readonly<Record<Growth, number>> = {
  leafwise: layout.GROW_LEAF_WISE,
  depthwise: layout.GROW_DEPTH_WISE,
  symmetric: layout.GROW_DEPTH_WISE,
};

/** What of a grower's memory each thread needs that grows trees of its own, by the words of `layout.ts`. */
export type OwnMemory = Readonly<Record<number, number>>;

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

export interface GrowerBlock {
  readonly block: Pointer;
  /** Views of the block. */
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  /** How its trees' histograms are laid out. */
  readonly histograms: HistogramLayout;
  readonly places: HistogramPlaces;
  /** A feature: the bin of its missing values. */
  readonly valueBins: Int32Array;
  /** Where trees are kept. */
  readonly trees: readonly TreePlace[];
  readonly ownMemory: OwnMemory;
  /** Histograms that are kept at once. */
  readonly slots: number;
  /** Nodes of so many rows or fewer do without a histogram of all features. */
  readonly directRows: number;
  /** Where lists of rows lie that a device is given. */
  readonly deviceList: Pointer;
}

/**
 * @param rowCapacity most rows that a tree learns from
 * @param followerCapacity most rows that follow a tree
 */
export function allocateGrower(
  scratch: Scratch,
  data: BinnedData,
  rowCapacity: number,
  followerCapacity: number,
  settings: GrowthSettings,
): GrowerBlock {
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

  const block = scratch.allocate(layout.BYTES);
  const histograms = new HistogramLayout(data, bundled !== null);
  const places = histograms.allocate(scratch);
  const usualBins = data.bundled ? scratch.i32(data.bundled.usualBins) : 0;
  const valueBins = scratch.i32(data.bins.map((bins) => bins.valueBins));
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
    [layout.VALUE_BINS]: valueBins,
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
  const blockWords = arena.i32(block, layout.BYTES / 4);
  const numbers = arena.f64(block, layout.BYTES / 8);
  blockWords.fill(0);
  for (let i = 0; i < helpers; i++) {
    const own = words[layout.PLACES] + i * place.bytes;
    arena.u8(own, layout.SCRATCH_BYTES).fill(0);
    arena.i32(own + layout.PLACE_JOB, 1)[0] = -1;
  }
  for (const [offset, value] of Object.entries(words)) blockWords[Number(offset) / 4] = value;
  numbers[layout.L1 / 8] = settings.l1;
  numbers[layout.L2 / 8] = settings.l2;
  numbers[layout.MIN_HESSIAN / 8] = settings.minHessian;
  numbers[layout.MIN_GAIN / 8] = settings.minGain;
  numbers[layout.CAT_SMOOTH / 8] = settings.catSmooth;
  numbers[layout.CAT_L2 / 8] = settings.catL2;
  numbers[layout.MIN_GROUP / 8] = settings.minGroup;
  return {
    block,
    words: blockWords,
    numbers,
    histograms,
    places,
    valueBins: arena.i32(valueBins, features),
    trees: kept.map((each) => ({ words: each, tree: treeViews(arena, each, leaves) })),
    ownMemory,
    slots,
    directRows,
    deviceList,
  };
}
