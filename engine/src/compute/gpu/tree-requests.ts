/** What the fit's side and the device's side of growing trees say to each other: requests, with their values. */

/** [bins by rows, bytes of a row, rows of the data, most rows of a tree, 1 = the bins stay] */
export const BEGIN_FIT = 1;
/**
 * [packed, rows, their count, 1 = other rows than of the last tree, list of features, offsets, value bins,
 * features, entries, 1 = other features]
 */
export const BEGIN_TREE = 2;
/** [first row, rows] → the histogram. */
export const NODE_HISTOGRAM = 3;
/**
 * [first row, rows, feature, least rows of a child on the device, 1 = the smaller child's histogram, table of
 * 8 words] → ANSWER_HEAD, that histogram if it is wanted, and as many of the first and of the last rows as a
 * child that leaves the device can have.
 */
export const SPLIT_NODE = 4;
/** [first row, rows] → the rows. */
export const NODE_ROWS = 5;

/** Bytes before what else a split answers: rows that went left, the stamp. */
export const ANSWER_HEAD = 16;
/** Of the stamp's number. */
export const SPLIT_STAMP = 13;
