/**
 * The best split of a node over one categorical feature.
 *
 * Few categories: each against the rest. More: sorted by gradient / (hessian + smoothing), then
 * cut in that order from either end (Fisher 1958: for such scores the best subset is a prefix),
 * with extra L2 and a least size of the groups that the cut may step over.
 * After Ke et al., "LightGBM", NIPS'17, and its documentation of categorical splits.
 * What an order that is made of the gradients themselves finds in noise is taken from each score
 * (`split-noise.ts`).
 */

import { below, philox } from "../numbers/philox";
import { gradientOf, hessianOf } from "./nodes";
import { sortBins } from "./sort-bins";
import { expectedOfNoise, mostOfNoise } from "./split-noise";

/** Within `scratch`, behind the bins' keys: their order, and what sorting it takes. */
const ORDER: usize = 2048;
const SPARE: usize = 3072;

/** Set once a node. */
let alpha: f64 = 0;
let lambda: f64 = 0;
let extraLambda: f64 = 0;
let smoothing: f64 = 0;
let minHessian: f64 = 0;
let minGroup: f64 = 0;
let noise: f64 = 0;
let nodeGradient: f64 = 0;
let nodeHessian: f64 = 0;

export let foundScore: f64 = 0;
export let foundLeft: i64 = 0;
export let foundMissingLeft: i32 = 0;

/** All in quantised units; `group` is the least hessian of a group. */
export function beginCategorical(
  sum: i64,
  l1: f64,
  l2: f64,
  catL2: f64,
  catSmooth: f64,
  leastHessian: f64,
  group: f64,
  variance: f64,
): void {
  alpha = l1;
  lambda = l2;
  extraLambda = catL2;
  smoothing = catSmooth;
  minHessian = max(leastHessian, 1.0);
  minGroup = group;
  noise = variance;
  nodeGradient = gradientOf(sum);
  nodeHessian = hessianOf(sum);
}

function score(gradient: f64, hessian: f64, l2: f64): f64 {
  const g = max(abs(gradient) - alpha, 0.0);
  return (g * g) / (hessian + l2);
}

function clearSet(set: usize): void {
  v128.store(set, i64x2.splat(0));
  v128.store(set, i64x2.splat(0), 16);
}

function addToSet(set: usize, bin: i32): void {
  const at = set + (usize(bin >> 5) << 2);
  store<u32>(at, load<u32>(at) | (1 << (bin & 31)));
}

function inSet(set: usize, bin: i32): bool {
  return ((load<u32>(set + (usize(bin >> 5) << 2)) >> (bin & 31)) & 1) !== 0;
}

/** Bins that the node has not seen go with the larger side. */
function finish(histogram: usize, bins: i32, set: usize): void {
  if (2.0 * hessianOf(foundLeft) > nodeHessian) {
    for (let b = 0; b < 256; b++) {
      if (b > bins || load<i64>(histogram + (usize(b) << 3)) === 0) addToSet(set, b);
    }
  }
  foundMissingLeft = i32(inSet(set, bins));
}

/**
 * Scans one feature; the missing bin counts as a category. Where `foundScore` ends above `least`
 * the bins that go left are in `set` (32 bytes).
 *
 * @param scratch of 4096 bytes
 */
export function scanCategorical(
  histogram: usize,
  bins: i32,
  least: f64,
  oneVersusRest: i32,
  maxCategories: i32,
  random: i32,
  node: u32,
  feature: u32,
  keyLow: u32,
  keyHigh: u32,
  set: usize,
  scratch: usize,
): void {
  foundScore = least;
  const keys = scratch;
  const order = scratch + ORDER;
  let used = 0;
  for (let b = 0; b <= bins; b++) {
    if (load<i64>(histogram + (usize(b) << 3)) === 0) continue;
    store<i32>(order + (usize(used) << 2), b);
    used++;
  }
  if (used < 2) return;
  const draw = u32(philox(node, feature, 1, keyLow, keyHigh));
  if (used <= oneVersusRest) {
    const only = random ? i32(below(u32(used), draw)) : -1;
    let best = -1;
    for (let i = 0; i < used; i++) {
      if (random && i !== only) continue;
      const b = load<i32>(order + (usize(i) << 2));
      const sum = load<i64>(histogram + (usize(b) << 3));
      const h = hessianOf(sum);
      if (h < minHessian || nodeHessian - h < minHessian) continue;
      const g = gradientOf(sum);
      const value = score(g, h, lambda) + score(nodeGradient - g, nodeHessian - h, lambda);
      if (value > foundScore) {
        foundScore = value;
        foundLeft = sum;
        best = b;
      }
    }
    if (best < 0) return;
    clearSet(set);
    addToSet(set, best);
    finish(histogram, bins, set);
    return;
  }
  let roots: f64 = 0;
  for (let i = 0; i < used; i++) {
    const b = load<i32>(order + (usize(i) << 2));
    const sum = load<i64>(histogram + (usize(b) << 3));
    roots += sqrt(hessianOf(sum));
    store<f64>(keys + (usize(b) << 3), gradientOf(sum) / (hessianOf(sum) + smoothing));
  }
  sortBins(order, used, keys, scratch + SPARE);
  const l2 = lambda + extraLambda;
  const most = mostOfNoise(roots, nodeHessian, noise);
  const limit = min(min(maxCategories, used - 1), (used + 1) >> 1);
  const only = random ? i32(below(u32(limit), draw)) : -1;
  let bestCount = 0;
  let bestReverse = 0;
  for (let reverse = 0; reverse < 2; reverse++) {
    let left: i64 = 0;
    let group: f64 = 0;
    for (let i = 0; i < limit; i++) {
      const b = load<i32>(order + (usize(reverse ? used - 1 - i : i) << 2));
      const sum = load<i64>(histogram + (usize(b) << 3));
      left += sum;
      group += hessianOf(sum);
      const h = hessianOf(left);
      const rest = nodeHessian - h;
      if (h < minHessian) continue;
      if (rest < minHessian || rest < minGroup) break;
      if (group < minGroup) continue;
      group = 0;
      if (random && i !== only) continue;
      const g = gradientOf(left);
      const value =
        score(g, h, l2) + score(nodeGradient - g, rest, l2) - expectedOfNoise(most, h, rest);
      if (value > foundScore) {
        foundScore = value;
        foundLeft = left;
        bestCount = i + 1;
        bestReverse = reverse;
      }
    }
  }
  if (bestCount === 0) return;
  clearSet(set);
  for (let i = 0; i < bestCount; i++) {
    addToSet(set, load<i32>(order + (usize(bestReverse ? used - 1 - i : i) << 2)));
  }
  finish(histogram, bins, set);
}
