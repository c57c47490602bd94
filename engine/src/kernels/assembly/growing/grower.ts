/**
 * Grows one tree: histograms, split search and partition of its rows, node by node.
 *
 * The smaller child's histogram is built from its rows, the larger child's is the parent's less
 * the smaller's. Nodes are numbered in the order of splitting, the right child after the left.
 * Where the pool of histograms runs out (`unsplit.ts`), the children of a node that gave its
 * own up are built from rows later: the sums, and so the tree, stay the same. Large nodes are worked on
 * by all threads of a fit (`shared-nodes.ts`), small ones by one thread each (`ahead.ts`).
 */

import { beginAhead, endAhead, offerAhead, splitInTurn } from "./ahead";
import { findSplit, listSearched, searchedDirectly, splittable } from "./best-split";
import { fillTableOf, splitInto } from "./children";
import {
  areGradientsAway,
  bringHome,
  hasFailed,
  isAway,
  isToSend,
  offer,
  splitAway,
  takeFailure,
} from "./device";
import { clearScratch } from "./direct";
import { followDevice, isGrownThere } from "./grown-there";
import { subtractHistogram } from "./histogram";
import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  GROW_DEPTH_WISE,
  GROWTH,
  MAX_LEAVES,
  OUT_SET_COUNT,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  TABLE,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { partition } from "./partition";
import {
  foundShared,
  mergeParts,
  shareHistogram,
  sharePartition,
  shareSearch,
  takeRoot,
  unitsOfRows,
  unitsOfSearch,
} from "./shared-nodes";
import {
  clearOpen,
  histogramAt,
  nextNode,
  nodeAt,
  opened,
  openedNumber,
  pointer,
  releaseSlot,
  takeSlot,
} from "./unsplit";
import { writeLeaf } from "./written-nodes";

/** Partitions rows that lie in the arena; returns how many went left. */
function splitHere(p: usize, node: Node, table: usize): i32 {
  const units = unitsOfRows(p, i32(node.count));
  return units > 1
    ? sharePartition(p, node, units)
    : partition(
        pointer(p, ROWS) + (usize(node.start) << 2),
        i32(node.count),
        pointer(p, ROWS_SCRATCH) + (usize(node.start) << 2),
        pointer(p, COLUMN_MAJOR) + usize(node.feature) * pointer(p, COLUMN_STRIDE),
        table,
      );
}

/** Names the open nodes, whose splits are found, so that the device splits some of them with the next one. */
function offerOpened(p: usize, table: usize): void {
  const byDepth = load<i32>(p, GROWTH) === GROW_DEPTH_WISE;
  for (let i = 0; i < opened(); i++) {
    const node = nodeAt(p, openedNumber(p, i));
    if (!isToSend(p, node)) continue;
    fillTableOf(p, node, table);
    // By depth they are split in the order of their list.
    offer(node, table, byDepth ? -f64(i) : node.gain);
  }
}

/**
 * Partitions the node's rows and makes its children, nodes `left` and `left` + 1.
 *
 * @param more splits that the tree may have after this one; 0: no histogram will be asked for
 */
function applySplit(p: usize, id: i32, left: i32, more: i32): void {
  const node = nodeAt(p, id);
  const table = pointer(p, SCRATCH) + TABLE;
  if (more > 0 && isToSend(p, node)) offerOpened(p, table);
  fillTableOf(p, node, table);
  const goesLeft = isAway(p, node)
    ? splitAway(p, node, table, more > 0, more)
    : splitHere(p, node, table);
  splitInto(p, id, left, goesLeft);
}

