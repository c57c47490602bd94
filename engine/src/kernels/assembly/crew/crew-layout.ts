/**
 * Byte offsets of the block through which the threads of one fit share work, and the work there is.
 *
 * Compiled twice, as `layout.ts`: plain constants only.
 */

/**
 * u64: the number of the job in the high half, then how many units it has and the next one that
 * nobody has begun, 16 bits each. Exchanged whole, so that nobody begins a unit of one job by what
 * another said.
 */
export const CLAIM = 0;
/** Its high half (i32), which helpers wait on. */
export const JOB = 4;
/** i32: units that helpers have finished; a line of the cache apart, as are the others. */
export const DONE = 64;
/** i32: 1 where the leader waits for that number. */
export const LEADER_WAITS = 68;
/** i32: helpers that are there, and those of them that wait. */
export const PRESENT = 128;
export const SLEEPING = 132;
/** i32: so many jobs the leader does alone, since it has waited long for a helper. */
export const ALONE = 136;
/** i32, of the engine: the job at the last such waiting, and how many times as long as that the leader goes alone. */
export const WAITED_AT = 140;
export const TIMES_ALONE = 144;
/** i32: splits ahead (`ahead.ts`) that are offered and nobody has begun; those that helpers have made. */
export const OFFERS = 148;
export const AHEAD_DONE = 152;
/** u32: the grower whose splits they are; a null pointer between trees. */
export const AHEAD_GROWER = 156;
/**
 * u32, of a round's trees that are grown side by side: how many of them helpers may begin in the high half, and the next
 * that nobody has begun. i32: those that helpers have grown. u32: the block of `class-trees-layout.ts`. i32: helpers
 * that there is memory for.
 */
export const TREE_CLAIM = 160;
export const TREES_DONE = 164;
export const TREES = 168;
export const TREE_SEATS = 172;
/** i32, of the engine: all jobs that were to be done alone so far, and the millisecond at which work began to be shared. */
export const ALL_ALONE = 176;
export const SHARED_SINCE = 180;
/** u32: what there is to do, and the block of the grower that it is done with. */
export const TASK = 192;
export const GROWER = 196;
/** u32 each: what else a task is told; see `row-tasks.ts` and those of the grower. */
export const ARGUMENTS = 200;
export const ARGUMENT_COUNT = 14;
/** f64 each. */
export const NUMBERS = 256;
/** u32 a unit: what units of the grower tell. */
export const COUNTS = 320;
/** Units of one job of the grower at most: so many that none of them takes long. */
export const MOST_UNITS = 512;
export const BYTES = 320 + 4 * 512;

/** Jobs are numbered up to here, and then from 0 again. */
export const LAST_JOB = 0x3fffffff;

/**
 * Rows of a unit of the tasks on rows. Some sum numbers that rounding makes depend on their order: such
 * sums are over these blocks, whatever the number of threads, and then over the blocks in their order.
 */
export const BLOCK_ROWS = 8192;

// Tasks on rows.
export const SQUARED_GRADIENTS = 1;
export const PINBALL_GRADIENTS = 2;
export const LOGISTIC_GRADIENTS = 3;
export const SOFTMAX_GRADIENTS = 4;
export const SOFTMAX_SOFT_GRADIENTS = 5;
export const LOG_SUMS = 6;
export const QUANTISE = 7;
export const SQUARED_LOSS = 8;
export const PINBALL_LOSS = 9;
export const LOGISTIC_LOSS = 10;
export const SOFTMAX_LOSS = 11;
export const SOFTMAX_SOFT_LOSS = 12;
export const GRADIENT_SPREAD = 13;
export const DRAW_GRADIENTS = 14;
export const LAST_ROW_TASK = 14;

// Draws of rows.
export const DRAW_BAG = 15;
export const DRAW_BY_GRADIENT = 27;

// Tasks of the grower.
export const SUM_ROOT = 16;
export const PARTITION = 17;
export const GATHER = 18;
export const HISTOGRAM = 19;
export const SCAN = 20;
export const LEAF_SUMS = 21;
export const LEAF_COVERS = 22;
export const LEAF_SCORES = 23;
export const FOLLOW = 24;
export const MARKED_SUMS = 25;
export const MARKED_SCORES = 26;

/** Of a forest, for the length of its fit: its block is in GROWER, and no job is ever opened. */
export const GROW_TREES = 32;

// Arguments of the tasks on rows, by their number.
export const A_ROWS = 0;
export const A_COUNT = 1;
export const A_SCORES = 2;
export const A_TARGETS = 3;
export const A_WEIGHTS = 4;
export const A_GRADIENTS = 5;
export const A_LOG_SUMS = 6;
export const A_CLASSES = 7;
export const A_CHOSEN = 8;
/** Numbers from one class's scores to the next's. */
export const A_CLASS_STEP = 9;
export const A_PACKED = 10;
/** Two f64 a block or a draw's part: what the unit summed; of gradients that are drawn four. */
export const A_SUMS = 11;
// Of gradients that are drawn, into what is told as packed ones.
export const A_DRAW_THRESHOLD = 2;
export const A_DRAW_KEY_LOW = 3;
export const A_DRAW_KEY_HIGH = 6;
// Of a bag, which is drawn into memory for as many rows as there are, as is the rest.
export const A_THRESHOLD = 2;
export const A_KEY_LOW = 3;
export const A_KEY_HIGH = 4;
export const A_DRAWN = 5;
export const A_REST = 6;
// And where rows are drawn by gradients: these, and what rows of a level are drawn with.
export const A_PAIRS = 7;
export const A_PROBABILITIES = 8;
// And numbers.
export const N_LEVEL = 0;
export const N_GRADIENT_SCALE = 1;
export const N_HESSIAN_SCALE = 2;
// Of rows that are drawn by gradients.
export const N_CURVATURE = 0;
