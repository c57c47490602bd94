/**
 * Grows one tree of a random forest or of extremely randomised trees over binned data.
 *
 * Each node tries a few features drawn without replacement (Breiman 2001), each by its best cut or
 * by one random cut (Geurts, Ernst & Wehenkel 2006). Where all drawn features are constant in the
 * node, more are drawn until one is not. A node's work is proportional to its rows, so trees can
 * be grown until leaves are pure. Children have consecutive numbers above their parent's.
 */

import * as cuts from "./forest-cut";
import { clearHistogram, fillHistogram } from "./forest-histogram";
import {
  BEST_FIRST,
  CLASSES,
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  COUNTS,
  FEATURES,
  GATHERED,
  HISTOGRAM,
  KEY_HIGH,
  KEY_LOW,
  KINDS,
  MAX_DEPTH,
  MAX_LEAVES,
  MIN_GAIN,
  MIN_LEAF,
  NODE_BYTES,
  NODE_FEATURES,
  NODES,
  OPEN,
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
  RANDOM_CUTS,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  SIDES,
  STATS,
  STATS_SCRATCH,
  VALUE_BINS,
  WIDTH,
} from "./forest-layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { ForestNode, sumClasses, sumMoments, summedRows } from "./forest-node";
import * as split from "./forest-split";
import { fillTable } from "./partition";
import { below, philox } from "./philox";

/** Offsets within SCRATCH: touched bins, their order, sort keys, a bin set, a partition table. */
const LIST: usize = 0;
const KEYS: usize = 1056;
const SET: usize = 3136;
const TABLE: usize = 3200;

/**
 * A random cut divides so few categories in the order of their targets, and more in a random one:
 * an order learned from many categories would take away the randomness that is wanted.
 */
const ORDERED_CATEGORIES = 6;

let draws: u32 = 0;
let spare: u32 = 0;
let openCount: i32 = 0;

function pointer(p: usize, field: usize): usize {
  return usize(load<u32>(p + field));
}

function nodeAt(p: usize, node: i32): ForestNode {
  return changetype<ForestNode>(pointer(p, NODES) + usize(node) * NODE_BYTES);
}

/** The tree's next 32 random bits. */
function nextBits(p: usize): u32 {
  draws++;
  if ((draws & 1) === 0) return spare;
  const bits = philox(draws >> 1, 0, 3, load<u32>(p, KEY_LOW), load<u32>(p, KEY_HIGH));
  spare = u32(bits >> 32);
  return u32(bits);
}

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

function setBit(set: usize, bin: i32): void {
  const word = set + (usize(bin >> 6) << 3);
  store<u64>(word, load<u64>(word) | (u64(1) << (u64(bin) & 63)));
}

/** Tries all cuts of a numeric feature whose touched bins are in `list`; true: one is better. */
function tryNumeric(p: usize, node: ForestNode, list: usize, touched: i32, bins: i32): bool {
  const histogram = pointer(p, HISTOGRAM);
  const counts = pointer(p, COUNTS);
  const least = split.foundScore;
  const missing = load<i32>(list + (usize(touched - 1) << 2)) === bins;
  const values = missing ? touched - 1 : touched;
  split.sweep(list, missing ? values : values - 1, -1, -1, histogram, counts);
  if (missing && values > 1) split.sweep(list, values - 1, -1, bins, histogram, counts);
  if (split.foundScore <= least) return false;
  const found = split.foundCount;
  // Half-way to the next bin that the node holds; above all of them, only missing goes right.
  node.bin = bins - 1;
  if (found < values) {
    const next = load<i32>(list + (usize(found) << 2));
    node.bin = (load<i32>(list + (usize(found - 1) << 2)) + next) >> 1;
  }
  node.categorical = 0;
  node.missingLeft = missing ? split.foundMissingLeft : i32(split.unseenLeft());
  return true;
}

