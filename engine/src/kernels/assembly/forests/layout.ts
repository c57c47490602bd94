/**
 * The block of a tree that a forest grows: byte offsets of u32/i32 fields, pointers among them. A forest has
 * several, in which as many trees grow at once. Also read by `trees/forest/tree-slots.ts`, which fills it.
 */

// The data.
export const COLUMN_MAJOR = 0;
export const COLUMN_STRIDE = 4;
/** i32 a feature: the bin of that number holds missing values. */
export const VALUE_BINS = 8;
/** u8 a feature: 1 = categorical. */
export const KINDS = 12;
export const FEATURES = 16;

// The rows of the tree, both reordered while it grows so that every node owns a range.
/** u32 each. */
export const ROWS = 20;
/** 0: they have not been drawn. */
export const ROW_COUNT = 24;
/** 16 bytes a row, in the order of ROWS: see `node.ts`. */
export const STATS = 28;
export const ROWS_SCRATCH = 32;
export const STATS_SCRATCH = 36;

// Working memory.
/** 256 × WIDTH f64, all zero between uses. */
export const HISTOGRAM = 40;
/** u32 a bin, all zero between uses. */
export const COUNTS = 44;
/** 8 KiB for split search. */
export const SCRATCH = 48;
/** i32 a feature: a permutation, reshuffled from its front at each node. */
export const PERMUTATION = 52;
export const NODES = 56;
/** i32 a leaf: nodes that may still be split. */
export const OPEN = 60;
/** 3 × WIDTH f64: sums of the sides of a cut. */
export const SIDES = 64;
/** u8 a row. */
export const GATHERED = 148;

// How it grows.
/** 0: rows carry a weight and a weighted target; else the number of classes. */
export const CLASSES = 68;
/** f64 a histogram entry: 2, or the classes rounded up to an even number. */
export const WIDTH = 72;
/** Features tried at a node. */
export const NODE_FEATURES = 76;
export const MAX_LEAVES = 80;
/** 0 = no limit. */
export const MAX_DEPTH = 84;
/** Distinct rows in a leaf. */
export const MIN_LEAF = 88;
/** 1: nodes are split in the order of their gain; 0: depth first. */
export const BEST_FIRST = 92;
/** 1: one random cut a feature (extra trees). */
export const RANDOM_CUTS = 96;
export const KEY_LOW = 100;
export const KEY_HIGH = 104;

// The grown tree: one entry a node.
export const OUT_FEATURE = 108;
export const OUT_SPLIT = 112;
export const OUT_CATEGORICAL = 116;
export const OUT_MISSING_LEFT = 120;
export const OUT_LEFT = 124;
export const OUT_RIGHT = 128;
/** f64: the fall of (weight × impurity), in quantised units. */
export const OUT_GAIN = 132;
/** WIDTH f64: the sums of the node's rows. */
export const OUT_SUMS = 136;
/** 8 u32 a categorical node, in the order of splitting. */
export const OUT_SETS = 140;
export const OUT_SET_COUNT = 144;

/** f64: a split must gain more than this, in quantised units; negative: any split will do. */
export const MIN_GAIN = 152;

// What the tree learns from, the same for all trees of the forest: entries of rows, in their order.
/** u32 each. */
export const SOURCE_ROWS = 160;
/** 16 bytes each. */
export const SOURCE_STATS = 164;
export const SOURCE_COUNT = 168;
/** u32: where the entries of each row begin, and at the end their number; 0 = one a row. */
export const STARTS = 172;
export const DISTINCT_ROWS = 176;
/** Rows that the bag draws. */
export const DRAWS = 180;
export const WITH_REPLACEMENT = 184;
export const BAG_KEY_LOW = 188;
export const BAG_KEY_HIGH = 192;
/** u32 an entry: how often it was drawn. Memory that the tree uses for other things once its bag is full. */
export const TIMES = 196;

// How far it is: a tree may be left and gone on with, by whichever thread.
/** See below; exchanged whole. */
export const STATE = 200;
export const NODE_COUNT = 204;
export const LEAF_COUNT = 208;
export const OPEN_COUNT = 212;
/** Random words drawn, and the last of them where it has not been used. */
export const WORDS_DRAWN = 216;
export const SPARE_WORD = 220;

// What becomes of sums.
/** λ of hierarchical shrinkage, f64. */
export const SHRINKAGE = 224;
/** f64: units in 1 of weight, of weight × target, and of gain; what targets are counted from. */
export const WEIGHT_SCALE = 232;
export const PRODUCT_SCALE = 240;
export const GAIN_SCALE = 248;
export const CENTER = 256;
/** Of a grown tree, in the units of the data: f64 × outputs a node, and f64 a node. */
export const OUT_VALUES = 264;
export const OUT_COVER = 268;

/** i32: of the forest's trees, in their order. */
export const NUMBER = 272;

/** i32: cells that a thread looks at before it looks up. */
export const LOOK_CELLS = 276;

/** f64 each: n ln n of the whole numbers n below TABLED; 0: classes are told apart by the Gini index, not by entropy. */
export const MASS_LOGS = 280;
export const TABLED = 4096;

export const BYTES = 288;

// States of a tree.
/** There is none, or its nodes have been read. */
export const EMPTY = 0;
/** Nobody works on it. */
export const WAITING = 1;
/** Some thread works on it. */
export const HELD = 2;
export const GROWN = 3;

/**
 * The block of all trees of a forest: how many may grow at once (i32), their blocks (u32 each), and the one
 * that each helper holds, -1 for none (i32 each).
 */
export const TREES = 0;
export const TREE_BLOCKS = 4;
export const MOST_TREES = 31;
export const HELD_BY = 128;
export const FOREST_BYTES = 192;

/** Bytes of a node's working record; see `node.ts`. */
export const NODE_BYTES = 80;
