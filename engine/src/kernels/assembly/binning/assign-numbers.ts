/** Numbers → bins, as `data/binning/assign-bins.ts` has them: how many edges lie below each. */

import { EDGES, EDGES_BELOW, FIRST_EDGE, GRID_CELLS, GRID_SCALE } from "./layout";

/** The cell of missing values, of which many a column has plenty, as of those that no edge is below: 0. */
const MISSING: i32 = GRID_CELLS + 2;

/**
 * The cells of two values, of which one is 0 or more where it is above the least edge.
 *
 * @inline
 */
function cellsOf(values: v128, least: v128, first: v128, scale: v128): v128 {
  const place = i32x4.trunc_sat_f64x2_s_zero(f64x2.mul(f64x2.sub(values, first), scale));
  const inside = i32x4.min_s(i32x4.max_s(place, i32x4.splat(0)), i32x4.splat(GRID_CELLS - 1));
  const above = f64x2.gt(values, least);
  const absent = f64x2.ne(values, values);
  const cell = v128.and(
    i32x4.add(inside, i32x4.splat(1)),
    v128.shuffle<i32>(above, above, 0, 2, 0, 2),
  );
  return v128.bitselect(i32x4.splat(MISSING), cell, v128.shuffle<i32>(absent, absent, 0, 2, 0, 2));
}

/**
 * Makes a grid over edges, which bounds how many lie below a value before they are compared with it. It only
 * narrows that, so rounding in it cannot change a bin.
 *
 * @param grid with `count` ascending edges in their place
 */
export function gridEdges(grid: usize, count: i32): void {
  const edges = grid + EDGES;
  store<f64>(edges + (usize(count) << 3), Infinity);
  const below = grid + EDGES_BELOW;
  memory.fill(below, 0, GRID_CELLS + 4);
  // Edges of few values far off share the outer cells.
  const outer = usize(count >> 5);
  const first = count > 0 ? load<f64>(edges + (outer << 3)) : 0;
  const last = count > 0 ? load<f64>(edges + ((usize(count) - 1 - outer) << 3)) : 0;
  let scale = f64(GRID_CELLS) / (last - first);
  // Of one edge, or of edges without a finite range: all are in the first cell.
  if (!(scale > 0 && scale < Infinity && first > -Infinity)) scale = 0;
  store<f64>(grid, first, FIRST_EDGE);
  store<f64>(grid, scale, GRID_SCALE);
  for (let edge: usize = 0; edge < usize(count); edge++) {
    const value = f64x2.splat(load<f64>(edges + (edge << 3)));
    // Above what is less than all: the least edge is in the first cell of the grid, too.
    const cells = cellsOf(value, f64x2.splat(-Infinity), f64x2.splat(first), f64x2.splat(scale));
    const at = below + usize(i32x4.extract_lane(cells, 0)) + 1;
    store<u8>(at, load<u8>(at) + 1);
  }
  let sum: u8 = 0;
  for (let cell: usize = 1; cell < usize(MISSING); cell++) {
    sum += load<u8>(below + cell);
    store<u8>(below + cell, sum);
  }
  store<u8>(below + MISSING, u8(count + 1));
  store<u8>(below + MISSING, u8(count + 1), 1);
}

/** How many edges from `low` on, of those before `high`, lie below a value. */
function searched(edges: usize, low: i32, high: i32, value: f64): i32 {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<f64>(edges + (usize(middle) << 3)) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The bin of a value of a cell. No branch for the one edge of a cell, since nobody can foresee it.
 *
 * @inline
 */
function binOf(value: f64, cell: i32, below: usize, edges: usize): i32 {
  const at = below + usize(cell);
  const low = i32(load<u8>(at));
  const high = i32(load<u8>(at, 1));
  return high - low < 2
    ? low + i32(load<f64>(edges + (usize(low) << 3)) < value)
    : searched(edges, low, high, value);
}

/**
 * @param values f64 × count; NaN goes to the bin behind those of the edges
 * @param grid as `gridEdges` made it
 * @param out u8 × count
 */
export function assignNumbers(values: usize, count: i32, grid: usize, out: usize): void {
  const edges = grid + EDGES;
  const below = grid + EDGES_BELOW;
  const first = v128.load64_splat(grid, FIRST_EDGE);
  const scale = v128.load64_splat(grid, GRID_SCALE);
  const least = v128.load64_splat(edges);
  const even = usize(count & ~1);
  for (let i: usize = 0; i < even; i += 2) {
    const pair = v128.load(values + (i << 3));
    const cells = cellsOf(pair, least, first, scale);
    const one = f64x2.extract_lane(pair, 0);
    const other = f64x2.extract_lane(pair, 1);
    const bin = binOf(one, i32x4.extract_lane(cells, 0), below, edges);
    const next = binOf(other, i32x4.extract_lane(cells, 1), below, edges);
    store<u8>(out + i, u8(bin));
    store<u8>(out + i, u8(next), 1);
  }
  if ((count & 1) === 0) return;
  const last = load<f64>(values + (even << 3));
  const cells = cellsOf(f64x2.splat(last), least, first, scale);
  const bin = binOf(last, i32x4.extract_lane(cells, 0), below, edges);
  store<u8>(out + even, u8(bin));
}
