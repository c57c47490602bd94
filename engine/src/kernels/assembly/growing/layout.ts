/**
 * Byte offsets of the block through which a tree grower is configured.
 *
 * This file is compiled twice: into the kernels, which read the block, and into the engine
 * (`trees/grower.ts`), which writes it. So it holds plain constants only.
 */

// Where the data lies.
export const ROW_MAJOR = 0;
export const ROW_STRIDE = 4;
export const COLUMN_MAJOR = 8;
export const COLUMN_STRIDE = 12;
/** u32 a feature: its first entry within a histogram. Meaningful for listed features only. */
export const OFFSETS = 16;
/** i32 a feature: its value bins; the bin of that number holds missing values. */
export const VALUE_BINS = 20;
/** u8 a feature: 1 = categorical. */
export const KINDS = 24;
/** i8 a feature: +1, -1 or 0; a null pointer where no feature is constrained. */
export const MONOTONE = 28;

// What this tree is grown from.
/** i32 each, ascending. */
export const FEATURE_LIST = 32;
export const FEATURE_COUNT = 36;
/** u32 each: a copy of SOURCE_ROWS that is partitioned, so that every node owns a range of it. */
export const ROWS = 40;
export const ROW_COUNT = 44;
/** As many u32 as rows, or as followers if those are more. */
export const ROWS_SCRATCH = 48;
/** i64 a row of the data: quantised gradient in the high 32 bits, hessian in the low. */
export const PACKED = 52;

// Working memory.
export const HISTOGRAMS = 56;
export const HISTOGRAM_SLOTS = 60;
/** Entries (i64) of one histogram for this tree. */
export const HISTOGRAM_ENTRIES = 64;
/** Bytes from one histogram to the next. */
export const HISTOGRAM_STRIDE = 68;
export const NODES = 72;
export const BLOCK = 76;
export const BLOCK_ROWS = 80;
/** 9216 bytes: split search over categories, the partition table, single histograms, gathered gradients. */
export const SCRATCH = 84;
/** i32 a leaf: nodes that may still be split. */
export const OPEN = 88;
/** i32 a slot: histograms not in use. */
export const FREE_SLOTS = 92;

// How it grows.
export const MAX_LEAVES = 96;
export const MAX_DEPTH = 100;
export const GROWTH = 104;
export const RANDOM_THRESHOLDS = 108;
export const KEY_LOW = 116;
export const KEY_HIGH = 120;
export const MIN_DATA = 124;
export const MAX_CATEGORIES = 128;
export const ONE_VS_REST = 132;

// The grown tree: one entry a node.
export const OUT_FEATURE = 144;
export const OUT_SPLIT = 148;
export const OUT_CATEGORICAL = 152;
export const OUT_MISSING_LEFT = 156;
export const OUT_LEFT = 160;
export const OUT_RIGHT = 164;
export const OUT_VALUE = 168;
export const OUT_COVER = 172;
export const OUT_GAIN = 176;
/** 8 u32 a categorical node, in the order of splitting. */
export const OUT_SETS = 180;
export const OUT_SET_COUNT = 184;
/** The rows of a node: a range of ROWS. */
export const OUT_START = 188;
export const OUT_COUNT = 192;

/** u32 each, ascending: the rows to learn from. */
export const SOURCE_ROWS = 112;
/** Room for the u32 rows that only follow the splits. */
export const FOLLOWERS = 136;
/** Nodes of so many rows or fewer, at most 64, are searched without a histogram in the pool. */
export const DIRECT_ROWS = 204;

/** Nodes of so many rows or more lie on a device (`device.ts`); 0: none do. */
export const DEVICE_ROWS = 196;

// Numbers (f64).
/** Quantised units in one unit of gradient, and of hessian. */
export const GRADIENT_SCALE = 208;
export const HESSIAN_SCALE = 216;
export const L1 = 224;
export const L2 = 232;
export const MIN_HESSIAN = 240;
export const MIN_GAIN = 248;
export const CAT_SMOOTH = 256;
export const CAT_L2 = 264;
export const MIN_GROUP = 272;
/** Variance of a gradient a unit of hessian that splits of sorted categories answer for; 0 = none. */
export const CAT_NOISE = 280;

