/**
 * Grows one tree: histograms, split search and partition of its rows, node by node.
 *
 * The smaller child's histogram is built from its rows, the larger child's is the parent's less
 * the smaller's. Nodes are numbered in the order of splitting, the right child after the left.
 * Histograms live in a pool of slots; where it runs out, the least promising open node gives its
 * own up and its children are built from rows later: the sums, and so the tree, stay the same.
 */

import * as categorical from "./categorical";
import * as constrained from "./constrained";
import { clearSparse, fillOne, fillSparse, gatherPacked } from "./direct";
import { buildHistogram, subtractHistogram } from "./histogram";
import {
  CAT_L2,
  CAT_SMOOTH,
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  DIRECT_ROWS,
  FEATURE_COUNT,
  FEATURE_LIST,
  FREE_SLOTS,
  GRADIENT_SCALE,
  GROW_DEPTH_WISE,
  GROWTH,
  HESSIAN_SCALE,
  HISTOGRAM_SLOTS,
  HISTOGRAM_STRIDE,
  HISTOGRAMS,
  KEY_HIGH,
  KEY_LOW,
  KINDS,
  L1,
  L2,
  MAX_CATEGORIES,
  MAX_DEPTH,
  MAX_LEAVES,
  MIN_DATA,
  MIN_GAIN,
  MIN_GROUP,
  MIN_HESSIAN,
  MONOTONE,
  NODE_BYTES,
  NODES,
  OFFSETS,
  ONE_VS_REST,
  OPEN,
  OUT_CATEGORICAL,
  OUT_COUNT,
  OUT_FEATURE,
  OUT_GAIN,
  OUT_LEFT,
  OUT_MISSING_LEFT,
  OUT_RIGHT,
  OUT_SET_COUNT,
  OUT_SETS,
  OUT_SPLIT,
  OUT_START,
  PACKED,
  RANDOM_THRESHOLDS,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  SOURCE_ROWS,
  TABLE,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import { fillTable, partition } from "./partition";
import * as split from "./split";

// Within SCRATCH, behind the partition table; the category scan uses what lies before it.
/** One feature's histogram, for nodes without one in the pool. */
const ONE_HISTOGRAM: usize = 4352;
/** Another, clear between uses, and the bits of its occupied bins. */
const SPARSE_HISTOGRAM: usize = 6400;
const OCCUPIED: usize = 8448;
/** Up to so many rows, bins that hold none are skipped one by one. */
const SPARSE_ROWS: u32 = 128;

let openHead: i32 = 0;
let openCount: i32 = 0;
let freeSlots: i32 = 0;

function pointer(p: usize, field: usize): usize {
  return usize(load<u32>(p + field));
}

function nodeAt(p: usize, node: i32): Node {
  return changetype<Node>(pointer(p, NODES) + usize(node) * NODE_BYTES);
}

function histogramAt(p: usize, slot: i32): usize {
  return pointer(p, HISTOGRAMS) + usize(slot) * pointer(p, HISTOGRAM_STRIDE);
}

function openNode(p: usize, i: i32): i32 {
  return load<i32>(pointer(p, OPEN) + (usize(i) << 2));
}

function releaseSlot(p: usize, node: Node): void {
  if (node.slot < 0) return;
  store<i32>(pointer(p, FREE_SLOTS) + (usize(freeSlots) << 2), node.slot);
  freeSlots++;
  node.slot = -1;
}

/** A free slot; takes the one of the open node with the least gain if need be. */
function takeSlot(p: usize): i32 {
  if (freeSlots === 0) {
    let victim = -1;
    let least = Infinity;
    for (let i = openHead; i < openCount; i++) {
      const node = nodeAt(p, openNode(p, i));
      if (node.slot >= 0 && node.gain < least) {
        least = node.gain;
        victim = openNode(p, i);
      }
    }
    releaseSlot(p, nodeAt(p, victim));
  }
  freeSlots--;
  return load<i32>(pointer(p, FREE_SLOTS) + (usize(freeSlots) << 2));
}

/** Takes the next node to split off the open list, -1 when there is none. */
function nextNode(p: usize): i32 {
  if (openHead === openCount) return -1;
  const growth = load<i32>(p, GROWTH);
  if (growth === GROW_DEPTH_WISE) {
    openHead++;
    return openNode(p, openHead - 1);
  }
  let at = 0;
  let best = -1.0;
  let bestNode = -1;
  for (let i = 0; i < openCount; i++) {
    const node = openNode(p, i);
    const gain = nodeAt(p, node).gain;
    if (gain > best || (gain === best && node < bestNode)) {
      best = gain;
      bestNode = node;
      at = i;
    }
  }
  const node = openNode(p, at);
  openCount--;
  store<i32>(pointer(p, OPEN) + (usize(at) << 2), openNode(p, openCount));
  return node;
}

/**
 * Hessian of `rows` rows of a node's average, less half a row for rounding. One row is no demand:
 * a side without rows has no hessian.
 */
function hessianOfRows(node: Node, rows: f64): f64 {
  return rows > 1.0 ? ((rows - 0.5) * hessianOf(node.sum)) / f64(node.count) : 0.0;
}

/** Least hessian that a side of this node's split needs, in quantised units. */
function leastHessian(p: usize, node: Node): f64 {
  return max(
    max(load<f64>(p, MIN_HESSIAN) * load<f64>(p, HESSIAN_SCALE), 1.0),
    hessianOfRows(node, f64(load<i32>(p, MIN_DATA))),
  );
}

function splittable(p: usize, node: Node): bool {
  return (
    node.depth < load<i32>(p, MAX_DEPTH) &&
    i32(node.count) >= 2 * load<i32>(p, MIN_DATA) &&
    hessianOf(node.sum) >= 2.0 * leastHessian(p, node)
  );
}

/** Whether the node is searched from its rows rather than from a histogram of the pool. */
function searchedDirectly(p: usize, node: Node): bool {
  return i32(node.count) <= load<i32>(p, DIRECT_ROWS);
}

/** Lists the node as open where its best score beats what it needs. */
function conclude(
  p: usize,
  id: i32,
  node: Node,
  best: f64,
  floor: f64,
  parent: f64,
  unit: f64,
): void {
  if (best > floor) {
    node.gain = (best - parent) * unit;
    store<i32>(pointer(p, OPEN) + (usize(openCount) << 2), id);
    openCount++;
  } else {
    node.gain = 0;
    releaseSlot(p, node);
  }
}

/** Finds the node's best split and lists it as open if there is one. */
function findSplit(p: usize, id: i32): void {
  const node = nodeAt(p, id);
  const gradientScale = load<f64>(p, GRADIENT_SCALE);
  const hessianScale = load<f64>(p, HESSIAN_SCALE);
  const least = leastHessian(p, node);
  const l1 = load<f64>(p, L1) * gradientScale;
  const l2 = load<f64>(p, L2) * hessianScale;
  const monotone = pointer(p, MONOTONE);
  const random = load<i32>(p, RANDOM_THRESHOLDS);
  const keyLow = load<u32>(p, KEY_LOW);
  const keyHigh = load<u32>(p, KEY_HIGH);
  split.beginSplits(node.sum, l1, l2, least);
  let parent = split.leafScore(gradientOf(node.sum), hessianOf(node.sum));
  if (monotone !== 0) {
    parent = constrained.beginConstrained(node.sum, l1, l2, node.lower, node.upper);
  }
  categorical.beginCategorical(
    node.sum,
    l1,
    l2,
    load<f64>(p, CAT_L2) * hessianScale,
    load<f64>(p, CAT_SMOOTH) * hessianScale,
    least,
    hessianOfRows(node, load<f64>(p, MIN_GROUP)),
  );
  // Loss reduction is half the rise in score; the score's unit is hessianScale / gradientScale².
  const unit = (0.5 * hessianScale) / (gradientScale * gradientScale);
  const offsets = pointer(p, OFFSETS);
  const valueBins = pointer(p, VALUE_BINS);
  const kinds = pointer(p, KINDS);
  const scratch = pointer(p, SCRATCH);
  const list = pointer(p, FEATURE_LIST);
  const count = load<i32>(p, FEATURE_COUNT);
  const direct = node.slot < 0;
  const sparse = direct && node.count <= SPARSE_ROWS && random === 0 && monotone === 0;
  const pooled: usize = direct ? 0 : histogramAt(p, node.slot);
  if (direct) gatherPacked(p, node);
  const floor = parent + max(load<f64>(p, MIN_GAIN) / unit, abs(parent) * 1e-12);
  let best = floor;
  for (let j = 0; j < count; j++) {
    const feature = load<i32>(list + (usize(j) << 2));
    const at = usize(feature) << 2;
    const bins = load<i32>(valueBins + at);
    const isCategorical = load<u8>(kinds + usize(feature)) !== 0;
    if (sparse && !isCategorical) {
      const h = scratch + SPARSE_HISTOGRAM;
      fillSparse(p, node, feature, h, scratch + OCCUPIED);
      split.scanSparse(h, bins, scratch + OCCUPIED, best);
      clearSparse(h, scratch + OCCUPIED);
      if (split.foundScore > best) best = takeNumeric(node, feature);
      continue;
    }
    let h = pooled + (usize(load<u32>(offsets + at)) << 3);
    if (direct) {
      h = scratch + ONE_HISTOGRAM;
      memory.fill(h, 0, usize(bins + 1) << 3);
      fillOne(p, node, feature, h);
    }
    if (isCategorical) {
      categorical.scanCategorical(
        h,
        bins,
        best,
        load<i32>(p, ONE_VS_REST),
        load<i32>(p, MAX_CATEGORIES),
        random,
        u32(id),
        u32(feature),
        keyLow,
        keyHigh,
        changetype<usize>(node) + offsetof<Node>("set0"),
        scratch,
      );
      if (categorical.foundScore > best) {
        best = categorical.foundScore;
        node.feature = feature;
        node.categorical = 1;
        node.missingLeft = categorical.foundMissingLeft;
        node.leftSum = categorical.foundLeft;
      }
      continue;
    }
    const cut = random ? split.randomCut(h, bins, u32(id), u32(feature), keyLow, keyHigh) : -1;
    if (monotone !== 0) {
      const direction = i32(load<i8>(monotone + usize(feature)));
      if (random && cut < 0) continue;
      constrained.scanConstrained(h, bins, best, direction, cut);
      if (constrained.foundScore > best) {
        best = constrained.foundScore;
        node.feature = feature;
        node.categorical = 0;
        node.bin = constrained.foundBin;
        node.missingLeft = constrained.foundMissingLeft;
        node.leftSum = constrained.foundLeft;
      }
      continue;
    }
    if (random) split.scanCut(h, bins, best, cut);
    else split.scanNumeric(h, bins, best);
    if (split.foundScore > best) best = takeNumeric(node, feature);
  }
  conclude(p, id, node, best, floor, parent, unit);
}

/** Records what the last numeric scan found; returns its score. */
function takeNumeric(node: Node, feature: i32): f64 {
  node.feature = feature;
  node.categorical = 0;
  node.bin = split.foundBin;
  node.missingLeft = split.foundMissingLeft;
  node.leftSum = split.foundLeft;
  return split.foundScore;
}

/** Writes a node as a leaf; `writeSplit` overwrites it when it is split. */
function writeLeaf(p: usize, id: i32, node: Node): void {
  const at = usize(id) << 2;
  store<i32>(pointer(p, OUT_FEATURE) + at, -1);
  store<i32>(pointer(p, OUT_SPLIT) + at, 0);
  store<i32>(pointer(p, OUT_LEFT) + at, -1);
  store<i32>(pointer(p, OUT_RIGHT) + at, -1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), 0);
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), 0);
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), 0);
  store<u32>(pointer(p, OUT_START) + at, node.start);
  store<u32>(pointer(p, OUT_COUNT) + at, node.count);
}

