/**
 * Grows one symmetric (oblivious) tree: all nodes of a level are split by one test, so a tree of depth d
 * is d tests and a table of 2^d values (Kohavi & Li, IJCAI'95; as base learners of boosting:
 * Prokhorenkova et al., "CatBoost", NeurIPS'18).
 *
 * Every node of the level adds what each test would make of it to one sum a test. A node of which a test
 * keeps all weight on one side stays whole, so no node is without.
 */

import {
  areGradientsAway,
  bringHome,
  fillAway,
  hasFailed,
  isAway,
  offer,
  splitAway,
  sumOfHistogram,
  takeFailure,
} from "./device";
import { clearScratch, gatherPacked, removeRows } from "./direct";
import { buildHistogram, subtractHistogram } from "./histogram";
import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  GATHERED,
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  L2,
  MAX_DEPTH,
  MAX_LEAVES,
  OPEN,
  OUT_SET_COUNT,
  PACKED,
  ROOT_SUM,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  SOURCE_ROWS,
  TABLE,
  VALUE_BINS,
} from "./layout";
import {
  addNode,
  beginLevel,
  beginTests,
  fillRanges,
  findTest,
  foundBin,
  foundCategorical,
  foundFeature,
  foundMissingLeft,
  gainOf,
  hasFewRows,
} from "./level-test";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { hessianOf, Node } from "./nodes";
import { fillTable, partition } from "./partition";
import {
  clearOpen,
  freeSlotCount,
  histogramAt,
  nodeAt,
  pointer,
  releaseSlot,
  takeSlot,
} from "./unsplit";
import { writeLeaf, writeSplit } from "./written-nodes";

/** The loss reduction of a node's split, by its own weight in the level's test. */
function gainAt(p: usize, node: Node): f64 {
  const gradientScale = load<f64>(p, GRADIENT_SCALE);
  const unit = (0.5 * load<f64>(p, HESSIAN_SCALE)) / (gradientScale * gradientScale);
  return max(gainOf(node.leftSum, node.sum - node.leftSum) * unit, 0.0);
}

function sumOf(p: usize, node: Node): i64 {
  const packed = pointer(p, PACKED);
  const start = pointer(p, ROWS) + (usize(node.start) << 2);
  const end = start + (usize(node.count) << 2);
  let sum: i64 = 0;
  for (let at = start; at < end; at += 4) {
    sum += load<i64>(packed + (usize(load<u32>(at)) << 3));
  }
  return sum;
}

function buildFor(p: usize, node: Node, histogram: usize): void {
  if (isAway(p, node)) {
    fillAway(p, node, histogram, true);
    return;
  }
  buildHistogram(p, pointer(p, ROWS) + (usize(node.start) << 2), i32(node.count), histogram);
}

/** Writes the level's test into a node's record, from where rows that follow the tree read it. */
function keepTest(node: Node): void {
  node.feature = foundFeature;
  node.categorical = foundCategorical;
  node.bin = foundBin;
  node.missingLeft = foundMissingLeft;
  node.set0 = 0;
  node.set1 = 0;
  node.set2 = 0;
  node.set3 = 0;
  if (!foundCategorical) return;
  const word = changetype<usize>(node) + offsetof<Node>("set0") + (usize(foundBin >> 6) << 3);
  store<u64>(word, u64(1) << (u64(foundBin) & 63));
}

/** Of a fresh node. @param read a histogram to read it from where its rows are away */
function sumOfChild(p: usize, node: Node, read: usize): i64 {
  if (!isAway(p, node)) return sumOf(p, node);
  fillAway(p, node, read, false);
  return sumOfHistogram(p, read);
}

/**
 * Partitions a node's rows by the level's test; false where all weight is on one side of it.
 *
 * @param read room for a histogram
 */
function applyTest(p: usize, id: i32, left: i32, table: usize, read: usize): bool {
  const node = nodeAt(p, id);
  let goesLeft: u32;
  if (isAway(p, node)) {
    goesLeft = u32(splitAway(p, node, table, true, i32.MAX_VALUE));
  } else {
    goesLeft = u32(
      partition(
        pointer(p, ROWS) + (usize(node.start) << 2),
        i32(node.count),
        pointer(p, ROWS_SCRATCH),
        pointer(p, COLUMN_MAJOR) + usize(foundFeature) * pointer(p, COLUMN_STRIDE),
        table,
      ),
    );
  }
  if (goesLeft === 0 || goesLeft === node.count) return false;
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  a.start = node.start;
  a.count = goesLeft;
  b.start = node.start + goesLeft;
  b.count = node.count - goesLeft;
  const smaller = a.count <= b.count ? a : b;
  const sum = sumOfChild(p, smaller, read);
  a.sum = smaller === a ? sum : node.sum - sum;
  b.sum = node.sum - a.sum;
  if (hessianOf(a.sum) === 0 || hessianOf(b.sum) === 0) return false;
  node.leftSum = a.sum;
  keepTest(node);
  node.gain = gainAt(p, node);
  a.slot = -1;
  b.slot = -1;
  a.lower = -Infinity;
  a.upper = Infinity;
  b.lower = -Infinity;
  b.upper = Infinity;
  writeSplit(p, id, node, left);
  writeLeaf(p, left, a);
  writeLeaf(p, left + 1, b);
  return true;
}

