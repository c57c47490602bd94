/**
 * What the binning kernels work in. Also read by `data/binning/column-binner.ts`, which allocates it: the fixed
 * part, and the bytes of each value behind it.
 */

/** Cells of equal width that values are dealt on, at most: their ends stay in the first cache. */
export const CELLS = 8192;
/** Deals within a cell of a deal, before values are compared instead. */
export const LEVELS = 4;
/** i32 a cell, and one for missing values. */
export const ENDS_BYTES = 4 * (CELLS + 4);
/** u8 a cell. */
export const SORTED = LEVELS * ENDS_BYTES;
/** Dealt values, room for a second deal, and the cell (u16) of each. */
export const VALUES = SORTED + CELLS;
export const BYTES_A_VALUE = 18;

// How values are looked up among edges: f64 twice, then the edges, and u8 a cell and one more.
export const FIRST_EDGE = 0;
export const GRID_SCALE = 8;
/** f64 each, and one that no value is above. */
export const EDGES = 16;
export const EDGES_BELOW = EDGES + 8 * 256;
export const GRID_CELLS = 4096;
export const GRID_BYTES = EDGES_BELOW + GRID_CELLS + 16;
