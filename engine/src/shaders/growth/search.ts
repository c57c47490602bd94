/**
 * The best split of a feature of the children of nodes that were split, by the kernels' scores in f64
 * (`kernels/assembly/growing/split.ts`).
 */

import { findBest, type GrowthForm, leadersOf, ofChildren, ROUGH } from "./form.ts";

/** Threads of a workgroup, each of several bins. */
const THREADS = 64;
const BINS_OF_THREAD = 256 / THREADS;

/*
 * Loops of one turn stand where an `if` would do: a device of software goes through what is behind a condition also where
 * it holds for no thread, and through no loop that none of them enters.
 */

/**
 * What both searches begin with: their buffers, and the entries of a feature of both children.
 *
 * @param quotients 1, or 2 with that of categories' groups
 * @param threads of a workgroup
 */
export const search = (form: GrowthForm, quotients: 1 | 2, threads: number): string => /* wgsl */ `
${ofChildren(form)}
@group(0) @binding(5) var<storage, read> records: array<Record>;
/** Of the smaller children: hessian, gradient. */
@group(0) @binding(6) var<storage, read> sums: array<vec2<u32>>;
/** Of all nodes. */
@group(0) @binding(7) var<storage, read_write> pool: array<vec2<u32>>;
/** Two children of a node, each by its features. */
@group(0) @binding(8) var<storage, read_write> candidates: array<Candidate>;

/** Of both children. */
var<workgroup> lanes: array<vec4<u32>, ${threads}>;

/** The children of a node, the smaller before the larger. Of the root it is the root, and nothing. */
struct Children {
  rows: vec2<u32>,
  depth: u32,
  leftIsSmaller: bool,
}

fn childrenOf(node: u32) -> Children {
  let parent = batches[fit.batch].nodes[node].record;
  let count = records[fit.records + parent].count;
  if (batches[fit.batch].isRoot == 1u) { return Children(vec2<u32>(count, 0u), records[fit.records + parent].depth, true); }
  let left = heads[fit.heads + node].x;
  let right = count - left;
  return Children(vec2<u32>(min(left, right), max(left, right)), records[fit.records + parent].depth + 1u, left <= right);
}

/** Where a child's candidate lies. */
fn placeOf(node: u32, feature: u32, isLarger: bool, leftIsSmaller: bool) -> u32 {
  let isRight = isLarger == leftIsSmaller;
  return fit.candidates + (2u * node + select(0u, 1u, isRight)) * fit.listedFeatures + feature;
}

/** An entry of the feature, of both children: it is kept for what comes of them. */
fn takeEntry(node: u32, entry: u32) -> vec4<u32> {
  let parent = batches[fit.batch].nodes[node].record;
  let smaller = sums[fit.sums + node * growth.entries + entry];
  let kept = fit.pool + records[fit.records + parent].slot * growth.entries + entry;
  if (batches[fit.batch].isRoot == 1u) {
    pool[kept] = smaller;
    return vec4<u32>(smaller, 0u, 0u);
  }
  let larger = pool[kept] - smaller;
  pool[kept] = larger;
  pool[fit.pool + records[fit.records + parent].spare * growth.entries + entry] = smaller;
  return vec4<u32>(smaller, larger);
}

/** Sums up to each thread, which \`lanes\` has as well then: of some threads by one of them, then of all before. */
fn sumsUpTo(thread: u32, own: vec4<u32>) -> vec4<u32> {
  const EACH = ${leadersOf(threads)}u;
  lanes[thread] = own;
  workgroupBarrier();
  if (thread < EACH) {
    let first = thread * EACH;
    for (var i = first + 1u; i < first + EACH; i++) { lanes[i] += lanes[i - 1u]; }
  }
  workgroupBarrier();
  var sum = lanes[thread];
  for (var end = EACH; end <= thread; end += EACH) { sum += lanes[end - 1u]; }
  workgroupBarrier();
  lanes[thread] = sum;
  workgroupBarrier();
  return sum;
}

/** Of each child: 1 = it may be split, hessian of a side at least and at most, of a group of categories at least. */
var<workgroup> bounds: array<vec4<u32>, 2>;

/** A thread a child. @param all sums of both */
fn setBounds(thread: u32, children: Children, all: vec4<u32>) {
  for (var child = thread; child < 2u; child += 2u) {
    let hessian = select(all.x, all.z, child == 1u);
    let rows = children.rows[child];
    // Hessians of rows of the node's average.
    var quotients = array<vec2<u32>, 2>();
    for (var i = 0u; i < ${quotients}u && rows > 0u; i++) {
      let own = select(growth.minRows, growth.groupRows, i == 1u);
      quotients[i] = over(times(own, fromCount(hessian)), fromCount(rows));
    }
    var least = growth.minHessian;
    if (growth.minData > 1u) { least = larger(least, quotients[0]); }
    let whole = fromCount(hessian);
    let isSplittable = rows > 0u && rows >= 2u * growth.minData && children.depth < growth.maxDepth
      && !isBelow(whole, doubled(least));
    let most = floorOf(minus(whole, least));
    let found = vec4<u32>(1u, ceilingOf(least), most, ceilingOf(quotients[1]));
    bounds[child] = select(vec4<u32>(0u, 0u, 0u, 0u), found, vec4<bool>(isSplittable));
  }
}

${findBest(threads)}
`;

