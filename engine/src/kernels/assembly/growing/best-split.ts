/** The best split of a node of a tree that is grown, over all its features. */

import * as categorical from "./categorical";
import * as constrained from "./constrained";
import { clearSparse, fillOne, fillSparse, gatherPacked } from "./direct";
import {
  CAT_L2,
  CAT_NOISE,
  CAT_SMOOTH,
  DIRECT_ROWS,
  FEATURE_COUNT,
  FEATURE_LIST,
  GATHERED,
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  KEY_HIGH,
  KEY_LOW,
  KINDS,
  L1,
  L2,
  MAX_CATEGORIES,
  MAX_DEPTH,
  MIN_DATA,
  MIN_GAIN,
  MIN_GROUP,
  MIN_HESSIAN,
  MONOTONE,
  OCCUPIED,
  OFFSETS,
  ONE_VS_REST,
  RANDOM_THRESHOLDS,
  SCRATCH,
  SPARSE_HISTOGRAM,
  USUAL_BINS,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import * as split from "./split";
import { addOpen, histogramAt, nodeAt, pointer, releaseSlot } from "./unsplit";

// Within SCRATCH, behind the partition table; the category scan uses what lies before it.
/** One feature's histogram, for nodes without one in the pool. */
const ONE_HISTOGRAM: usize = 4352;
/** Up to so many rows, bins that hold none are skipped one by one. */
const SPARSE_ROWS: u32 = 128;

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

export function splittable(p: usize, node: Node): bool {
  return (
    node.depth < load<i32>(p, MAX_DEPTH) &&
    i32(node.count) >= 2 * load<i32>(p, MIN_DATA) &&
    hessianOf(node.sum) >= 2.0 * leastHessian(p, node)
  );
}

/** Whether the node is searched from its rows rather than from a histogram of the pool. */
export function searchedDirectly(p: usize, node: Node): bool {
  return i32(node.count) <= load<i32>(p, DIRECT_ROWS);
}

/** Of the node that is searched: its own score, the one to beat, and loss reduction in one unit of it. */
let parent: f64 = 0;
let floor: f64 = 0;
let unit: f64 = 0;

/** Writes the gain of the node that `beginSearch` was called with. Returns whether its best score beats what it needs. */
export function settle(node: Node, best: f64): bool {
  const isFound = best > floor;
  node.gain = isFound ? (best - parent) * unit : 0;
  return isFound;
}

/** Lists a node as open, or lets its histogram go where it has no split. */
export function listSearched(p: usize, id: i32, node: Node, isFound: bool): void {
  if (isFound) addOpen(p, id);
  else releaseSlot(p, node);
}

/** Finds the node's best split and lists it as open if there is one. */
export function findSplit(p: usize, id: i32): void {
  const node = nodeAt(p, id);
  listSearched(p, id, node, searchNode(p, id, node, pointer(p, SCRATCH)));
}

/**
 * Finds the node's best split, and returns whether there is one.
 *
 * @param id draws random thresholds, and is of no matter without them
 * @param scratch as SCRATCH, of this thread
 */
export function searchNode(p: usize, id: i32, node: Node, scratch: usize): bool {
  const floor = beginSearch(p, node);
  if (node.slot < 0) gatherPacked(p, node, scratch + GATHERED);
  const count = load<i32>(p, FEATURE_COUNT);
  return settle(node, searchFeatures(p, id, node, 0, count, floor, scratch));
}

/** Prepares this thread for scans of the node's features. Returns the score to beat. */
export function beginSearch(p: usize, node: Node): f64 {
  const gradientScale = load<f64>(p, GRADIENT_SCALE);
  const hessianScale = load<f64>(p, HESSIAN_SCALE);
  const least = leastHessian(p, node);
  const l1 = load<f64>(p, L1) * gradientScale;
  const l2 = load<f64>(p, L2) * hessianScale;
  const monotone = pointer(p, MONOTONE);
  split.beginSplits(node.sum, l1, l2, least);
  parent = split.leafScore(gradientOf(node.sum), hessianOf(node.sum));
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
    (load<f64>(p, CAT_NOISE) * gradientScale * gradientScale) / hessianScale,
  );
  // Loss reduction is half the rise in score; the score's unit is hessianScale / gradientScale².
  unit = (0.5 * hessianScale) / (gradientScale * gradientScale);
  floor = parent + max(load<f64>(p, MIN_GAIN) / unit, abs(parent) * 1e-12);
  return floor;
}

/**
 * The best split over some of the listed features, for a node that `beginSearch` was called with. Writes
 * it into the node where its score beats `least`, and returns the best score.
 *
 * @param scratch as SCRATCH, of this thread
 */
export function searchFeatures(
  p: usize,
  id: i32,
  node: Node,
  from: i32,
  to: i32,
  least: f64,
  scratch: usize,
): f64 {
  const monotone = pointer(p, MONOTONE);
  const random = load<i32>(p, RANDOM_THRESHOLDS);
  const keyLow = load<u32>(p, KEY_LOW);
  const keyHigh = load<u32>(p, KEY_HIGH);
  const offsets = pointer(p, OFFSETS);
  const valueBins = pointer(p, VALUE_BINS);
  const kinds = pointer(p, KINDS);
  const list = pointer(p, FEATURE_LIST);
  const usualBins = pointer(p, USUAL_BINS);
  const direct = node.slot < 0;
  const sparse = direct && node.count <= SPARSE_ROWS && random === 0 && monotone === 0;
  const pooled: usize = direct ? 0 : histogramAt(p, node.slot);
  let best = least;
  for (let j = from; j < to; j++) {
    const feature = load<i32>(list + (usize(j) << 2));
    const at = usize(feature) << 2;
    const bins = load<i32>(valueBins + at);
    const isCategorical = load<u8>(kinds + usize(feature)) !== 0;
    if (sparse && !isCategorical) {
      const h = scratch + SPARSE_HISTOGRAM;
      fillSparse(p, node, feature, h, scratch + OCCUPIED, scratch + GATHERED);
      split.scanSparse(h, bins, scratch + OCCUPIED, best);
      clearSparse(h, scratch + OCCUPIED);
      if (split.foundScore > best) best = takeNumeric(node, feature);
      continue;
    }
    let h = pooled + (usize(load<u32>(offsets + at)) << 3);
    if (direct) {
      h = scratch + ONE_HISTOGRAM;
      memory.fill(h, 0, usize(bins + 1) << 3);
      fillOne(p, node, feature, h, scratch + GATHERED);
    } else if (usualBins !== 0) {
      const usual = load<i32>(usualBins + at);
      if (usual >= 0) h = completed(h, bins, usual, node.sum, scratch + ONE_HISTOGRAM);
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
  return best;
}

/** A copy of a feature's histogram in which its usual bin has what the node's sum has beside the others. */
function completed(histogram: usize, bins: i32, usual: i32, sum: i64, to: usize): usize {
  let rest = sum;
  for (let b = 0; b <= bins; b++) {
    const entry = load<i64>(histogram + (usize(b) << 3));
    store<i64>(to + (usize(b) << 3), entry);
    if (b !== usual) rest -= entry;
  }
  store<i64>(to + (usize(usual) << 3), rest);
  return to;
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