function writeSplit(p: usize, id: i32, node: Node, left: i32): void {
  const at = usize(id) << 2;
  let bin = node.bin;
  if (node.categorical) {
    bin = load<i32>(p, OUT_SET_COUNT);
    store<i32>(p, bin + 1, OUT_SET_COUNT);
    memory.copy(
      pointer(p, OUT_SETS) + (usize(bin) << 5),
      changetype<usize>(node) + offsetof<Node>("set0"),
      32,
    );
  }
  store<i32>(pointer(p, OUT_FEATURE) + at, node.feature);
  store<i32>(pointer(p, OUT_SPLIT) + at, bin);
  store<i32>(pointer(p, OUT_LEFT) + at, left);
  store<i32>(pointer(p, OUT_RIGHT) + at, left + 1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), u8(node.categorical));
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), u8(node.missingLeft));
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), node.gain);
}

/** Divides the interval of answers at a split on a constrained feature. */
function boundChildren(p: usize, node: Node, left: Node, right: Node): void {
  const monotone = pointer(p, MONOTONE);
  if (monotone === 0) return;
  const direction = i32(load<i8>(monotone + usize(node.feature)));
  if (direction === 0 || node.categorical) return;
  constrained.beginConstrained(
    node.sum,
    load<f64>(p, L1) * load<f64>(p, GRADIENT_SCALE),
    load<f64>(p, L2) * load<f64>(p, HESSIAN_SCALE),
    node.lower,
    node.upper,
  );
  const middle =
    0.5 *
    (constrained.answer(gradientOf(left.sum), hessianOf(left.sum)) +
      constrained.answer(gradientOf(right.sum), hessianOf(right.sum)));
  if (direction > 0) {
    left.upper = middle;
    right.lower = middle;
  } else {
    left.lower = middle;
    right.upper = middle;
  }
}