export const searchAll = (threads: number): string => /* wgsl */ `
@compute @workgroup_size(${threads})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let own = fits[workgroup.y];
  fit = own;
  growth = growths[workgroup.y];
  let units = batches[own.batch].count * own.listedFeatures;
  for (var unit = workgroup.x; unit < units; unit += workgroups.x) {
    let node = unit / own.listedFeatures;
    let place = unit % own.listedFeatures;
    if (batches[own.batch].nodes[node].wants == 1u) {
      searchFeature(thread, node, place, features[own.features + place]);
    }
    workgroupBarrier();
  }
}
`;

/**
 * Workgroups: x any number, y a fit; each takes one feature of a node after another. Subtracts the smaller child's entries of the feature from its
 * parent's, and finds the best cut of both children: the first of the best, those with missing values on the
 * right before those with them on the left. A feature of categories is left to `categories.ts`.
 */
export const searchShader = (form: GrowthForm): string => /* wgsl */ `
${search(form, 1, THREADS)}
var<workgroup> missing: vec4<u32>;

/** The sum of the scores of both sides of a cut. */
fn cutScore(left: vec2<u32>, sum: vec2<u32>) -> vec2<u32> {
  let right = sum - left;
  let leftDivisor = plus(fromCount(left.x), growth.lambda);
  let rightDivisor = plus(fromCount(right.x), growth.lambda);
  var both = ZERO;
  // In a loop as the kernel has it in a line: compilers copy what is called into each place.
  for (var side = 0u; side < 2u; side++) {
    let size = shrunk(select(left.y, right.y, side == 1u));
    let own = times(times(size, size), select(rightDivisor, leftDivisor, vec2<bool>(side == 1u)));
    both = plus(both, own);
  }
  return over(both, times(leftDivisor, rightDivisor));
}

/** The least that the best score of each child may be, in f32, as its bits, which are ordered as numbers that are not below 0 are. */
var<workgroup> tops: array<atomic<u32>, 2>;

/** The least and the most that a score may be. */
fn roughScore(left: vec2<u32>, sum: vec2<u32>) -> vec2<f32> {
  let right = sum - left;
  let gradients = abs(vec2<f32>(f32(bitcast<i32>(left.y)), f32(bitcast<i32>(right.y))));
  let rest = max(gradients - growth.roughAlpha, vec2<f32>(0.0, 0.0));
  let divisors = vec2<f32>(f32(left.x), f32(right.x)) + growth.roughLambda;
  let product = divisors.x * divisors.y;
  let score = dot(rest * rest, divisors.yx) / product;
  let error = ${ROUGH} * (dot(gradients * gradients, divisors.yx) / product);
  return vec2<f32>(score - error, score + error);
}

/** @param place of the feature among those that are listed */
fn searchFeature(thread: u32, node: u32, place: u32, feature: vec4<u32>) {
  if (feature.w == 1u) { return; }
  let bins = feature.z;
  let children = childrenOf(node);
  // Sums up to each bin of this thread.
  var prefixes: array<vec4<u32>, ${BINS_OF_THREAD}>;
  let first = ${BINS_OF_THREAD}u * thread;
  var own = vec4<u32>(0u, 0u, 0u, 0u);
  for (var i = 0u; i < ${BINS_OF_THREAD}u; i++) {
    if (first + i < bins) { own += takeEntry(node, feature.y + first + i); }
    if (first + i == bins) { missing = takeEntry(node, feature.y + bins); }
    prefixes[i] = own;
  }
  let before = sumsUpTo(thread, own) - own;
  let all = lanes[${THREADS - 1}] + missing;
  setBounds(thread, children, all);
  if (thread < 2u) { atomicStore(&tops[thread], 0u); }
  let limits = workgroupUniformLoad(&bounds);
  for (var child = 0u; child < 2u; child++) {
    let isLarger = child == 1u;
    let limit = limits[child];
    let sum = select(all.xy, all.zw, isLarger);
    let at = placeOf(node, place, isLarger, children.leftIsSmaller);
    if (limit.x == 0u) {
      if (thread == 0u) {
        candidates[at].score = ZERO;
        candidates[at].sum = sum;
      }
      continue;
    }
    let apart = select(missing.xy, missing.zw, isLarger);
    let hasMissing = (apart.x | apart.y) != 0u;
    var score = ZERO;
    var cut = first;
    // First in f32: the best is near the best of those, and few are computed in f64, which is hundreds of steps.
    var roughs: array<f32, ${2 * BINS_OF_THREAD}>;
    var top = 0.0;
    for (var i = 0u; i < ${2 * BINS_OF_THREAD}u; i++) {
      let isJoined = i >= ${BINS_OF_THREAD}u;
      let upTo = before + prefixes[i % ${BINS_OF_THREAD}u];
      let side = select(upTo.xy, upTo.zw, isLarger) + select(vec2<u32>(0u, 0u), apart, isJoined);
      let isCut = first + i % ${BINS_OF_THREAD}u < bins && side.x >= limit.y && side.x <= limit.z;
      roughs[i] = -1.0;
      if (!isCut || (isJoined && !hasMissing)) { continue; }
      let rough = select(vec2<f32>(0.0, 0.0), roughScore(side, sum), growth.hasRough == 1u);
      roughs[i] = rough.y;
      top = max(top, rough.x);
    }
    atomicMax(&tops[child], bitcast<u32>(top));
    workgroupBarrier();
    let least = bitcast<f32>(atomicLoad(&tops[child]));
    var near = 0u;
    for (var i = 0u; i < ${2 * BINS_OF_THREAD}u; i++) { near |= select(0u, 1u << i, roughs[i] >= least); }
    for (; near != 0u; near &= near - 1u) {
      let i = firstTrailingBit(near);
      let isJoined = i >= ${BINS_OF_THREAD}u;
      let upTo = before + prefixes[i % ${BINS_OF_THREAD}u];
      let side = select(upTo.xy, upTo.zw, isLarger) + select(vec2<u32>(0u, 0u), apart, isJoined);
      let tried = cutScore(side, sum);
      if (isBelow(score, tried)) {
        score = tried;
        cut = first + i % ${BINS_OF_THREAD}u + select(0u, 256u, isJoined);
      }
    }
    findBest(thread, score, cut);
    let bin = cuts[0] % 256u;
    if (bin / ${BINS_OF_THREAD}u == thread) {
      let isJoined = cuts[0] >= 256u;
      let upTo = before + prefixes[bin % ${BINS_OF_THREAD}u];
      let leftSum = select(upTo.xy, upTo.zw, isLarger) + select(vec2<u32>(0u, 0u), apart, isJoined);
      // The side that held more takes the missing values which the node has not seen.
      let isMore = leftSum.x > sum.x - leftSum.x;
      candidates[at].score = scores[0];
      candidates[at].leftSum = leftSum;
      candidates[at].sum = sum;
      candidates[at].bin = bin;
      candidates[at].missingLeft = select(0u, 1u, select(isMore, isJoined, hasMissing));
    }
    workgroupBarrier();
  }
}
${searchAll(THREADS)}`;
