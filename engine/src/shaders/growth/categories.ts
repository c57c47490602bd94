/**
 * The best split of a feature of categories, as `kernels/assembly/growing/categorical.ts` finds them: few of them each
 * against the rest, more sorted and cut in that order from either end. A thread has a category, or a cut.
 */

import { f64Literal, SINGLES } from "../f64.ts";
import { SQUARE_ROOT } from "../f64-whole.ts";
import { NOISE_FACTOR, NOISE_OF_CUT } from "../split-noise.ts";
import { search, searchAll } from "./search.ts";

/** Of a workgroup, each of one bin. */
const THREADS = 256;

/** As ROUGH of `form.ts`, with roots, whose error WGSL bounds by that of two quotients. */
const ROUGH = 1e-5;

/** What follows the begin of a search in `search.ts`. */
const CATEGORIES = /* wgsl */ `
${SQUARE_ROOT}
${SINGLES}

/** Categories that the node has, sorted. */
var<workgroup> usedBins: atomic<u32>;
var<workgroup> sorted: array<u32, 256>;
/** Sums of what is cut off so far, from one end and from the other; without hessian: no cut. */
var<workgroup> sides: array<vec2<u32>, 256>;
var<workgroup> noise: vec2<u32>;
/** The least that the best score may be, in f32, as its bits. */
var<workgroup> top: atomic<u32>;
var<workgroup> binSet: array<atomic<u32>, 8>;

${NOISE_OF_CUT}

fn fromGradient(value: u32) -> vec2<u32> {
  return fromWhole(vec2<u32>(value, select(0u, 0xffffffffu, (value & 0x80000000u) != 0u)));
}

/** Marks the ends of the groups that may be cut off. By one thread. @param fewest hessian of a side @param group of a group */
fn listCuts(many: u32, hessian: u32, fewest: u32, group: u32) {
  let limit = min(min(growth.maxCategories, many - 1u), (many + 1u) >> 1u);
  for (var end = 0u; end < 2u; end++) {
    var left = vec2<u32>(0u, 0u);
    var own = 0u;
    for (var i = 0u; i < limit; i++) {
      let entry = lanes[sorted[select(i, many - 1u - i, end == 1u)]].xy;
      left += entry;
      own += entry.x;
      let rest = hessian - left.x;
      if (left.x < fewest) { continue; }
      if (rest < fewest || rest < group) { break; }
      if (own < group) { continue; }
      own = 0u;
      sides[128u * end + i] = left;
    }
  }
}

/** What noise seems to gain by an order that is made of it: see kernels/assembly/growing/split-noise.ts. By one thread. */
fn noiseOfOrder(bins: u32, hessian: u32) -> vec2<u32> {
  var roots = ZERO;
  // Of a category that the node has not, the root is 0.
  for (var bin = 0u; bin <= bins; bin++) { roots = plus(roots, scores[bin]); }
  let groups = minus(over(times(roots, roots), fromCount(hessian)), ${f64Literal(2)});
  if ((groups.y & 0x80000000u) != 0u) { return ZERO; }
  return times(times(${NOISE_FACTOR}, growth.variance), groups);
}

/** The scores of both sides, less what noise has of them where they are of an order. */
fn cutScore(left: vec2<u32>, right: vec2<u32>, isSorted: bool) -> vec2<u32> {
  let lambda = select(growth.lambda, growth.sortedLambda, isSorted);
  let weight = plus(fromCount(left.x), fromCount(right.x));
  var score = ZERO;
  var share = ZERO;
  // In a loop, since compilers copy what is called into each place; the last turn is of the noise.
  for (var turn = 0u; turn < 3u; turn++) {
    let isNoise = turn == 2u;
    let side = select(left, right, turn == 1u);
    let size = shrunk(side.y);
    let product = times(
      select(size, fromCount(left.x), isNoise),
      select(size, fromCount(right.x), isNoise),
    );
    var divisor = plus(fromCount(side.x), lambda);
    if (isNoise) { divisor = times(weight, weight); }
    let quotient = over(product, divisor);
    if (isNoise) { share = doubled(doubled(quotient)); } else { score = plus(score, quotient); }
  }
  if (!isSorted || isZero(noise)) { return score; }
  return minus(score, noiseOfCut(share));
}

/** A score in f32, and how far it may be from that in f64; the latter below 0: nothing is known. */
fn roughCut(left: vec2<u32>, right: vec2<u32>, isSorted: bool) -> vec2<f32> {
  let lambda = select(growth.roughLambda, growth.roughSortedLambda, isSorted);
  let gradients = abs(vec2<f32>(f32(bitcast<i32>(left.y)), f32(bitcast<i32>(right.y))));
  let rest = max(gradients - growth.roughAlpha, vec2<f32>(0.0, 0.0));
  let leftWeight = f32(left.x);
  let rightWeight = f32(right.x);
  let divisors = vec2<f32>(leftWeight, rightWeight) + lambda;
  let score = dot(rest, rest / divisors);
  let sides = dot(gradients, gradients / divisors);
  let weight = leftWeight + rightWeight;
  let half = sqrt(4.0 * leftWeight / weight * (rightWeight / weight));
  let noisy = bitcast<f32>(toSingle(noise)) * half * sqrt(sqrt(half));
  let lost = select(0.0, noisy, isSorted);
  let isKnown = growth.hasRough == 1u && lost < 1e30;
  return vec2<f32>(score - lost, select(-1.0, ${ROUGH} * (sides + lost), isKnown));
}

/** The best of the feature, for one child. @param entry of this thread's bin, nothing beyond the last */
fn searchChild(thread: u32, bins: u32, entry: vec2<u32>, sum: vec2<u32>, limit: vec4<u32>) {
  let isUsed = (entry.x | entry.y) != 0u;
  if (thread == 0u) { atomicStore(&usedBins, 0u); }
  workgroupBarrier();
  lanes[thread] = vec4<u32>(entry, 0u, 0u);
  sides[thread] = vec2<u32>(0u, 0u);
  scores[thread] = ZERO;
  cuts[thread] = select(0u, 1u, isUsed);
  for (var once = select(1u, 0u, isUsed); once < 1u; once++) {
    atomicAdd(&usedBins, 1u);
    scores[thread] = squareRoot(fromCount(entry.x));
  }
  workgroupBarrier();
  let many = atomicLoad(&usedBins);
  let isSorted = many > growth.oneVersusRest;
  for (var once = select(1u, thread, isSorted); once < 1u; once++) { noise = noiseOfOrder(bins, sum.x); }
  workgroupBarrier();
  let ranks = isUsed && isSorted;
  for (var once = select(1u, 0u, ranks); once < 1u; once++) {
    let key = over(fromGradient(entry.y), plus(fromCount(entry.x), growth.smoothing));
    scores[thread] = ordered(key);
  }
  workgroupBarrier();
  for (var once = select(1u, 0u, ranks); once < 1u; once++) {
    let key = scores[thread];
    var rank = 0u;
    for (var bin = 0u; bin <= bins; bin++) {
      let other = scores[bin];
      let isEqual = other.x == key.x && other.y == key.y;
      if (cuts[bin] == 1u && (isBelow(other, key) || (isEqual && bin < thread))) { rank++; }
    }
    sorted[rank] = thread;
  }
  workgroupBarrier();
  for (var once = select(1u, thread, isSorted && many > 1u); once < 1u; once++) {
    listCuts(many, sum.x, limit.y, limit.w);
  }
  workgroupBarrier();
  var side = sides[thread];
  if (!isSorted) { side = entry; }
  var score = ZERO;
  let isCut = many > 1u && side.x >= limit.y && sum.x - side.x >= limit.y;
  let rough = roughCut(side, sum - side, isSorted);
  let isKnown = rough.y >= 0.0;
  if (thread == 0u) { atomicStore(&top, 0u); }
  workgroupBarrier();
  if (isCut && isKnown) { atomicMax(&top, bitcast<u32>(max(rough.x - rough.y, 0.0))); }
  workgroupBarrier();
  let isNear = isCut && (!isKnown || rough.x + rough.y >= bitcast<f32>(atomicLoad(&top)));
  for (var once = select(1u, 0u, isNear); once < 1u; once++) {
    let tried = cutScore(side, sum - side, isSorted);
    if ((tried.y & 0x80000000u) == 0u) { score = tried; }
  }
  findBest(thread, score, thread);
}

/** Writes the best of all, which \`findBest\` has made the first. */
fn keepBest(thread: u32, bins: u32, entry: vec2<u32>, sum: vec2<u32>, at: u32) {
  let cut = cuts[0];
  let many = atomicLoad(&usedBins);
  let isSorted = many > growth.oneVersusRest;
  let leftSum = select(lanes[cut].xy, sides[cut], isSorted);
  if (thread < 8u) { atomicStore(&binSet[thread], 0u); }
  workgroupBarrier();
  let isUsed = (entry.x | entry.y) != 0u;
  // Bins that the node has not seen go with the larger side.
  let isUnseenLeft = leftSum.x > sum.x - leftSum.x;
  if (select(isUnseenLeft, !isSorted && thread == cut, isUsed)) {
    atomicOr(&binSet[thread >> 5u], 1u << (thread & 31u));
  }
  // Of sorted ones each thread adds the category at its place.
  if (isSorted && thread < min((cut & 127u) + 1u, many)) {
    let bin = sorted[select(thread, many - 1u - thread, cut >= 128u)];
    atomicOr(&binSet[bin >> 5u], 1u << (bin & 31u));
  }
  workgroupBarrier();
  if (thread == 0u) {
    candidates[at].score = scores[0];
    candidates[at].leftSum = leftSum;
    candidates[at].sum = sum;
    candidates[at].bin = 0u;
    candidates[at].missingLeft = (atomicLoad(&binSet[bins >> 5u]) >> (bins & 31u)) & 1u;
    for (var word = 0u; word < 8u; word++) { candidates[at].binSet[word] = atomicLoad(&binSet[word]); }
  }
  workgroupBarrier();
}

fn searchFeature(thread: u32, node: u32, place: u32, feature: vec4<u32>) {
  if (feature.w == 0u) { return; }
  let bins = feature.z;
  let children = childrenOf(node);
  var entry = vec4<u32>(0u, 0u, 0u, 0u);
  if (thread <= bins) { entry = takeEntry(node, feature.y + thread); }
  sumsUpTo(thread, entry);
  let all = lanes[255];
  setBounds(thread, children, all);
  let limits = workgroupUniformLoad(&bounds);
  for (var child = 0u; child < 2u; child++) {
    let isLarger = child == 1u;
    let own = select(entry.xy, entry.zw, isLarger);
    let sum = select(all.xy, all.zw, isLarger);
    let at = placeOf(node, place, isLarger, children.leftIsSmaller);
    if (limits[child].x == 1u) {
      searchChild(thread, bins, own, sum, limits[child]);
      keepBest(thread, bins, own, sum, at);
    } else if (thread == 0u) {
      candidates[at].score = ZERO;
      candidates[at].sum = sum;
    }
  }
}
`;

/** As `searchShader` of `search.ts`, the features of categories. */
export const CATEGORY_SEARCH = `${search({ hasCategories: true }, 2, THREADS)}${CATEGORIES}${searchAll(THREADS)}`;
