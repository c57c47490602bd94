/**
 * The parameter block of the forest kernels: byte offsets of u32/i32 fields, pointers among them.
 * Also read by `trees/forest/tree-grower.ts`, which fills it.
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
export const ROW_COUNT = 24;
/** 16 bytes a row, in the order of ROWS: see `forest-node.ts`. */
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

export const BYTES = 160;

/** Bytes of a node's working record; see `forest-node.ts`. */
export const NODE_BYTES = 80;