// Threads that share the work.
/** The block of `crew-layout.ts`; a null pointer where the tree has one thread. */
export const CREW = 288;
/**
 * Working memory of helpers, PLACE_BYTES each: SCRATCH, the number of the job whose rows are in the
 * histogram (i32, at PLACE_JOB), ranges as RANGES, a BLOCK, a histogram.
 */
export const PLACES = 292;
export const PLACE_COUNT = 296;
export const PLACE_BYTES = 300;
/** Offsets within a place. */
export const PLACE_BLOCK = 304;
export const PLACE_HISTOGRAM = 308;
/** Cells (rows × features) of the least unit of work. */
export const UNIT_CELLS = 312;
/** A node for each of two nodes and each unit of a shared search for splits. */
export const CANDIDATES = 316;
/** Two i64 a node: sums of a leaf's gradients. By marks: of 256 leaves, then the leaf's value (f64). */
export const LEAF_SUMS = 320;
/** i32 a leaf: the leaves by their rows' places. */
export const LEAF_ORDER = 324;
/** u8 a row of the data: its leaf; a null pointer where trees may have more than 256. */
export const LEAF_MARKS = 344;
/** Two u32 a node: the range of followers that reached it. */
export const RANGES = 140;
/** AHEAD_COUNT splits that are made ahead of their turn, AHEAD_BYTES each (`ahead.ts`); none: nobody makes any. */
export const AHEAD = 200;
export const AHEAD_COUNT = 364;

// Of symmetric trees.
/** Two f64 an entry of a histogram, twice. */
export const LEVEL_SCORES = 328;
/** Four u8 a feature. */
export const FEATURE_RANGES = 332;
/** Deviation of the noise on scores (f64), in their units. */
export const SCORE_NOISE = 336;

// Of a tree whose gradients lie on a device alone.
/** The sum of the root's packed gradients (i64). */
export const ROOT_SUM = 352;
/** 1: they do. Rows that come home bring theirs to PACKED. */
export const GRADIENTS_AWAY = 360;

// Of features that share columns (`data/binning/bundled-bins.ts`).
/** u8 a column, BUNDLED_STRIDE bytes a row; a null pointer where no features do. */
export const BUNDLED_ROWS = 368;
export const BUNDLED_STRIDE = 372;
/** i32 each, ascending: the columns of the listed features. */
export const COLUMN_LIST = 376;
export const COLUMN_COUNT = 380;
/** u32 a column: the first entry of its first feature within a histogram. */
export const COLUMN_OFFSETS = 384;
/** i32 a feature: the bin whose entry is what a node's sum has beside its others; -1: all have been added up. */
export const USUAL_BINS = 388;

/** 1: a device has grown the tree (`grown-there.ts`). */
export const GROWN_THERE = 392;

export const BYTES = 400;

export const GROW_LEAF_WISE = 0;
export const GROW_DEPTH_WISE = 1;

/** Offset of the partition table within SCRATCH. */
export const TABLE = 4096;
/**
 * Behind it, of nodes that are searched directly (`direct.ts`): one feature's histogram, clear between uses, the bits of
 * its occupied bins, and i64 each for the node's rows.
 */
export const SPARSE_HISTOGRAM = 6400;
export const OCCUPIED = 8448;
export const GATHERED = 8704;

/** Of SCRATCH, and within a place. */
export const SCRATCH_BYTES = 9216;
export const PLACE_JOB = 9216;
export const PLACE_RANGES = 9232;

/** Bytes of a node's working record; see `nodes.ts`. */
export const NODE_BYTES = 112;
/** Bytes of a split that is made ahead of its turn: 24, and two nodes. */
export const AHEAD_BYTES = 256;