/** Sums the rows with bins `from` … `to` into the histogram's entry `bin`. */
function sumBetween(p: usize, node: ForestNode, from: i32, to: i32, bin: i32): void {
  const gathered = pointer(p, GATHERED);
  const stats = pointer(p, STATS) + (usize(node.start) << 4);
  const entry = pointer(p, HISTOGRAM) + usize(bin) * (pointer(p, WIDTH) << 3);
  const tally = pointer(p, COUNTS) + (usize(bin) << 2);
  if (load<i32>(p, CLASSES) === 0) {
    cuts.sumMomentsBetween(gathered, stats, node.count, from, to, entry, tally);
  } else cuts.sumClassesBetween(gathered, stats, node.count, from, to, entry, tally);
}

/** Tries one random cut; returns -1 where the feature is constant, 1 where the cut is better. */
function tryRandomCut(p: usize, node: ForestNode, column: usize, bins: i32): i32 {
  const rows = pointer(p, ROWS) + (usize(node.start) << 2);
  cuts.gatherBins(rows, node.count, column, bins, pointer(p, GATHERED));
  const missing = cuts.anyMissing;
  const varied = cuts.lowest < cuts.highest;
  if (!varied && (!missing || cuts.highest < 0)) return -1;
  const least = split.foundScore;
  const histogram = pointer(p, HISTOGRAM);
  const counts = pointer(p, COUNTS);
  const list = pointer(p, SCRATCH) + LIST;
  // Entry 0 holds the side below the cut, entry `bins` the missing values.
  let cut = bins - 1;
  if (varied) cut = cuts.lowest + i32(below(u32(cuts.highest - cuts.lowest), nextBits(p)));
  sumBetween(p, node, 0, cut, 0);
  if (missing && varied) sumBetween(p, node, bins, bins, bins);
  store<i32>(list, 0);
  store<i32>(list, bins, 4);
  split.sweep(list, 1, 0, -1, histogram, counts);
  if (missing && varied) split.sweep(list, 1, 0, bins, histogram, counts);
  clearHistogram(list, 2, load<i32>(p, WIDTH), histogram, counts);
  if (split.foundScore <= least) return 0;
  node.bin = cut;
  node.categorical = 0;
  node.missingLeft = missing ? split.foundMissingLeft : i32(split.unseenLeft());
  return 1;
}

/** The set of bins that go left for the split just found: the front of the order in `list`. */
function keepSubset(p: usize, node: ForestNode, list: usize, bins: i32): void {
  const set = changetype<usize>(node) + offsetof<ForestNode>("set0");
  v128.store(set, i64x2.splat(0));
  v128.store(set, i64x2.splat(0), 16);
  for (let i = 0; i < split.foundCount; i++) setBit(set, load<i32>(list + (usize(i) << 2)));
  if (split.unseenLeft()) {
    const counts = pointer(p, COUNTS);
    for (let bin = 0; bin < 256; bin++) {
      if (bin > bins || load<u32>(counts + (usize(bin) << 2)) === 0) setBit(set, bin);
    }
  }
  const word = load<u64>(set + (usize(bins >> 6) << 3));
  node.missingLeft = i32((word >> (u64(bins) & 63)) & 1);
  node.categorical = 1;
}

/** Cuts the order of categories in `list`; true where a cut is the best yet. */
function trySubsets(
  p: usize,
  node: ForestNode,
  list: usize,
  touched: i32,
  only: i32,
  bins: i32,
): bool {
  const least = split.foundScore;
  split.sweep(list, touched - 1, only, -1, pointer(p, HISTOGRAM), pointer(p, COUNTS));
  if (split.foundScore <= least) return false;
  keepSubset(p, node, list, bins);
  return true;
}

function shuffle(p: usize, list: usize, count: i32): void {
  for (let i = count - 1; i > 0; i--) {
    const at = list + (usize(i) << 2);
    const other = list + (usize(below(u32(i + 1), nextBits(p))) << 2);
    const held = load<i32>(at);
    store<i32>(at, load<i32>(other));
    store<i32>(other, held);
  }
}