/** Histograms and splits of a fresh pair of nodes. */
function openChildren(p: usize, parent: Node, left: i32): void {
  const leftIsSmaller = nodeAt(p, left).count <= nodeAt(p, left + 1).count;
  const first = leftIsSmaller ? left : left + 1;
  const second = leftIsSmaller ? left + 1 : left;
  const smaller = nodeAt(p, first);
  const larger = nodeAt(p, second);
  const splitSmaller = splittable(p, smaller);
  const splitLarger = splittable(p, larger);
  const poolSmaller = splitSmaller && !searchedDirectly(p, smaller);
  const poolLarger = splitLarger && !searchedDirectly(p, larger);
  const units = poolSmaller || poolLarger ? unitsOfSearch(p) : 0;
  if (poolLarger && parent.slot >= 0) {
    larger.slot = parent.slot;
    parent.slot = -1;
    smaller.slot = takeSlot(p);
    const parts = shareHistogram(p, smaller);
    if (units > 1) {
      shareSearch(p, smaller, larger, first, second, poolSmaller, true, true, parts, units);
    } else {
      mergeParts(p, smaller, parts);
      subtractHistogram(p, histogramAt(p, larger.slot), histogramAt(p, smaller.slot));
    }
    if (!poolSmaller) releaseSlot(p, smaller);
  } else {
    releaseSlot(p, parent);
    if (poolLarger) {
      larger.slot = takeSlot(p);
      mergeParts(p, larger, shareHistogram(p, larger));
    }
    if (poolSmaller) {
      smaller.slot = takeSlot(p);
      mergeParts(p, smaller, shareHistogram(p, smaller));
    }
    if (units > 1) {
      shareSearch(p, smaller, larger, first, second, poolSmaller, poolLarger, false, 0, units);
    }
  }
  // In the order of their numbers, in which depth-wise growth then takes them.
  for (let id = left; id <= left + 1; id++) {
    const isFirst = id === first;
    if (!(isFirst ? splitSmaller : splitLarger)) continue;
    const shared = units > 1 && (isFirst ? poolSmaller : poolLarger);
    const node = nodeAt(p, id);
    if (shared) listSearched(p, id, node, foundShared(p, node, isFirst ? 0 : 1, units));
    else findSplit(p, id);
  }
}

/** Histogram and split of the root. */
function openRoot(p: usize, root: Node): void {
  if (searchedDirectly(p, root)) {
    findSplit(p, 0);
    return;
  }
  root.slot = takeSlot(p);
  const parts = shareHistogram(p, root);
  const units = unitsOfSearch(p);
  if (units > 1) {
    shareSearch(p, root, root, 0, 0, true, false, false, parts, units);
    listSearched(p, 0, root, foundShared(p, root, 0, units));
  } else {
    mergeParts(p, root, parts);
    findSplit(p, 0);
  }
}

/** Without the device, where that is possible. */
function growAnew(p: usize): i32 {
  return areGradientsAway(p) ? 0 : growTree(p);
}

/**
 * Grows a tree as the block at `p` says; returns its number of nodes. 0: the device failed that alone has the gradients.
 */
export function growTree(p: usize): i32 {
  clearOpen(p);
  store<i32>(p, 0, OUT_SET_COUNT);
  const root = nodeAt(p, 0);
  root.start = 0;
  root.count = load<u32>(p, ROW_COUNT);
  root.depth = 0;
  root.lower = -Infinity;
  root.upper = Infinity;
  root.gain = 0;
  root.slot = -1;
  root.ahead = 0;
  root.sum = takeRoot(p);
  writeLeaf(p, 0, root);
  clearScratch(pointer(p, SCRATCH));
  const maxLeaves = load<i32>(p, MAX_LEAVES);
  if (maxLeaves < 2 || !splittable(p, root)) {
    bringHome(p, 1);
    return takeFailure() ? growAnew(p) : 1;
  }
  openRoot(p, root);
  if (takeFailure()) return growAnew(p);
  if (isGrownThere(p)) {
    const nodes = followDevice(p, root);
    bringHome(p, nodes);
    return takeFailure() ? growAnew(p) : nodes;
  }
  beginAhead(p);
  let nodes = 1;
  for (let leaves = 1; leaves < maxLeaves; leaves++) {
    const id = nextNode(p);
    if (id < 0) break;
    const more = maxLeaves - leaves - 1;
    offerAhead(p, more);
    if (!splitInTurn(p, id, nodes, more)) {
      applySplit(p, id, nodes, more);
      if (more > 0 && !hasFailed()) openChildren(p, nodeAt(p, id), nodes);
    }
    nodes += 2;
    if (takeFailure()) return growAnew(p);
  }
  endAhead(p);
  bringHome(p, nodes);
  return takeFailure() ? growAnew(p) : nodes;
}
