/**
 * Runs rows of binned data down compiled trees (see `compile-trees.ts`), many side by side.
 *
 * A row leaves a tree by the last exit that no node keeps it from, and a node keeps a row that it sends
 * left from all exits on its right. So a tile of rows takes every node of a program in turn: the mask of
 * the rows that go right there, and at all nodes above that have it on their right, lets the first exit
 * right of it through, and the largest that got through is a row's own. There are no branches, and
 * 16 rows take one instruction. Nodes are visited whether rows reach them or not, so few rows, and what
 * lies below the upper nodes of large trees, are walked instead.
 */

import {
  EXIT_TABLE,
  EXIT_VALUES,
  GROUP_COUNT,
  GROUPS,
  KIND,
  MASK_BYTES,
  PARTIAL,
  PLANE_COUNT,
  PROGRAM,
  PROGRAM_END,
  SMALL,
  TILE_ROWS,
  TREE_BYTES,
  TREES,
  WIDTH,
} from "./compiled-layout";
import { addSmall, addValues, addWhole } from "./exit-values";
import { COLUMN_SHIFT, layTile, sweep16, sweep64, sweep128 } from "./tile-exits";
import { step, walkRow } from "./walk-trees";

/** Fewer rows are walked one by one. */
const SWEPT_ROWS = 6;

/** Walks on from the exits, four rows side by side. */
function addPartial(
  table: usize,
  width: usize,
  tile: usize,
  exits: usize,
  count: usize,
  scores: usize,
): void {
  const size = width << 3;
  for (let i: usize = 0; i < count; i += 4) {
    let p0 = load<usize>(table + ((<usize>load<u8>(exits + i)) << 2));
    let p1 = load<usize>(table + ((<usize>load<u8>(exits + i, 1)) << 2));
    let p2 = load<usize>(table + ((<usize>load<u8>(exits + i, 2)) << 2));
    let p3 = load<usize>(table + ((<usize>load<u8>(exits + i, 3)) << 2));
    let moved: usize = 1;
    while (moved !== 0) {
      const q0 = step(p0, tile + i, COLUMN_SHIFT);
      const q1 = step(p1, tile + i + 1, COLUMN_SHIFT);
      const q2 = step(p2, tile + i + 2, COLUMN_SHIFT);
      const q3 = step(p3, tile + i + 3, COLUMN_SHIFT);
      moved = (q0 ^ p0) | (q1 ^ p1) | (q2 ^ p2) | (q3 ^ p3);
      p0 = q0;
      p1 = q1;
      p2 = q2;
      p3 = q3;
    }
    const score = scores + i * size;
    addValues(p0 + 8, width, score);
    addValues(p1 + 8, width, score + size);
    addValues(p2 + 8, width, score + 2 * size);
    addValues(p3 + 8, width, score + 3 * size);
  }
}

function sweepRows(
  count: usize,
  program: usize,
  end: usize,
  tile: usize,
  masks: usize,
  exits: usize,
): void {
  if (count === 16) sweep16(program, end, tile, masks, exits);
  else if (count === 64) sweep64(program, end, tile, masks, exits);
  else sweep128(program, end, tile, masks, exits);
}