/** Partitions the node's rows and makes its children, nodes `left` and `left` + 1. */
function applySplit(p: usize, id: i32, left: i32): void {
  const node = nodeAt(p, id);
  const table = pointer(p, SCRATCH) + TABLE;
  fillTable(
    table,
    node.bin,
    load<i32>(pointer(p, VALUE_BINS) + (usize(node.feature) << 2)),
    node.missingLeft,
    node.categorical,
    changetype<usize>(node) + offsetof<Node>("set0"),
  );
  const goesLeft = partition(
    pointer(p, ROWS) + (usize(node.start) << 2),
    i32(node.count),
    pointer(p, ROWS_SCRATCH),
    pointer(p, COLUMN_MAJOR) + usize(node.feature) * pointer(p, COLUMN_STRIDE),
    table,
  );
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  a.start = node.start;
  a.count = u32(goesLeft);
  a.sum = node.leftSum;
  b.start = node.start + u32(goesLeft);
  b.count = node.count - u32(goesLeft);
  b.sum = node.sum - node.leftSum;
  a.slot = -1;
  b.slot = -1;
  a.gain = 0;
  b.gain = 0;
  a.depth = node.depth + 1;
  b.depth = node.depth + 1;
  a.lower = node.lower;
  a.upper = node.upper;
  b.lower = node.lower;
  b.upper = node.upper;
  boundChildren(p, node, a, b);
  writeSplit(p, id, node, left);
  writeLeaf(p, left, a);
  writeLeaf(p, left + 1, b);
}

