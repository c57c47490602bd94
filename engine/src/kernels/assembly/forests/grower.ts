/**
 * Grows one tree of a random forest or of extremely randomised trees over binned data.
 *
 * Each node tries a few features drawn without replacement (Breiman 2001), each by its best cut or
 * by one random cut (Geurts, Ernst & Wehenkel 2006). Where all drawn features are constant in the
 * node, more are drawn until one is not. A node's work is proportional to its rows, so trees can
 * be grown until leaves are pure. Children have consecutive numbers above their parent's. A tree is grown bit
 * by bit, so that threads may leave one to others.
 */

import { fillTable } from "../growing/partition";
import { drawRows } from "./bag";
import { findSplit, keepDraws, loadDraws, nodeAt, pointer, TABLE } from "./best-split";
import {
  BEST_FIRST,
  CLASSES,
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  FEATURES,
  LEAF_COUNT,
  MAX_DEPTH,
  MAX_LEAVES,
  MIN_LEAF,
  NODE_COUNT,
  NODE_FEATURES,
  OPEN,
  OPEN_COUNT,
  OUT_CATEGORICAL,
  OUT_FEATURE,
  OUT_GAIN,
  OUT_LEFT,
  OUT_MISSING_LEFT,
  OUT_RIGHT,
  OUT_SET_COUNT,
  OUT_SETS,
  OUT_SPLIT,
  OUT_SUMS,
  PERMUTATION,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  SOURCE_COUNT,
  STATS,
  STATS_SCRATCH,
  VALUE_BINS,
  WIDTH,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { ForestNode, sumClasses, sumMoments, summedRows } from "./node";
import { writeValues } from "./values";

let openCount: i32 = 0;

/** Whether node a is split before node b. */
function before(p: usize, a: i32, b: i32): bool {
  const x = nodeAt(p, a).gain;
  const y = nodeAt(p, b).gain;
  return x > y || (x === y && a < b);
}

/** Adds a node to the open list: a heap by gain, or a stack. */
function open(p: usize, id: i32): void {
  const list = pointer(p, OPEN);
  let at = openCount;
  openCount++;
  if (load<i32>(p, BEST_FIRST)) {
    while (at > 0) {
      const up = (at - 1) >> 1;
      const other = load<i32>(list + (usize(up) << 2));
      if (!before(p, id, other)) break;
      store<i32>(list + (usize(at) << 2), other);
      at = up;
    }
  }
  store<i32>(list + (usize(at) << 2), id);
}

/** Takes the node to split next off the open list. */
function take(p: usize): i32 {
  const list = pointer(p, OPEN);
  openCount--;
  const last = load<i32>(list + (usize(openCount) << 2));
  if (!load<i32>(p, BEST_FIRST) || openCount === 0) return last;
  const top = load<i32>(list);
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= openCount) break;
    const left = load<i32>(list + (usize(child) << 2));
    let best = left;
    if (child + 1 < openCount) {
      const right = load<i32>(list + (usize(child + 1) << 2));
      if (before(p, right, left)) {
        best = right;
        child++;
      }
    }
    if (!before(p, best, last)) break;
    store<i32>(list + (usize(at) << 2), best);
    at = child;
  }
  store<i32>(list + (usize(at) << 2), last);
  return top;
}

/** Sums the node, writes it as a leaf, and lists it as open where it can be split. */
function prepare(p: usize, id: i32): void {
  const node = nodeAt(p, id);
  const at = usize(id) << 2;
  store<i32>(pointer(p, OUT_FEATURE) + at, -1);
  store<i32>(pointer(p, OUT_SPLIT) + at, 0);
  store<i32>(pointer(p, OUT_LEFT) + at, -1);
  store<i32>(pointer(p, OUT_RIGHT) + at, -1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), 0);
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), 0);
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), 0);
  const width = load<i32>(p, WIDTH);
  const stats = pointer(p, STATS) + (usize(node.start) << 4);
  const sums = pointer(p, OUT_SUMS) + usize(id) * (usize(width) << 3);
  const pure = load<i32>(p, CLASSES)
    ? sumClasses(stats, node.count, sums, width)
    : sumMoments(stats, node.count, sums);
  node.rows = load<i32>(p, CLASSES) ? summedRows : node.count;
  node.gain = 0;
  node.feature = -1;
  const deepest = load<i32>(p, MAX_DEPTH);
  if (pure || node.rows < 2 * load<u32>(p, MIN_LEAF)) return;
  if (deepest > 0 && node.depth >= deepest) return;
  findSplit(p, id);
  if (node.feature >= 0) open(p, id);
}