/** Whether the level's test is sought from the node's rows, without a histogram. */
function isReadByRows(p: usize, node: Node): bool {
  return !isAway(p, node) && hasFewRows(p, node);
}

/**
 * Histograms of a fresh pair of nodes, where they want one and slots are left; else they are built when they are read.
 */
function openChildren(p: usize, parent: Node, a: Node, b: Node): void {
  if (parent.slot < 0) return;
  const smaller = a.count <= b.count ? a : b;
  const larger = a.count <= b.count ? b : a;
  larger.slot = parent.slot;
  parent.slot = -1;
  if (isReadByRows(p, larger)) {
    releaseSlot(p, larger);
    return;
  }
  if (isReadByRows(p, smaller)) {
    const gathered = pointer(p, SCRATCH) + GATHERED;
    gatherPacked(p, smaller, gathered);
    removeRows(p, smaller, histogramAt(p, larger.slot), gathered);
    return;
  }
  if (!freeSlotCount() > 0) {
    releaseSlot(p, larger);
    return;
  }
  smaller.slot = takeSlot(p);
  buildFor(p, smaller, histogramAt(p, smaller.slot));
  subtractHistogram(p, histogramAt(p, larger.slot), histogramAt(p, smaller.slot));
}

/** Without the device, where that is possible. */
function growAnew(p: usize): i32 {
  return areGradientsAway(p) ? 0 : growObliviousTree(p);
}

/**
 * Grows a tree as the block at `p` says; returns its number of nodes. 0: the device failed that alone has the gradients.
 */
export function growObliviousTree(p: usize): i32 {
  clearOpen(p);
  clearScratch(pointer(p, SCRATCH));
  store<i32>(p, 0, OUT_SET_COUNT);
  beginTests(load<f64>(p, L2) * load<f64>(p, HESSIAN_SCALE));
  const isAwayAlone = areGradientsAway(p);
  if (!isAwayAlone) {
    memory.copy(pointer(p, ROWS), pointer(p, SOURCE_ROWS), pointer(p, ROW_COUNT) << 2);
  }
  const root = nodeAt(p, 0);
  root.start = 0;
  root.count = load<u32>(p, ROW_COUNT);
  root.lower = -Infinity;
  root.upper = Infinity;
  root.sum = isAwayAlone ? load<i64>(p, ROOT_SUM) : sumOf(p, root);
  writeLeaf(p, 0, root);
  // Of nodes without a slot of their own.
  const read = takeSlot(p);
  root.slot = takeSlot(p);
  buildFor(p, root, histogramAt(p, root.slot));
  if (takeFailure()) return growAnew(p);
  fillRanges(p, histogramAt(p, root.slot));
  const leaves = load<i32>(p, MAX_LEAVES);
  const depth = load<i32>(p, MAX_DEPTH);
  const table = pointer(p, SCRATCH) + TABLE;
  let level = pointer(p, OPEN);
  let next = level + (usize(leaves) << 2);
  store<i32>(level, 0);
  let open = 1;
  let nodes = 1;
  for (let d = 0; d < depth; d++) {
    beginLevel(p);
    for (let i = 0; i < open; i++) {
      const node = nodeAt(p, load<i32>(level + (usize(i) << 2)));
      let histogram: usize = 0;
      if (!isReadByRows(p, node)) {
        histogram = histogramAt(p, node.slot < 0 ? read : node.slot);
        if (node.slot < 0) buildFor(p, node, histogram);
      }
      addNode(p, node, histogram, pointer(p, SCRATCH));
    }
    if (hasFailed() || !findTest(p, d)) break;
    const first = nodeAt(p, load<i32>(level));
    keepTest(first);
    fillTable(
      table,
      foundBin,
      load<i32>(pointer(p, VALUE_BINS) + (usize(foundFeature) << 2)),
      foundMissingLeft,
      foundCategorical,
      changetype<usize>(first) + offsetof<Node>("set0"),
    );
    // The device splits the whole level at once.
    for (let i = 0; i < open; i++) {
      const node = nodeAt(p, load<i32>(level + (usize(i) << 2)));
      if (!isAway(p, node)) continue;
      // Also of nodes that another node's test was found for.
      node.feature = foundFeature;
      offer(node, table, 0);
    }
    let found = 0;
    let split = false;
    for (let i = 0; i < open; i++) {
      const id = load<i32>(level + (usize(i) << 2));
      if (hasFailed()) break;
      if (!applyTest(p, id, nodes, table, histogramAt(p, read))) {
        store<i32>(next + (usize(found++) << 2), id);
        continue;
      }
      split = true;
      if (d + 1 < depth) openChildren(p, nodeAt(p, id), nodeAt(p, nodes), nodeAt(p, nodes + 1));
      store<i32>(next + (usize(found++) << 2), nodes);
      store<i32>(next + (usize(found++) << 2), nodes + 1);
      nodes += 2;
    }
    if (!split || hasFailed()) break;
    const passed = level;
    level = next;
    next = passed;
    open = found;
  }
  if (!hasFailed()) bringHome(p, nodes);
  return takeFailure() ? growAnew(p) : nodes;
}
