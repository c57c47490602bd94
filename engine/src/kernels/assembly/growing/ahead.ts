/**
 * Splits that threads make ahead of their turn.
 *
 * Best-first growth splits one node after another, and most nodes are too small to be shared. But what a node's split
 * comes to (its rows moved, its children's histograms and their best splits) depends on that node alone, and the open
 * nodes with the highest gains are almost surely split soon. So the leader offers them while it splits the next one
 * itself; whoever is free makes their splits, and the leader enters them into the tree when it is their turn. Nodes
 * are numbered then, so the tree is what one thread grows.
 *
 * A split whose turn never comes is undone: rows of a node ascend, so those of its children are merged again.
 */

import {
  doneAhead,
  finishAhead,
  isHelped,
  joinAhead,
  presentHelpers,
  wakeHelpers,
} from "../crew/crew";
import { AHEAD_GROWER, OFFERS } from "../crew/crew-layout";
import { listSearched, searchedDirectly, searchNode, splittable } from "./best-split";
import { fillTableOf, makeChildren } from "./children";
import { addRows, cellsOfRow, clearHistogram, subtractHistogram } from "./histogram";
import {
  AHEAD,
  AHEAD_BYTES,
  AHEAD_COUNT,
  CREW,
  DEVICE_ROWS,
  GROW_DEPTH_WISE,
  GROWTH,
  NODE_BYTES,
  RANDOM_THRESHOLDS,
  ROWS,
  ROWS_SCRATCH,
  TABLE,
  UNIT_CELLS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { partition } from "./partition";
import { blockOf, scratchOf } from "./places";
import {
  columnOf,
  foundShared,
  mergeParts,
  shareHistogram,
  sharePartition,
  shareSearch,
  unitsOfRows,
  unitsOfSearch,
} from "./shared-nodes";
import {
  freeSlotCount,
  giveSlot,
  histogramAt,
  nodeAt,
  opened,
  openedNumber,
  pointer,
  takeSlot,
} from "./unsplit";
import { writeLeaf, writeSplit } from "./written-nodes";

// A split: how far it is, its node, a slot for the histogram of a child, which children have a split (bits), the gain.
const STATE: usize = 0;
const NODE: usize = 4;
const SLOT: usize = 8;
const FOUND: usize = 12;
const GAIN: usize = 16;
const LEFT: usize = 24;
const RIGHT: usize = LEFT + NODE_BYTES;

const EMPTY: i32 = 0;
const OFFERED: i32 = 1;
const BEGUN: i32 = 2;
const MADE: i32 = 3;

/** Units of a node at most, which take about a millisecond: larger ones are shared. And parts of one at least. */
const MOST_UNITS_AHEAD: i64 = 128;
const LEAST_OF_UNIT: i64 = 4;
/** Units of a node that is worth waking a thread. */
const LARGE_UNITS: i64 = 8;

/** Of the tree that this thread leads: splits that are offered, begun or made, and whether there are any at all. */
let outstanding: i32 = 0;
let isAllowed: bool = false;

function splitAt(p: usize, i: i32): usize {
  return pointer(p, AHEAD) + usize(i) * AHEAD_BYTES;
}

function splitOf(p: usize, node: Node): usize {
  return splitAt(p, node.ahead - 1);
}

function stateOf(at: usize): i32 {
  if (ASC_FEATURE_THREADS) return atomic.load<i32>(at, STATE);
  return load<i32>(at, STATE);
}

function setState(at: usize, state: i32): void {
  if (ASC_FEATURE_THREADS) atomic.store<i32>(at, state, STATE);
  else store<i32>(at, state, STATE);
}

/** Begins a split that is offered; false where somebody else has. */
function claim(p: usize, at: usize, becomes: i32): bool {
  if (ASC_FEATURE_THREADS) {
    if (atomic.cmpxchg<i32>(at, OFFERED, becomes, STATE) !== OFFERED) return false;
    atomic.sub<i32>(pointer(p, CREW), 1, OFFERS);
    return true;
  }
  return false;
}

/** Begins the split with the highest gain of those that are offered; 0 where none is. */
function claimBest(p: usize): usize {
  const count = load<i32>(p, AHEAD_COUNT);
  let best: usize = 0;
  do {
    best = 0;
    let most = -Infinity;
    for (let i = 0; i < count; i++) {
      const at = splitAt(p, i);
      if (stateOf(at) !== OFFERED) continue;
      const gain = load<f64>(at, GAIN);
      if (gain <= most) continue;
      most = gain;
      best = at;
    }
  } while (best !== 0 && !claim(p, best, BEGUN));
  return best;
}

/**
 * Moves the node's rows, and finds its children's histograms and splits. The leader lets those share it that have no
 * split of their own meanwhile; helpers are alone, since there is one job at a time.
 */
function makeSplit(p: usize, at: usize, place: i32): void {
  const node = nodeAt(p, load<i32>(at, NODE));
  const left = changetype<Node>(at + LEFT);
  const right = changetype<Node>(at + RIGHT);
  const scratch = scratchOf(p, place);
  const table = scratch + TABLE;
  const start = usize(node.start) << 2;
  const rows = pointer(p, ROWS) + start;
  const apart = pointer(p, ROWS_SCRATCH) + start;
  fillTableOf(p, node, table);
  const moves = place === 0 ? unitsOfRows(p, i32(node.count)) : 0;
  const goesLeft =
    moves > 1
      ? sharePartition(p, node, moves)
      : partition(rows, i32(node.count), apart, columnOf(p, node), table);
  makeChildren(p, node, goesLeft, left, right);
  const leftIsSmaller = left.count <= right.count;
  const smaller = leftIsSmaller ? left : right;
  const larger = leftIsSmaller ? right : left;
  const splitSmaller = splittable(p, smaller);
  const splitLarger = splittable(p, larger);
  const poolSmaller = splitSmaller && !searchedDirectly(p, smaller);
  const poolLarger = splitLarger && !searchedDirectly(p, larger);
  let searches = 0;
  if (poolSmaller || poolLarger) {
    const slot = load<i32>(at, SLOT);
    const histogram = histogramAt(p, slot);
    let parts: u32 = 0;
    smaller.slot = slot;
    if (poolLarger) larger.slot = node.slot;
    if (place === 0) {
      parts = shareHistogram(p, smaller);
      searches = unitsOfSearch(p);
    } else {
      const first = pointer(p, ROWS) + (usize(smaller.start) << 2);
      clearHistogram(p, histogram);
      addRows(p, first, i32(smaller.count), histogram, blockOf(p, place));
    }
    if (searches > 1) {
      shareSearch(p, smaller, larger, -1, -1, poolSmaller, poolLarger, poolLarger, parts, searches);
    } else {
      mergeParts(p, smaller, parts);
      if (poolLarger) subtractHistogram(p, histogramAt(p, larger.slot), histogram);
    }
    if (!poolSmaller) smaller.slot = -1;
  }
  const shared = searches > 1;
  const foundSmaller =
    splitSmaller &&
    (shared && poolSmaller
      ? foundShared(p, smaller, 0, searches)
      : searchNode(p, -1, smaller, scratch));
  const foundLarger =
    splitLarger &&
    (shared && poolLarger
      ? foundShared(p, larger, 1, searches)
      : searchNode(p, -1, larger, scratch));
  let found = 0;
  if (leftIsSmaller ? foundSmaller : foundLarger) found |= 1;
  if (leftIsSmaller ? foundLarger : foundSmaller) found |= 2;
  store<i32>(at, found, FOUND);
}

/** Of a helper: makes a split ahead. False where none is offered any more. */
export function helpAhead(crew: usize, place: i32): bool {
  if (ASC_FEATURE_THREADS) {
    const p = usize(atomic.load<u32>(crew, AHEAD_GROWER));
    if (p === 0) return false;
    const at = claimBest(p);
    if (at === 0) return false;
    makeSplit(p, at, place);
    setState(at, MADE);
    finishAhead(crew);
    return true;
  }
  return false;
}

// Of the leader

/** Before a tree. */
export function beginAhead(p: usize): void {
  const crew = pointer(p, CREW);
  const count = load<i32>(p, AHEAD_COUNT);
  outstanding = 0;
  // Random thresholds are drawn by the numbers of nodes, which are not known ahead.
  isAllowed =
    crew !== 0 &&
    count > 0 &&
    load<i32>(p, RANDOM_THRESHOLDS) === 0 &&
    load<u32>(p, DEVICE_ROWS) === 0;
  if (!isAllowed) return;
  for (let i = 0; i < count; i++) setState(splitAt(p, i), EMPTY);
  if (ASC_FEATURE_THREADS) {
    atomic.store<i32>(crew, 0, OFFERS);
    atomic.store<u32>(crew, u32(p), AHEAD_GROWER);
  }
}

function cellsOf(p: usize, node: Node): i64 {
  return i64(node.count) * cellsOfRow(p);
}

function isFit(p: usize, node: Node): bool {
  if (node.slot < 0) return false;
  const cells = cellsOf(p, node);
  const unit = i64(load<i32>(p, UNIT_CELLS));
  return LEAST_OF_UNIT * cells >= unit && cells <= MOST_UNITS_AHEAD * unit;
}

/** Takes an entry for the split of a node. */
function enter(p: usize, id: i32, state: i32): usize {
  const node = nodeAt(p, id);
  let i = 0;
  while (stateOf(splitAt(p, i)) !== EMPTY) i++;
  const at = splitAt(p, i);
  store<i32>(at, id, NODE);
  store<i32>(at, takeSlot(p), SLOT);
  store<f64>(at, load<i32>(p, GROWTH) === GROW_DEPTH_WISE ? -f64(id) : node.gain, GAIN);
  node.ahead = i + 1;
  outstanding++;
  setState(at, state);
  return at;
}

/** The open node that is split soonest, of those that nobody has been offered; -1 where there is none. */
function soonest(p: usize): i32 {
  const byDepth = load<i32>(p, GROWTH) === GROW_DEPTH_WISE;
  let best = -1;
  let most = -1.0;
  for (let i = 0; i < opened(); i++) {
    const id = openedNumber(p, i);
    const node = nodeAt(p, id);
    if (node.ahead !== 0 || node.gain <= most || !isFit(p, node)) continue;
    best = id;
    most = node.gain;
    if (byDepth) return best;
  }
  return best;
}

/** Whether another split may be entered. @param more splits that the tree may have after the next one */
function hasRoom(p: usize, more: i32): bool {
  return outstanding < min(load<i32>(p, AHEAD_COUNT), more) && freeSlotCount() > 1;
}

/** Offers splits to helpers, one for each and one that waits. @param more as of `hasRoom` */
export function offerAhead(p: usize, more: i32): void {
  if (!isAllowed || !hasRoom(p, more)) return;
  const crew = pointer(p, CREW);
  const helpers = presentHelpers(crew);
  let isLarge = false;
  if (ASC_FEATURE_THREADS) {
    if (atomic.load<i32>(crew, OFFERS) > helpers || !isHelped(crew, true)) return;
    while (atomic.load<i32>(crew, OFFERS) <= helpers && hasRoom(p, more)) {
      const id = soonest(p);
      if (id < 0) break;
      enter(p, id, OFFERED);
      atomic.add<i32>(crew, 1, OFFERS);
      const unit = i64(load<i32>(p, UNIT_CELLS));
      if (cellsOf(p, nodeAt(p, id)) >= LARGE_UNITS * unit) isLarge = true;
    }
  }
  if (isLarge) wakeHelpers(crew);
}

/** Enters a split that is made into the tree. @param left the number of the left child */
function take(p: usize, id: i32, at: usize, left: i32): void {
  const node = nodeAt(p, id);
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  memory.copy(changetype<usize>(a), at + LEFT, 2 * NODE_BYTES);
  writeSplit(p, id, node, left);
  writeLeaf(p, left, a);
  writeLeaf(p, left + 1, b);
  const own = node.slot;
  const other = load<i32>(at, SLOT);
  node.slot = -1;
  node.ahead = 0;
  if (a.slot !== own && b.slot !== own) giveSlot(p, own);
  if (a.slot !== other && b.slot !== other) giveSlot(p, other);
  const found = load<i32>(at, FOUND);
  // In the order of their numbers, in which depth-wise growth then takes them.
  listSearched(p, left, a, (found & 1) !== 0);
  listSearched(p, left + 1, b, (found & 2) !== 0);
  setState(at, EMPTY);
  outstanding--;
}

/**
 * Splits a node whose turn it is, if it was split ahead or others are meanwhile; false where that is to be done
 * otherwise.
 *
 * @param left the number of its left child @param more as of `hasRoom`
 */
export function splitInTurn(p: usize, id: i32, left: i32, more: i32): bool {
  if (!isAllowed) return false;
  const node = nodeAt(p, id);
  let at: usize;
  if (node.ahead === 0) {
    // Nobody else has anything to do: they share this one.
    if (outstanding === 0 || !hasRoom(p, more) || !isFit(p, node)) return false;
    at = enter(p, id, BEGUN);
    makeSplit(p, at, 0);
  } else {
    at = splitOf(p, node);
    if (claim(p, at, BEGUN)) makeSplit(p, at, 0);
    else awaitSplit(p, at, more);
  }
  take(p, id, at, left);
  return true;
}

/** Waits for a split that a helper makes, and makes others meanwhile. */
function awaitSplit(p: usize, at: usize, more: i32): void {
  const crew = pointer(p, CREW);
  for (;;) {
    const done = doneAhead(crew);
    if (stateOf(at) === MADE) return;
    offerAhead(p, more);
    const other = claimBest(p);
    if (other === 0) {
      joinAhead(crew, done);
    } else {
      makeSplit(p, other, 0);
      setState(other, MADE);
    }
  }
}

/** Merges the rows of a node's children, which both ascend. */
function mergeRows(p: usize, left: Node, right: Node): void {
  const start = usize(left.start) << 2;
  const bytes = usize(left.count) << 2;
  let to = pointer(p, ROWS) + start;
  let a = pointer(p, ROWS_SCRATCH) + start;
  let b = to + bytes;
  const endA = a + bytes;
  const endB = b + (usize(right.count) << 2);
  memory.copy(a, to, bytes);
  while (a < endA && b < endB) {
    const first = load<u32>(a);
    const second = load<u32>(b);
    const isFirst = first < second;
    store<u32>(to, isFirst ? first : second);
    to += 4;
    if (isFirst) a += 4;
    else b += 4;
  }
  memory.copy(to, a, endA - a);
}

/** After a tree: undoes the splits that it has not. */
export function endAhead(p: usize): void {
  if (!isAllowed) return;
  const crew = pointer(p, CREW);
  if (ASC_FEATURE_THREADS) atomic.store<u32>(crew, 0, AHEAD_GROWER);
  const count = load<i32>(p, AHEAD_COUNT);
  for (let i = 0; i < count && outstanding > 0; i++) {
    const at = splitAt(p, i);
    if (stateOf(at) === EMPTY) continue;
    if (!claim(p, at, EMPTY)) {
      for (;;) {
        const done = doneAhead(crew);
        if (stateOf(at) === MADE) break;
        joinAhead(crew, done);
      }
      mergeRows(p, changetype<Node>(at + LEFT), changetype<Node>(at + RIGHT));
      setState(at, EMPTY);
    }
    outstanding--;
  }
}