/** Rows and statistics that go left keep their order at the front, the others behind them. */
function partitionRows(p: usize, node: ForestNode): u32 {
  const table = pointer(p, SCRATCH) + TABLE;
  fillTable(
    table,
    node.bin,
    load<i32>(pointer(p, VALUE_BINS) + (usize(node.feature) << 2)),
    node.missingLeft,
    node.categorical,
    changetype<usize>(node) + offsetof<ForestNode>("set0"),
  );
  const column = pointer(p, COLUMN_MAJOR) + usize(node.feature) * pointer(p, COLUMN_STRIDE);
  const rows = pointer(p, ROWS) + (usize(node.start) << 2);
  const end = rows + (usize(node.count) << 2);
  let stat = pointer(p, STATS) + (usize(node.start) << 4);
  let left = rows;
  let leftStat = stat;
  let right = pointer(p, ROWS_SCRATCH);
  let rightStat = pointer(p, STATS_SCRATCH);
  for (let at = rows; at < end; at += 4) {
    const row = load<u32>(at);
    const value = v128.load(stat);
    const goes = usize(load<u8>(table + usize(load<u8>(column + usize(row)))));
    store<u32>(left, row);
    store<u32>(right, row);
    v128.store(leftStat, value);
    v128.store(rightStat, value);
    left += goes << 2;
    leftStat += goes << 4;
    right += (goes ^ 1) << 2;
    rightStat += (goes ^ 1) << 4;
    stat += 16;
  }
  memory.copy(left, pointer(p, ROWS_SCRATCH), right - pointer(p, ROWS_SCRATCH));
  memory.copy(leftStat, pointer(p, STATS_SCRATCH), rightStat - pointer(p, STATS_SCRATCH));
  return u32((left - rows) >> 2);
}

function applySplit(p: usize, id: i32, left: i32): void {
  const node = nodeAt(p, id);
  const at = usize(id) << 2;
  let bin = node.bin;
  if (node.categorical) {
    bin = load<i32>(p, OUT_SET_COUNT);
    store<i32>(p, bin + 1, OUT_SET_COUNT);
    memory.copy(
      pointer(p, OUT_SETS) + (usize(bin) << 5),
      changetype<usize>(node) + offsetof<ForestNode>("set0"),
      32,
    );
  }
  const goesLeft = partitionRows(p, node);
  store<i32>(pointer(p, OUT_FEATURE) + at, node.feature);
  store<i32>(pointer(p, OUT_SPLIT) + at, bin);
  store<i32>(pointer(p, OUT_LEFT) + at, left);
  store<i32>(pointer(p, OUT_RIGHT) + at, left + 1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), u8(node.categorical));
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), u8(node.missingLeft));
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), node.gain);
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  a.start = node.start;
  a.count = goesLeft;
  a.depth = node.depth + 1;
  b.start = node.start + goesLeft;
  b.count = node.count - goesLeft;
  b.depth = node.depth + 1;
}

/** Moving a row of a node and summing it cost as much as looking at so many of its cells. */
const CELLS_A_ROW: i32 = 8;
/** And a node of no rows. */
const CELLS_A_NODE: i32 = 128;

/** And a row that the tree may draw. */
const CELLS_A_DRAW: i32 = 16;

/** Makes the tree its root, once its rows are drawn. */
function beginTree(p: usize): void {
  store<i32>(p, 0, OUT_SET_COUNT);
  const permutation = pointer(p, PERMUTATION);
  for (let f = 0; f < load<i32>(p, FEATURES); f++) store<i32>(permutation + (usize(f) << 2), f);
  const root = nodeAt(p, 0);
  root.start = 0;
  root.count = load<u32>(p, ROW_COUNT);
  root.depth = 0;
  prepare(p, 0);
}

/**
 * Begins a tree, or goes on with it, for the work of about so many cells. Returns whether it is grown.
 *
 * @param p a block as `layout.ts` has it; `ROW_COUNT` and `NODE_COUNT` are 0 of a tree that has not begun
 */
export function growForestTree(p: usize, cells: i32): bool {
  loadDraws(p);
  let nodes = load<i32>(p, NODE_COUNT);
  let leaves = load<i32>(p, LEAF_COUNT);
  openCount = load<i32>(p, OPEN_COUNT);
  const cellsOfRow = load<i32>(p, NODE_FEATURES) + CELLS_A_ROW;
  let rest = i64(cells);
  if (load<i32>(p, ROW_COUNT) === 0) {
    drawRows(p);
    rest -= i64(load<i32>(p, SOURCE_COUNT)) * i64(CELLS_A_DRAW);
    if (rest <= 0) return false;
  }
  if (nodes === 0) {
    beginTree(p);
    nodes = 1;
    leaves = 1;
    rest -= i64(nodeAt(p, 0).count) * i64(cellsOfRow);
  }
  const most = load<i32>(p, MAX_LEAVES);
  while (rest > 0 && openCount > 0 && leaves < most) {
    const id = take(p);
    applySplit(p, id, nodes);
    nodes += 2;
    leaves++;
    prepare(p, nodes - 2);
    prepare(p, nodes - 1);
    rest -= i64(nodeAt(p, id).count) * i64(cellsOfRow) + i64(2 * CELLS_A_NODE);
  }
  keepDraws(p);
  store<i32>(p, nodes, NODE_COUNT);
  store<i32>(p, leaves, LEAF_COUNT);
  store<i32>(p, openCount, OPEN_COUNT);
  if (openCount > 0 && leaves < most) return false;
  writeValues(p, nodes);
  return true;
}
