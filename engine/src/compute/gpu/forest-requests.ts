/** What is said of growing forests: requests, with their values. See `forest-program.ts`. */

/**
 * [bins by columns, bytes of a column, columns, their missing bins (i32), 1 = categories (u8), sums of a bin, 1 = of
 * classes, trees side by side, entries of rows of a tree at most, features of a node, leaves at most, depth at most,
 * rows of a leaf at least, 1 = by gain, 1 = random cuts, least gain (f64, two words), 1 = the bins stay] → how many
 * trees there is room for (u32).
 */
export const BEGIN_FOREST = 32;
/** [tree, its rows, their statistics (16 bytes each), their number, low and high word of its key] */
export const FOREST_TREE = 33;
/** [trees, cells that each may look at, stamp] → the heads of all. */
export const GROW_FOREST = 34;
/** [tree, its nodes] → its head, its nodes, their sums. */
export const READ_TREE = 35;
export const FOREST_REQUESTS_END = 40;
