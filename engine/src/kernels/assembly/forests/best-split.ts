/** The split of a node of a forest's tree: among features and cuts drawn at random. */

import { below, philox } from "../numbers/philox";
import * as cuts from "./cut";
import { clearHistogram, fillHistogram } from "./histogram";
import {
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
  MASS_LOGS,
  MIN_GAIN,
  MIN_LEAF,
  NODE_BYTES,
  NODE_FEATURES,
  NODES,
  OUT_SUMS,
  PERMUTATION,
  RANDOM_CUTS,
  ROWS,
  SCRATCH,
  SIDES,
  SPARE_WORD,
  STATS,
  VALUE_BINS,
  WEIGHT_SCALE,
  WIDTH,
  WORDS_DRAWN,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { ForestNode } from "./node";
import * as split from "./split";

/** Offsets within SCRATCH: touched bins, their order, sort keys, a bin set. */
const LIST: usize = 0;
const KEYS: usize = 1056;
const SET: usize = 3136;
/** What sorting takes. */
const SORTING: usize = 6144;
/** A partition table, for `grower.ts`. */
export const TABLE: usize = 3200;

let draws: u32 = 0;
let spare: u32 = 0;

export function pointer(p: usize, field: usize): usize {
  return usize(load<u32>(p + field));
}

export function nodeAt(p: usize, node: i32): ForestNode {
  return changetype<ForestNode>(pointer(p, NODES) + usize(node) * NODE_BYTES);
}

/** Goes on with the tree's random bits where it was left. */
export function loadDraws(p: usize): void {
  draws = load<u32>(p, WORDS_DRAWN);
  spare = load<u32>(p, SPARE_WORD);
}

export function keepDraws(p: usize): void {
  store<u32>(p, draws, WORDS_DRAWN);
  store<u32>(p, spare, SPARE_WORD);
}

/** The tree's next 32 random bits. */
function nextBits(p: usize): u32 {
  draws++;
  if ((draws & 1) === 0) return spare;
  const bits = philox(draws >> 1, 0, 3, load<u32>(p, KEY_LOW), load<u32>(p, KEY_HIGH));
  spare = u32(bits >> 32);
  return u32(bits);
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

/** Tries subsets of the categories (and missing) in `list`, which it reorders. */
function tryCategorical(p: usize, node: ForestNode, list: usize, touched: i32, bins: i32): bool {
  const histogram = pointer(p, HISTOGRAM);
  const keys = pointer(p, SCRATCH) + KEYS;
  const sorting = pointer(p, SCRATCH) + SORTING;
  let only = -1;
  if (load<i32>(p, RANDOM_CUTS)) only = i32(below(u32(touched - 1), nextBits(p)));
  const stats = pointer(p, STATS) + (usize(node.start) << 4);
  if (load<i32>(p, CLASSES) === 0) {
    const roots = split.sortByMean(list, touched, histogram, keys, sorting);
    split.noiseOfMoments(stats, node.count, roots);
    return trySubsets(p, node, list, touched, only, bins);
  }
  let first = false;
  if (only < 0) {
    const roots = split.sortByClasses(list, touched, 0, histogram, keys, sorting);
    split.noiseOfClasses(stats, node.count, roots, 0);
    first = trySubsets(p, node, list, touched, -1, bins);
  }
  const half = u64(nextBits(p)) | (u64(nextBits(p)) << 32);
  const roots = split.sortByClasses(list, touched, half, histogram, keys, sorting);
  split.noiseOfClasses(stats, node.count, roots, half);
  return trySubsets(p, node, list, touched, only, bins) || first;
}

/** Finds the node's split among drawn features. */
export function findSplit(p: usize, id: i32): void {
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
  split.beginNode(
    classes,
    width,
    sums,
    node.rows,
    load<u32>(p, MIN_LEAF),
    pointer(p, SIDES),
    pointer(p, MASS_LOGS),
    load<f64>(p, WEIGHT_SCALE),
  );
  const least = split.scoreOf(load<f64>(p, MIN_GAIN));
  split.resetScore(least);
  split.resetNoise();
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
    split.resetNoise();
  }
  if (node.feature >= 0) node.gain = max(split.gainOf(split.foundScore), 0);
}
