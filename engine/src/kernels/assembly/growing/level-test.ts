/**
 * The test of a level of a symmetric tree: each node adds what every test would make of it to one sum a
 * test, and the best sum of all is taken. The score is the cosine of what the leaves would say and the
 * gradients, times what no test changes (the default of CatBoost's reference implementation).
 */

import { clearSparse, fillSparse, gatherPacked } from "./direct";
import {
  DIRECT_ROWS,
  FEATURE_COUNT,
  FEATURE_LIST,
  FEATURE_RANGES,
  GATHERED,
  HISTOGRAM_ENTRIES,
  KEY_HIGH,
  KEY_LOW,
  KINDS,
  LEVEL_SCORES,
  OCCUPIED,
  OFFSETS,
  SCORE_NOISE,
  SPARSE_HISTOGRAM,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import { pointer } from "./unsplit";

/** Of the tree that is grown: what is added to the weights of a leaf, in their units. */
let lambda: f64 = 0;

/** Before the first level of a tree. @param l2 in units of the histograms */
export function beginTests(l2: f64): void {
  // Sides without rows, of weight 0, then are no 0 / 0.
  lambda = max(l2, 1e-3);
}

/** The terms of the level's nodes as they are. */
let base: v128 = f64x2.splat(0);

/** The test that was found for a level. */
export let foundFeature: i32 = 0;
export let foundBin: i32 = 0;
export let foundCategorical: i32 = 0;
export let foundMissingLeft: i32 = 0;

/** Of a feature, at the root: its first and last bin that hold rows, and whether cells are missing. */
const FIRST: usize = 0;
const LAST: usize = 1;
const MISSING: usize = 2;

function rangeOf(p: usize, feature: usize): usize {
  return pointer(p, FEATURE_RANGES) + (feature << 2);
}

/** What two leaves of these sums add to the score: to its numerator, and to the square of its denominator. */
function termsOf(left: i64, right: i64): v128 {
  const g = f64x2.replace_lane(f64x2.splat(gradientOf(left)), 1, gradientOf(right));
  const w = f64x2.replace_lane(f64x2.splat(hessianOf(left)), 1, hessianOf(right));
  const mean = f64x2.div(g, f64x2.add(w, f64x2.splat(lambda)));
  const over = f64x2.mul(mean, g);
  const under = f64x2.mul(f64x2.mul(mean, mean), w);
  return f64x2.add(v128.shuffle<i64>(over, under, 0, 2), v128.shuffle<i64>(over, under, 1, 3));
}

/** What a node's parting into these sums adds to the numerator, in the units of the histograms. */
export function gainOf(left: i64, right: i64): f64 {
  return (
    f64x2.extract_lane(termsOf(left, right), 0) - f64x2.extract_lane(termsOf(0, left + right), 0)
  );
}

function addTerm(at: usize, term: v128): void {
  v128.store(at, f64x2.add(v128.load(at), term));
}

/**
 * Adds, at each cut of a numeric feature, how a node's terms differ from those at the cut before; most
 * bins of a small node are empty, and change nothing. Missing cells are on the side of `first`.
 */
function addCuts(
  h: usize,
  from: i32,
  to: i32,
  total: i64,
  first: i64,
  whole: v128,
  out: usize,
): void {
  let left = first;
  let before = whole;
  const end = h + (usize(to) << 3);
  let at = h + (usize(from) << 3);
  out += usize(from) << 4;
  if (first !== 0) {
    before = termsOf(first, total - first);
    addTerm(out, f64x2.sub(before, whole));
  }
  while (at <= end) {
    const sum = load<i64>(at);
    if (sum !== 0) {
      left += sum;
      const terms = termsOf(left, total - left);
      addTerm(out, f64x2.sub(terms, before));
      before = terms;
    }
    at += 8;
    out += 16;
  }
}

/** One category against the others, missing cells last: how the terms differ from the node's own. */
function addCategories(h: usize, bins: i32, total: i64, whole: v128, to: usize): void {
  for (let bin = 0; bin <= bins; bin++) {
    const sum = load<i64>(h + (usize(bin) << 3));
    if (sum !== 0) addTerm(to, f64x2.sub(termsOf(sum, total - sum), whole));
    to += 16;
  }
}

/** Where each listed feature's rows lie at the root. */
export function fillRanges(p: usize, histogram: usize): void {
  const list = pointer(p, FEATURE_LIST);
  const count = load<i32>(p, FEATURE_COUNT);
  for (let j = 0; j < count; j++) {
    const feature = usize(load<u32>(list + (usize(j) << 2)));
    const offset = usize(load<u32>(pointer(p, OFFSETS) + (feature << 2)));
    const bins = load<i32>(pointer(p, VALUE_BINS) + (feature << 2));
    const h = histogram + (offset << 3);
    let first = 0;
    let last = bins - 1;
    while (first < last && load<i64>(h + (usize(first) << 3)) === 0) first++;
    while (last > first && load<i64>(h + (usize(last) << 3)) === 0) last--;
    const range = rangeOf(p, feature);
    store<u8>(range, u8(first), FIRST);
    store<u8>(range, u8(last), LAST);
    store<u8>(range, u8(load<i64>(h + (usize(bins) << 3)) !== 0), MISSING);
  }
}

/** Before the nodes of a level. */
export function beginLevel(p: usize): void {
  memory.fill(pointer(p, LEVEL_SCORES), 0, usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 5);
  base = f64x2.splat(0);
}

/** Entries of a feature's histogram that take as long to clear, subtract and look at as one row takes to be read. */
const ENTRIES_OF_ROW: u32 = 4;

/** Whether a node's rows are read in place of a histogram: they are fewer than the bins of most features. */
export function hasFewRows(p: usize, node: Node): bool {
  const most = load<u32>(p, HISTOGRAM_ENTRIES) / load<u32>(p, FEATURE_COUNT) / ENTRIES_OF_ROW;
  return node.count <= max(min(most, load<u32>(p, DIRECT_ROWS)), 1);
}

/** As `addCuts`, of the bins that hold rows alone. @param bins those of values */
function addOccupiedCuts(
  h: usize,
  occupied: usize,
  from: i32,
  bins: i32,
  total: i64,
  first: i64,
  whole: v128,
  out: usize,
): void {
  let left = first;
  let before = whole;
  if (first !== 0) {
    before = termsOf(first, total - first);
    addTerm(out + (usize(from) << 4), f64x2.sub(before, whole));
  }
  for (let start = 0; start < bins; start += 64) {
    let word = load<u64>(occupied + (usize(start) >> 3));
    while (word !== 0) {
      const bin = start + i32(ctz<u64>(word));
      word &= word - 1;
      if (bin >= bins) return;
      const sum = load<i64>(h + (usize(bin) << 3));
      if (sum === 0) continue;
      left += sum;
      const terms = termsOf(left, total - left);
      addTerm(out + (usize(bin) << 4), f64x2.sub(terms, before));
      before = terms;
    }
  }
}

/** As `addCategories`, of the bins that hold rows alone. */
function addOccupiedCategories(
  h: usize,
  occupied: usize,
  bins: i32,
  total: i64,
  whole: v128,
  to: usize,
): void {
  for (let from = 0; from <= bins; from += 64) {
    let word = load<u64>(occupied + (usize(from) >> 3));
    while (word !== 0) {
      const bin = usize(from) + usize(ctz<u64>(word));
      word &= word - 1;
      const sum = load<i64>(h + (bin << 3));
      if (sum !== 0) addTerm(to + (bin << 4), f64x2.sub(termsOf(sum, total - sum), whole));
    }
  }
}

/**
 * Adds what each test would make of a node.
 *
 * @param histogram 0: of few rows, which are read themselves, to the same bits @param scratch as SCRATCH, clear
 */
export function addNode(p: usize, node: Node, histogram: usize, scratch: usize): void {
  const isFew = histogram === 0;
  const whole = termsOf(0, node.sum);
  base = f64x2.add(base, whole);
  // Any test has a lone row on one of its sides.
  if (isFew && node.count < 2) return;
  const offsets = pointer(p, OFFSETS);
  const valueBins = pointer(p, VALUE_BINS);
  const kinds = pointer(p, KINDS);
  const list = pointer(p, FEATURE_LIST);
  const count = load<i32>(p, FEATURE_COUNT);
  const scores = pointer(p, LEVEL_SCORES);
  const other = usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 4;
  const occupied = scratch + OCCUPIED;
  const values = scratch + GATHERED;
  if (isFew) gatherPacked(p, node, values);
  for (let j = 0; j < count; j++) {
    const feature = usize(load<u32>(list + (usize(j) << 2)));
    const offset = usize(load<u32>(offsets + (feature << 2)));
    const bins = load<i32>(valueBins + (feature << 2));
    const h = isFew ? scratch + SPARSE_HISTOGRAM : histogram + (offset << 3);
    const to = scores + (offset << 4);
    if (isFew) fillSparse(p, node, i32(feature), h, occupied, values);
    if (load<u8>(kinds + feature) !== 0) {
      if (isFew) addOccupiedCategories(h, occupied, bins, node.sum, whole, to);
      else addCategories(h, bins, node.sum, whole, to);
    } else {
      const range = rangeOf(p, feature);
      const first = i32(load<u8>(range, FIRST));
      const last = i32(load<u8>(range, LAST));
      const ways = 1 + i32(load<u8>(range, MISSING));
      for (let way = 0; way < ways; way++) {
        const missing = way === 0 ? 0 : load<i64>(h + (usize(bins) << 3));
        const out = way === 0 ? to : to + other;
        if (isFew) addOccupiedCuts(h, occupied, first, bins, node.sum, missing, whole, out);
        else addCuts(h, first, last, node.sum, missing, whole, out);
      }
    }
    if (isFew) clearSparse(h, occupied);
  }
}

function scoreOf(sums: v128): f64 {
  const square = f64x2.extract_lane(sums, 1);
  return square > 0 ? f64x2.extract_lane(sums, 0) / Math.sqrt(square) : 0.0;
}

/** About normal, by the sum of four 16-bit numbers of a splitmix64 hash (Steele, Lea & Flood 2014). */
function noiseOf(key: u64, candidate: u64): f64 {
  let z = key + candidate * ((u64(0x9e3779b9) << 32) | 0x7f4a7c15);
  z = (z ^ (z >> 30)) * ((u64(0xbf58476d) << 32) | 0x1ce4e5b9);
  z = (z ^ (z >> 27)) * ((u64(0x94d049bb) << 32) | 0x133111eb);
  z ^= z >> 31;
  const sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
  // Mean 4 (2¹⁶ - 1) / 2, variance 4 (2³² - 1) / 12.
  return (f64(sum) - 131070.0) * 2.642926e-5;
}

/** Of the squares of two scores: more apart than by rounding. */
const CLEARLY: f64 = 1.0 - 1e-9;
/** No noise is further from 0, in units of its strength. */
const MOST_NOISE: f64 = 3.465;

/** Of the level that is searched: the best score so far, with its noise. */
let best: f64 = 0;
/** A test whose score's square is below that, without noise, is not better whatever its noise. */
let leastSquare: f64 = 0;
let noise: f64 = 0;
let noiseKey: u64 = 0;

/** What is seen of most tests without a root, a division and a draw of noise. @inline */
function isOutOfReach(sums: v128): bool {
  const over = f64x2.extract_lane(sums, 0);
  return over * over < leastSquare * f64x2.extract_lane(sums, 1);
}

function consider(
  sums: v128,
  candidate: usize,
  feature: i32,
  bin: i32,
  missingLeft: i32,
  categorical: i32,
): void {
  let score = scoreOf(sums);
  if (noise > 0) score += noise * noiseOf(noiseKey, u64(candidate) + 1);
  if (score <= best) return;
  best = score;
  const reach = best - MOST_NOISE * noise;
  leastSquare = reach > 0 ? reach * reach * CLEARLY : 0;
  foundFeature = feature;
  foundBin = bin;
  foundCategorical = categorical;
  foundMissingLeft = missingLeft;
}

/** Finds the level's test; false where none parts the weight of any node. */
export function findTest(p: usize, level: i32): bool {
  const offsets = pointer(p, OFFSETS);
  const valueBins = pointer(p, VALUE_BINS);
  const kinds = pointer(p, KINDS);
  const list = pointer(p, FEATURE_LIST);
  const count = load<i32>(p, FEATURE_COUNT);
  const scores = pointer(p, LEVEL_SCORES);
  const entries = usize(load<u32>(p, HISTOGRAM_ENTRIES));
  const none = f64x2.splat(0);
  noise = load<f64>(p, SCORE_NOISE);
  noiseKey =
    (u64(load<u32>(p, KEY_LOW)) | (u64(load<u32>(p, KEY_HIGH)) << 32)) ^ (u64(level + 1) << 56);
  best = -Infinity;
  leastSquare = 0;
  for (let j = 0; j < count; j++) {
    const feature = load<i32>(list + (usize(j) << 2));
    const offset = usize(load<u32>(offsets + (usize(feature) << 2)));
    const bins = load<i32>(valueBins + (usize(feature) << 2));
    if (load<u8>(kinds + usize(feature)) !== 0) {
      for (let bin = 0; bin <= bins; bin++) {
        const change = v128.load(scores + ((offset + usize(bin)) << 4));
        const sums = f64x2.add(base, change);
        if (isOutOfReach(sums) || !v128.any_true(f64x2.ne(change, none))) continue;
        consider(sums, offset + usize(bin), feature, bin, i32(bin === bins), 1);
      }
      continue;
    }
    const range = rangeOf(p, usize(feature));
    const first = i32(load<u8>(range, FIRST));
    const last = i32(load<u8>(range, LAST));
    const missing = i32(load<u8>(range, MISSING));
    for (let missingLeft = 0; missingLeft <= missing; missingLeft++) {
      const start = offset + (missingLeft ? entries : 0);
      // The cut behind all values parts nothing, unless the missing cells are beyond it.
      const end = last + i32(missing && !missingLeft);
      let sums = base;
      for (let bin = first; bin < end; bin++) {
        const candidate = start + usize(bin);
        const change = v128.load(scores + (candidate << 4));
        sums = f64x2.add(sums, change);
        // Asked first, since nobody guesses whether anything lies between this cut and the one before.
        if (isOutOfReach(sums) || !v128.any_true(f64x2.ne(change, none))) continue;
        consider(sums, candidate, feature, bin, missingLeft, 0);
      }
    }
  }
  return best > -Infinity;
}