function buildFor(p: usize, node: Node): void {
  buildHistogram(
    p,
    pointer(p, ROWS) + (usize(node.start) << 2),
    i32(node.count),
    histogramAt(p, node.slot),
  );
}

/** Histograms and splits of a fresh pair of nodes. */
function openChildren(p: usize, parent: Node, left: i32): void {
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  const leftIsSmaller = a.count <= b.count;
  const smaller = leftIsSmaller ? a : b;
  const larger = leftIsSmaller ? b : a;
  const splitSmaller = splittable(p, smaller);
  const splitLarger = splittable(p, larger);
  const poolSmaller = splitSmaller && !searchedDirectly(p, smaller);
  const poolLarger = splitLarger && !searchedDirectly(p, larger);
  if (poolLarger && parent.slot >= 0) {
    larger.slot = parent.slot;
    parent.slot = -1;
    smaller.slot = takeSlot(p);
    buildFor(p, smaller);
    subtractHistogram(p, histogramAt(p, larger.slot), histogramAt(p, smaller.slot));
    if (!poolSmaller) releaseSlot(p, smaller);
  } else {
    releaseSlot(p, parent);
    if (poolLarger) {
      larger.slot = takeSlot(p);
      buildFor(p, larger);
    }
    if (poolSmaller) {
      smaller.slot = takeSlot(p);
      buildFor(p, smaller);
    }
  }
  if (leftIsSmaller ? splitSmaller : splitLarger) findSplit(p, left);
  if (leftIsSmaller ? splitLarger : splitSmaller) findSplit(p, left + 1);
}

/** Sum of the packed gradients of the root's rows. */
function sumOfRoot(p: usize): i64 {
  const rows = pointer(p, ROWS);
  const packed = pointer(p, PACKED);
  const count = load<i32>(p, ROW_COUNT);
  let sum: i64 = 0;
  for (let i = 0; i < count; i++) {
    sum += load<i64>(packed + (usize(load<u32>(rows + (usize(i) << 2))) << 3));
  }
  return sum;
}

/** Grows a tree as the block at `p` says; returns its number of nodes. */
export function growTree(p: usize): i32 {
  const slots = load<i32>(p, HISTOGRAM_SLOTS);
  for (let i = 0; i < slots; i++) {
    store<i32>(pointer(p, FREE_SLOTS) + (usize(i) << 2), slots - 1 - i);
  }
  freeSlots = slots;
  openHead = 0;
  openCount = 0;
  store<i32>(p, 0, OUT_SET_COUNT);
  memory.copy(pointer(p, ROWS), pointer(p, SOURCE_ROWS), pointer(p, ROW_COUNT) << 2);
  const root = nodeAt(p, 0);
  root.start = 0;
  root.count = load<u32>(p, ROW_COUNT);
  root.depth = 0;
  root.lower = -Infinity;
  root.upper = Infinity;
  root.gain = 0;
  root.slot = -1;
  root.sum = sumOfRoot(p);
  writeLeaf(p, 0, root);
  memory.fill(pointer(p, SCRATCH) + SPARSE_HISTOGRAM, 0, 2048 + 32);
  const maxLeaves = load<i32>(p, MAX_LEAVES);
  if (maxLeaves < 2 || !splittable(p, root)) return 1;
  if (!searchedDirectly(p, root)) {
    root.slot = takeSlot(p);
    buildFor(p, root);
  }
  findSplit(p, 0);
  let nodes = 1;
  for (let leaves = 1; leaves < maxLeaves; leaves++) {
    const id = nextNode(p);
    if (id < 0) break;
    applySplit(p, id, nodes);
    if (leaves + 1 < maxLeaves) openChildren(p, nodeAt(p, id), nodes);
    nodes += 2;
  }
  return nodes;
}