/** Tries subsets of the categories (and missing) in `list`, which it reorders. */
function tryCategorical(p: usize, node: ForestNode, list: usize, touched: i32, bins: i32): bool {
  const histogram = pointer(p, HISTOGRAM);
  const keys = pointer(p, SCRATCH) + KEYS;
  let only = -1;
  if (load<i32>(p, RANDOM_CUTS)) {
    only = i32(below(u32(touched - 1), nextBits(p)));
    if (touched > ORDERED_CATEGORIES) {
      shuffle(p, list, touched);
      return trySubsets(p, node, list, touched, only, bins);
    }
  }
  if (load<i32>(p, CLASSES) === 0) {
    split.sortByMean(list, touched, histogram, keys);
    return trySubsets(p, node, list, touched, only, bins);
  }
  let first = false;
  if (only < 0) {
    split.sortByClasses(list, touched, 0, histogram, keys);
    first = trySubsets(p, node, list, touched, -1, bins);
  }
  const half = u64(nextBits(p)) | (u64(nextBits(p)) << 32);
  split.sortByClasses(list, touched, half, histogram, keys);
  return trySubsets(p, node, list, touched, only, bins) || first;
}

/** Finds the node's split among drawn features. */
function findSplit(p: usize, id: i32): void {
  const node = nodeAt(p, id);
  const classes = load<i32>(p, CLASSES);
  const width = load<i32>(p, WIDTH);
  const histogram = pointer(p, HISTOGRAM);
  const counts = pointer(p, COUNTS);
  const scratch = pointer(p, SCRATCH);
  const list = scratch + LIST;
  const rows = pointer(p, ROWS) + (usize(node.start) << 2);
  const stats = pointer(p, STATS) + (usize(node.start) << 4);
  const permutation = pointer(p, PERMUTATION);
  const features = load<i32>(p, FEATURES);
  const wanted = load<i32>(p, NODE_FEATURES);
  const columns = pointer(p, COLUMN_MAJOR);
  const columnStride = pointer(p, COLUMN_STRIDE);
  const sums = pointer(p, OUT_SUMS) + usize(id) * (usize(width) << 3);
  split.beginNode(classes, width, sums, node.rows, load<u32>(p, MIN_LEAF), pointer(p, SIDES));
  const least = split.scoreOf(load<f64>(p, MIN_GAIN));
  split.resetScore(least);
  const random = load<i32>(p, RANDOM_CUTS);
  let varied = 0;
  for (let i = 0; i < features && (i < wanted || varied === 0); i++) {
    const here = permutation + (usize(i) << 2);
    const other = here + (usize(below(u32(features - i), nextBits(p))) << 2);
    const feature = load<i32>(other);
    store<i32>(other, load<i32>(here));
    store<i32>(here, feature);
    const bins = load<i32>(pointer(p, VALUE_BINS) + (usize(feature) << 2));
    const column = columns + usize(feature) * columnStride;
    const kind = load<u8>(pointer(p, KINDS) + usize(feature));
    if (random && kind === 0) {
      const tried = tryRandomCut(p, node, column, bins);
      if (tried >= 0) varied++;
      if (tried > 0) node.feature = feature;
      continue;
    }
    const touched = fillHistogram(
      rows,
      stats,
      node.count,
      column,
      bins,
      classes,
      width,
      histogram,
      counts,
      scratch + SET,
      list,
    );
    if (touched > 1) {
      varied++;
      const better = kind
        ? tryCategorical(p, node, list, touched, bins)
        : tryNumeric(p, node, list, touched, bins);
      if (better) node.feature = feature;
    }
    clearHistogram(list, touched, width, histogram, counts);
  }
  if (node.feature >= 0) node.gain = max(split.gainOf(split.foundScore), 0);
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

/** Returns the number of nodes; `p` points to a block as `forest-layout.ts` has it. */
export function growForestTree(p: usize): i32 {
  draws = 0;
  openCount = 0;
  store<i32>(p, 0, OUT_SET_COUNT);
  const permutation = pointer(p, PERMUTATION);
  for (let f = 0; f < load<i32>(p, FEATURES); f++) store<i32>(permutation + (usize(f) << 2), f);
  const root = nodeAt(p, 0);
  root.start = 0;
  root.count = load<u32>(p, ROW_COUNT);
  root.depth = 0;
  let nodes = 1;
  prepare(p, 0);
  const most = load<i32>(p, MAX_LEAVES);
  for (let leaves = 1; openCount > 0 && leaves < most; leaves++) {
    const id = take(p);
    applySplit(p, id, nodes);
    nodes += 2;
    prepare(p, nodes - 2);
    prepare(p, nodes - 1);
  }
  return nodes;
}
