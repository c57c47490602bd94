/**
 * Byte offsets in compiled trees (`compile-trees.ts`).
 *
 * This file is compiled twice: into the kernels, and into the engine (`trees/compiled-trees.ts`), which
 * allocates the parts. So it holds plain constants only.
 */

/** The head, i32 each. */
export const PLANES = 0;
export const PLANE_COUNT = 4;
export const TREES = 8;
/** i32 groups + 1: the first tree of each. */
export const GROUPS = 12;
export const GROUP_COUNT = 16;
/** Values a leaf holds. */
export const WIDTH = 20;
export const HEAD_BYTES = 32;

/** A plane: i32 feature, i32 the missing bin that comes before all others (-1: it comes last). */
export const PLANE_BYTES = 8;

/** A tree, i32 each. */
export const ROOT = 0;
export const PROGRAM = 4;
export const PROGRAM_END = 8;
/** f64 exits × width, where all exits are leaves. */
export const EXIT_VALUES = 12;
export const KIND = 16;
/** Of `SMALL`: four planes of 16 bytes; of `PARTIAL`: u32 an exit, the record where it goes on. */
export const EXIT_TABLE = 20;
export const TREE_BYTES = 24;

/** All exits are leaves. */
export const WHOLE = 0;
/** So they are, at most 16, of one value each that single precision holds. */
export const SMALL = 1;
/** Some exits are inner nodes. */
export const PARTIAL = 2;
export const SMALL_BYTES = 64;

/** Exits that are told apart side by side; of trees so large that few rows take each, fewer. */
export const MOST_EXITS = 256;
export const LARGE_LEAVES = 1024;
export const LARGE_EXITS = 64;

/** Rows that go side by side. */
export const TILE_ROWS = 128;
/** Masks of 255 nodes, after those that are all ones. */
export const MASK_BYTES = 32768;
