/** What is said of adding up trees over rows: requests, with their values. See `sum-program.ts`. */

/**
 * [packed nodes, their number, leaf values (f64), their number, category sets, their u32, first nodes of trees
 * and their end, outputs of trees, trees, values a leaf, starts of sums (f64), outputs]
 */
export const BEGIN_SUMS = 16;
/** [bins by columns, bytes of a column, columns, rows listed or 0, their number] */
export const BEGIN_ROWS = 17;
/** [first of the rows, rows, stamp] → SUMS_HEAD bytes: rows done, stamp; then f64, rows × outputs. */
export const SUM_ROWS = 18;
export const SUM_REQUESTS_END = 20;

export const SUMS_HEAD = 16;
/** Rows of a request at most: as many threads as a dispatch of one dimension has. */
export const MOST_ROWS = 2 ** 23;