/** Adds the values of a group's trees to the scores of a tile: f64 rows × width. */
function sweepGroup(
  tree: usize,
  end: usize,
  width: usize,
  tile: usize,
  masks: usize,
  exits: usize,
  rows: i32,
  scores: usize,
): void {
  const count: usize = rows <= 16 ? 16 : rows <= 64 ? 64 : TILE_ROWS;
  for (; tree < end; tree += TREE_BYTES) {
    const program = <usize>load<i32>(tree, PROGRAM);
    const programEnd = <usize>load<i32>(tree, PROGRAM_END);
    sweepRows(count, program, programEnd, tile, masks, exits);
    const kind = load<i32>(tree, KIND);
    const table = <usize>load<i32>(tree, EXIT_TABLE);
    if (kind === SMALL) {
      const next = tree + TREE_BYTES;
      if (next < end && load<i32>(next, KIND) === SMALL) {
        const nextProgram = <usize>load<i32>(next, PROGRAM);
        const nextEnd = <usize>load<i32>(next, PROGRAM_END);
        const nextExits = exits + <usize>TILE_ROWS;
        sweepRows(count, nextProgram, nextEnd, tile, masks, nextExits);
        const nextTable = <usize>load<i32>(next, EXIT_TABLE);
        for (let i: usize = 0; i < count; i += 16) {
          addSmall(table, exits + i, nextTable, nextExits + i, scores + (i << 3));
        }
        tree = next;
      } else {
        addWhole(<usize>load<i32>(tree, EXIT_VALUES), width, exits, count, scores);
      }
    } else if (kind === PARTIAL) {
      addPartial(table, width, tile, exits, count, scores);
    } else {
      addWhole(<usize>load<i32>(tree, EXIT_VALUES), width, exits, count, scores);
    }
  }
}

/**
 * Adds each tree's value to its output's score, in the order of the trees.
 *
 * @param columnMajor u8, `columnStride` bytes a feature; @param rows u32 rows of it, or 0 for the
 *   first `count`
 * @param scores f64 count × outputs
 * @param scratch (planes + 1) × 128 bytes, the masks' 32 KiB, and 128 × (outputs × 8 + 2) bytes
 */
export function sweepTrees(
  compiled: usize,
  columnMajor: usize,
  columnStride: usize,
  rows: usize,
  count: i32,
  scores: usize,
  outputs: i32,
  scratch: usize,
): void {
  if (count < SWEPT_ROWS) {
    for (let i = 0; i < count; i++) {
      const row = rows === 0 ? i : load<i32>(rows + ((<usize>i) << 2));
      const score = scores + ((<usize>i * <usize>outputs) << 3);
      walkRow(compiled, columnMajor + <usize>row, columnStride, score, scratch);
    }
    return;
  }
  const trees = <usize>load<i32>(compiled, TREES);
  const groups = <usize>load<i32>(compiled, GROUPS);
  const groupCount = load<i32>(compiled, GROUP_COUNT);
  const width = <usize>load<i32>(compiled, WIDTH);
  const tile = scratch;
  const masks = tile + ((<usize>load<i32>(compiled, PLANE_COUNT)) << COLUMN_SHIFT);
  const exits = masks + <usize>MASK_BYTES;
  const sums = exits + 2 * <usize>TILE_ROWS;
  memory.fill(masks, 255, TILE_ROWS);
  memory.fill(sums, 0, (width * <usize>TILE_ROWS) << 3);
  for (let from = 0; from < count; from += TILE_ROWS) {
    const live = min<i32>(TILE_ROWS, count - from);
    layTile(compiled, columnMajor, columnStride, rows, from, live, tile);
    for (let group = 0; group < groupCount; group++) {
      // A group of trees with one value each has its output's scores side by side.
      const own = scores + ((<usize>from * <usize>outputs + <usize>group) << 3);
      copyScores(own, <usize>outputs, sums, width, live, true);
      const first = load<i32>(groups + ((<usize>group) << 2));
      const end = load<i32>(groups + ((<usize>group) << 2), 4);
      sweepGroup(
        trees + <usize>first * TREE_BYTES,
        trees + <usize>end * TREE_BYTES,
        width,
        tile,
        masks,
        exits,
        live,
        sums,
      );
      copyScores(own, <usize>outputs, sums, width, live, false);
    }
  }
}

/** Between rows of all outputs, and rows of `width`. */
function copyScores(
  rows: usize,
  outputs: usize,
  sums: usize,
  width: usize,
  count: i32,
  inwards: bool,
): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    for (let k: usize = 0; k < width; k++) {
      const row = rows + ((i * outputs + k) << 3);
      const sum = sums + ((i * width + k) << 3);
      if (inwards) store<f64>(sum, load<f64>(row));
      else store<f64>(row, load<f64>(sum));
    }
  }
}
