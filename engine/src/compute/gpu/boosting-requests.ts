/** What is said of rounds of boosting whose rows stay on the device: requests, with their values. */

/**
 * [targets (f64), their number, weights (f64) or 0, rows that are learned from, their number, scores (f64), outputs,
 * loss by LOSSES, classes, rows that are checked, their number, leaves of a tree at most, 1 = gradients are drawn]; after
 * BEGIN_FIT.
 */
export const BEGIN_BOOSTING = 6;
/**
 * [output, 1 = Σg²/w as well, stamp, 1 = the first of a round, threshold, low and high word of the key, the same
 * three of gradients that are drawn] → rows drawn
 * for the round's bag, stamp, two unused; BLOCK_SUM_WORDS of each block of rows (`gradients.ts`); where gradients are drawn
 * DRAWN_SUM_WORDS of each block (`drawn-gradients.ts`); CHECKED_WORDS of each
 * checked row (`gather.ts`). A bag is drawn with the first of a round; nothing is with a threshold of 0.
 */
export const GRADIENTS = 7;
/**
 * [records of nodes, nodes, category sets, their u32, leaves, scales of the sums (two f64), output, 1 = of the rows in
 * the bag] → LEAF_WORDS a leaf, padded to 16 bytes all together; CHECKED_WORDS of each checked row.
 */
export const LEAF_SUMS = 8;
/** [values of the leaves (f64), leaves, output]: added to the scores with the next work. */
export const ADD_LEAVES = 9;

/** Bytes that an answer to GRADIENTS begins with. */
export const DRAWN_BYTES = 16;

/** The losses whose gradients a device computes, as they are numbered. */
export const LOSSES = ["squared", "logistic", "softmax", "softmax_soft"] as const;
export type HeldLoss = (typeof LOSSES)[number];

/** Bytes of leaves' sums in an answer. */
export const leafSumBytes = (leaves: number): number => Math.ceil((20 * leaves) / 16) * 16;
