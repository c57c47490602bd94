/**
 * Words of the record of a node of a tree that a device grows as a whole: `shaders/growth/form.ts` writes them.
 *
 * This file is compiled twice, as `layout.ts` is.
 */

/** u32 of a node. */
export const RECORD_WORDS = 32;
/** Of them: its rows, the record of its left child, behind which is the right one's; 0 = it has none. */
export const RECORD_COUNT = 1;
export const RECORD_LEFT = 4;
/** The sums of its rows, hessian before gradient. */
export const RECORD_SUM = 8;
/** Of its best split: score and gain (f64), the data's feature or NO_SPLIT, bin, 1 = missing values go left, the left side's sums. */
export const RECORD_SCORE = 10;
export const RECORD_GAIN = 12;
export const RECORD_FEATURE = 14;
export const RECORD_BIN = 15;
export const RECORD_MISSING_LEFT = 16;
/** 1: it is a set of bins, 8 words. */
export const RECORD_CATEGORICAL = 17;
export const RECORD_LEFT_SUM = 18;
/** Rows that went left, where it has children. */
export const RECORD_LEFT_COUNT = 20;
export const RECORD_SET = 24;
