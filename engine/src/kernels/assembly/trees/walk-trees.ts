/** Walks single rows down compiled trees (see `compile-trees.ts`), four trees side by side. */

import {
  GROUP_COUNT,
  GROUPS,
  PLANE_BYTES,
  PLANE_COUNT,
  PLANES,
  ROOT,
  TREE_BYTES,
  TREES,
  WIDTH,
} from "./compiled-layout";

/**
 * One step from a record.
 *
 * @param cells the row's planes, 1 << shift bytes apart
 */
export function step(p: usize, cells: usize, shift: u32): usize {
  const word = load<u32>(p);
  const cell = <i32>load<i8>(cells + ((<usize>(word >>> 9)) << shift));
  if (word & 0x100) {
    const bin = <u32>(cell & 0xff) ^ 0x80;
    const inSet = (<u32>load<u8>(p + <usize>(bin >> 3), 8) >> (bin & 7)) & 1;
    return p + <usize>select<i32>(40, load<i32>(p, 4), inSet);
  }
  return p + <usize>select<i32>(load<i32>(p, 4), 8, cell > <i32>load<i8>(p));
}

/** The planes of one row, a byte each. */
function layRow(compiled: usize, row: usize, columnStride: usize, cells: usize): void {
  const planes = <usize>load<i32>(compiled, PLANES);
  const count = load<i32>(compiled, PLANE_COUNT);
  store<u8>(cells, 127);
  for (let plane: usize = 1; plane < <usize>count; plane++) {
    const described = planes + plane * PLANE_BYTES;
    let bin = <i32>load<u8>(row + <usize>load<i32>(described) * columnStride);
    const missing = load<i32>(described, 4);
    if (missing >= 0) bin = bin === missing ? 0 : bin + 1;
    store<u8>(cells + plane, <u8>(bin ^ 0x80));
  }
}

function leafOf(tree: usize, cells: usize): usize {
  let p = <usize>load<i32>(tree, ROOT);
  let next = step(p, cells, 0);
  while (next !== p) {
    p = next;
    next = step(p, cells, 0);
  }
  return p + 8;
}

/** Adds a leaf's values, which stand behind one another, to scores that do. */
function addValues(leaf: usize, width: usize, score: usize): void {
  for (let k: usize = 0; k < width; k++) {
    const at = score + (k << 3);
    store<f64>(at, load<f64>(at) + load<f64>(leaf + (k << 3)));
  }
}

/**
 * Adds each tree's value to the scores of one row.
 *
 * @param row where its bin of the first column lies
 * @param cells room for a byte a plane
 */
export function walkRow(
  compiled: usize,
  row: usize,
  columnStride: usize,
  scores: usize,
  cells: usize,
): void {
  layRow(compiled, row, columnStride, cells);
  const trees = <usize>load<i32>(compiled, TREES);
  const groups = <usize>load<i32>(compiled, GROUPS);
  const groupCount = <usize>load<i32>(compiled, GROUP_COUNT);
  const width = <usize>load<i32>(compiled, WIDTH);
  for (let group: usize = 0; group < groupCount; group++) {
    const score = scores + (group << 3);
    let tree = trees + <usize>load<i32>(groups + (group << 2)) * TREE_BYTES;
    const end = trees + <usize>load<i32>(groups + (group << 2), 4) * TREE_BYTES;
    let sum = load<f64>(score);
    for (; tree + 4 * TREE_BYTES <= end; tree += 4 * TREE_BYTES) {
      let p0 = <usize>load<i32>(tree, ROOT);
      let p1 = <usize>load<i32>(tree, ROOT + TREE_BYTES);
      let p2 = <usize>load<i32>(tree, ROOT + 2 * TREE_BYTES);
      let p3 = <usize>load<i32>(tree, ROOT + 3 * TREE_BYTES);
      let moved: usize = 1;
      while (moved !== 0) {
        const q0 = step(p0, cells, 0);
        const q1 = step(p1, cells, 0);
        const q2 = step(p2, cells, 0);
        const q3 = step(p3, cells, 0);
        moved = (q0 ^ p0) | (q1 ^ p1) | (q2 ^ p2) | (q3 ^ p3);
        p0 = q0;
        p1 = q1;
        p2 = q2;
        p3 = q3;
      }
      if (width === 1) {
        sum += load<f64>(p0, 8);
        sum += load<f64>(p1, 8);
        sum += load<f64>(p2, 8);
        sum += load<f64>(p3, 8);
        continue;
      }
      addValues(p0 + 8, width, score);
      addValues(p1 + 8, width, score);
      addValues(p2 + 8, width, score);
      addValues(p3 + 8, width, score);
    }
    if (width === 1) store<f64>(score, sum);
    for (; tree < end; tree += TREE_BYTES) addValues(leafOf(tree, cells), width, score);
  }
}
