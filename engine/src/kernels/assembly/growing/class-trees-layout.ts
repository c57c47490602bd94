/**
 * Byte offsets of the blocks through which the trees of a round's classes are grown side by side (`class-trees.ts`).
 *
 * Compiled twice, as `layout.ts`: plain constants only.
 */

// Of the fit, and of a round: u32 each, where nothing else is said.
/** What computes gradients (`crew-layout.ts`). */
export const GRADIENT_TASK = 0;
/** The rows that gradients are of. */
export const TRAIN_ROWS = 4;
export const TRAIN_COUNT = 8;
export const SCORES = 12;
/** Rows of the data: numbers from one class's scores to the next's. */
export const CLASS_STEP = 16;
export const TARGETS = 20;
export const WEIGHTS = 24;
export const LOG_SUMS = 28;
export const CLASSES = 32;
/** The rows that trees are grown from, and those that follow. */
export const LEARNED_ROWS = 36;
export const LEARNED_COUNT = 40;
export const FOLLOWER_ROWS = 44;
export const FOLLOWER_COUNT = 48;
/** SEAT_BYTES a helper. */
export const SEATS = 52;
export const SEAT_BYTES = 56;
/** UNIT_BYTES a class. */
export const UNITS = 60;
/** f64: as of parameters; 0: no noise is asked for. */
export const CAT_NOISE = 64;
export const LEARNING_RATE = 72;
export const BYTES = 80;

// Of a helper: the block of its grower (`layout.ts`), then u32 each.
export const SEAT_GRADIENTS = 400;
/** Two f64: of a block of rows. */
export const SEAT_SUMS = 404;
export const SEAT_HEAD_BYTES = 416;

// Of a class. What was grown: nodes and sets of categories.
export const UNIT_NODES = 0;
export const UNIT_SETS = 4;
export const UNIT_KEY_LOW = 8;
export const UNIT_KEY_HIGH = 12;
/** As the grower's: features, their number, the places of their histograms, and entries of all. */
export const UNIT_FEATURE_LIST = 16;
export const UNIT_FEATURE_COUNT = 20;
export const UNIT_OFFSETS = 24;
export const UNIT_ENTRIES = 28;
/** The words from OUT_FEATURE to OUT_COUNT. */
export const UNIT_OUT = 32;
/** As the grower's COLUMN_LIST, COLUMN_COUNT and COLUMN_OFFSETS. */
export const UNIT_COLUMN_LIST = 84;
export const UNIT_COLUMN_COUNT = 88;
export const UNIT_COLUMN_OFFSETS = 92;
export const UNIT_BYTES = 96;
