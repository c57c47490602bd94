/**
 * Trees that grow on a device as a whole, to the CPU's bits: the best split of each node, by the kernels' scores in f64
 * (`kernels/assembly/split.ts`), and which nodes are split next. Rows are parted by `partition.ts` and summed by
 * `histogram.ts`.
 *
 * A step splits several nodes: the one that the tree splits next, and beside it those that it splits likely. What
 * comes of them waits until the tree has them split, or never does: the rows of a node are read on one side of a buffer
 * and written to the other, so that a node that stays a leaf has its rows where they were, and a node is split ahead of
 * time once at most. So a tree is what it would be node by node.
 */

import { F64_PRODUCTS, f64Literal, OVER } from "./f64.ts";
import { ORDER, WHOLE } from "./f64-whole.ts";
import { CATEGORIES } from "./grow-categories.ts";
import { THREADS } from "./histogram.ts";
import { BATCH } from "./partition.ts";
import { NO_SPLIT } from "./tree-form.ts";

/** What is known of all trees of a fit. */
export interface GrowthForm {
  readonly hasCategories: boolean;
}

/**
 * How far scores in f32 may be from those in f64, as a share of them: they are sums of products of whole numbers, some twenty
 * roundings of 2⁻²⁴, and WGSL's quotient errs by 2½ of them.
 */
const ROUGH = 4e-6;

/** As tree-form.ts has them. */
const GROWTH = /* wgsl */ `
struct Growth {
  maxLeaves: u32,
  maxDepth: u32,
  byDepth: u32,
  /** Nodes of a step. */
  most: u32,
  /** Rows of a block that is parted. */
  blockRows: u32,
  /** Most rows of a tree: from one side to the other. */
  capacity: u32,
  records: u32,
  stamp: u32,
  /** Of a histogram. */
  entries: u32,
  features: u32,
  minData: u32,
  /** Of categories: up to so many each is tried against the rest; most on the listed side. */
  oneVersusRest: u32,
  maxCategories: u32,
  /** 1: scores in f32 are within ${ROUGH} of theirs, by lambda in f32. */
  hasRough: u32,
  roughLambda: f32,
  roughSortedLambda: f32,
  /** The rest is f64, in quantised units. */
  alpha: vec2<u32>,
  lambda: vec2<u32>,
  minHessian: vec2<u32>,
  /** Rows of a side at least, less half a row. */
  minRows: vec2<u32>,
  /** By which the score of a split is to beat its node's. */
  minRise: vec2<u32>,
  /** Loss reduction in one unit of score. */
  unit: vec2<u32>,
  /** Of categories: lambda of those that are sorted, what smooths their order, rows of a group less half a row, noise. */
  sortedLambda: vec2<u32>,
  smoothing: vec2<u32>,
  groupRows: vec2<u32>,
  variance: vec2<u32>,
}
struct Record {
  start: u32,
  count: u32,
  depth: u32,
  /** Its number in the tree, once it is a node of it. */
  id: u32,
  left: u32,
  /** Its histogram, and the one that its smaller child gets. */
  slot: u32,
  spare: u32,
  missingBin: u32,
  sum: vec2<u32>,
  score: vec2<u32>,
  gain: vec2<u32>,
  feature: u32,
  bin: u32,
  missingLeft: u32,
  categorical: u32,
  leftSum: vec2<u32>,
  leftCount: u32,
  unused: array<u32, 3>,
  /** A bit a bin that goes left. */
  binSet: array<u32, 8>,
}
@group(0) @binding(0) var<uniform> growth: Growth;
`;

const NUMBERS = /* wgsl */ `
const ZERO = vec2<u32>(0u, 0u);
${F64_PRODUCTS}
${OVER}
${WHOLE}
${ORDER}

fn fromCount(value: u32) -> vec2<u32> { return fromWhole(vec2<u32>(value, 0u)); }

/** The size of a sum of gradients, less what L1 takes. */
fn shrunk(gradient: u32) -> vec2<u32> {
  let size = select(gradient, 0u - gradient, (gradient & 0x80000000u) != 0u);
  let rest = minus(fromCount(size), growth.alpha);
  return select(rest, ZERO, (rest.y & 0x80000000u) != 0u);
}

/** Twice a number that is not below the normal ones. */
fn doubled(value: vec2<u32>) -> vec2<u32> { return value + vec2<u32>(0u, 0x100000u); }

fn larger(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> { return select(one, other, isBelow(one, other)); }

/** Of a number from 0 to below 2³²: the whole number that is not above it. */
fn floorOf(value: vec2<u32>) -> u32 {
  let exponent = (value.y >> 20u) & 0x7ffu;
  if (exponent < 1023u) { return 0u; }
  let by = 1075u - exponent;
  let high = (value.y & 0xfffffu) | 0x100000u;
  if (by >= 32u) { return high >> (by - 32u); }
  return (value.x >> by) | (high << (32u - by));
}

/** And the one that is not below it. */
fn ceilingOf(value: vec2<u32>) -> u32 {
  let whole = floorOf(value);
  return whole + select(0u, 1u, isBelow(fromCount(whole), value));
}
`;

/** Threads of a workgroup that looks for a best one, each at several; one a bin where categories are sorted. */
const SEARCHERS = 64;
const SORTERS = 256;
const BINS_OF_SEARCHER = 256 / SEARCHERS;

/*
 * Loops of one turn stand where an \`if\` would do: a device of software goes through what is behind a condition also where
 * it holds for no thread, and through no loop that none of them enters.
 */

/** So many threads look at as many others each, since all threads wait for each other seldom then. */
const groupsOf = (threads: number): number => Math.sqrt(threads);

const findBest = (threads: number): string => /* wgsl */ `
var<workgroup> scores: array<vec2<u32>, ${threads}>;
/** What a score is of; the least of equal ones is the best. */
var<workgroup> cuts: array<u32, ${threads}>;

/** The best of so many, so far apart, comes to be the first. */
fn takeBest(first: u32, many: u32, apart: u32) {
  var best = first;
  for (var i = first + apart; i < first + many * apart; i += apart) {
    let isEqual = scores[i].x == scores[best].x && scores[i].y == scores[best].y;
    if (isBelow(scores[best], scores[i]) || (isEqual && cuts[i] < cuts[best])) { best = i; }
  }
  scores[first] = scores[best];
  cuts[first] = cuts[best];
}

/** The best of all threads comes to be the first. */
fn findBest(thread: u32, score: vec2<u32>, cut: u32) {
  scores[thread] = score;
  cuts[thread] = cut;
  workgroupBarrier();
  if (thread < ${groupsOf(threads)}u) { takeBest(thread * ${groupsOf(threads)}u, ${groupsOf(threads)}u, 1u); }
  workgroupBarrier();
  if (thread == 0u) { takeBest(0u, ${groupsOf(threads)}u, ${groupsOf(threads)}u); }
  workgroupBarrier();
}
`;

/** What a feature offers a node. */
const candidate = ({ hasCategories }: GrowthForm): string => /* wgsl */ `
struct Candidate {
  /** 0: nothing. */
  score: vec2<u32>,
  leftSum: vec2<u32>,
  /** Of the node. */
  sum: vec2<u32>,
  bin: u32,
  missingLeft: u32,
  ${hasCategories ? "binSet: array<u32, 8>," : ""}
}
`;

/**
 * What both searches begin with: their buffers, and the entries of a feature of both children.
 *
 * @param quotients 1, or 2 with that of categories' groups
 * @param threads of a workgroup
 */
const search = (form: GrowthForm, quotients: 1 | 2, threads: number): string => /* wgsl */ `
${GROWTH}
${NUMBERS}
${candidate(form)}
${BATCH}
@group(0) @binding(1) var<storage, read> batch: Batch;
/** A listed feature: its number, first entry, value bins, 1 = categorical. */
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
/** Rows of each node that went left. */
@group(0) @binding(3) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> records: array<Record>;
/** Of the smaller children: hessian, gradient. */
@group(0) @binding(5) var<storage, read> sums: array<vec2<u32>>;
/** Of all nodes. */
@group(0) @binding(6) var<storage, read_write> pool: array<vec2<u32>>;
/** Two children of a node, each by its features. */
@group(0) @binding(7) var<storage, read_write> candidates: array<Candidate>;

/** Of both children. */
var<workgroup> lanes: array<vec4<u32>, ${threads}>;

/** The children of a node, the smaller before the larger. Of the root it is the root, and nothing. */
struct Children {
  rows: vec2<u32>,
  depth: u32,
  leftIsSmaller: bool,
}

fn childrenOf(node: u32) -> Children {
  let parent = batch.nodes[node].record;
  let count = records[parent].count;
  if (batch.isRoot == 1u) { return Children(vec2<u32>(count, 0u), records[parent].depth, true); }
  let left = heads[node].x;
  let right = count - left;
  return Children(vec2<u32>(min(left, right), max(left, right)), records[parent].depth + 1u, left <= right);
}

/** Where a child's candidate lies. */
fn placeOf(node: u32, feature: u32, isLarger: bool, leftIsSmaller: bool) -> u32 {
  let isRight = isLarger == leftIsSmaller;
  return (2u * node + select(0u, 1u, isRight)) * growth.features + feature;
}

/** An entry of the feature, of both children: it is kept for what comes of them. */
fn takeEntry(node: u32, entry: u32) -> vec4<u32> {
  let parent = batch.nodes[node].record;
  let smaller = sums[node * growth.entries + entry];
  let kept = records[parent].slot * growth.entries + entry;
  if (batch.isRoot == 1u) {
    pool[kept] = smaller;
    return vec4<u32>(smaller, 0u, 0u);
  }
  let larger = pool[kept] - smaller;
  pool[kept] = larger;
  pool[records[parent].spare * growth.entries + entry] = smaller;
  return vec4<u32>(smaller, larger);
}

/** Sums up to each thread, which \`lanes\` has as well then: of some threads by one of them, then of all before. */
fn sumsUpTo(thread: u32, own: vec4<u32>) -> vec4<u32> {
  const EACH = ${groupsOf(threads)}u;
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

const searchAll = (threads: number): string => /* wgsl */ `
@compute @workgroup_size(${threads})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  for (var unit = workgroup.x; unit < batch.count * growth.features; unit += workgroups.x) {
    let node = unit / growth.features;
    if (batch.nodes[node].wants == 1u) { searchFeature(thread, node, unit % growth.features); }
    workgroupBarrier();
  }
}
`;

/**
 * Workgroups: any number, each takes one feature of a node after another. Subtracts the smaller child's entries of the feature from its
 * parent's, and finds the best cut of both children: the first of the best, those with missing values on the
 * right before those with them on the left. A feature of categories is left to `categorySearchShader`.
 */
export const searchShader = (form: GrowthForm): string => /* wgsl */ `
${search(form, 1, SEARCHERS)}
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

/** The best score in f32 of each child, as its bits, which are ordered as numbers that are not below 0 are. */
var<workgroup> tops: array<atomic<u32>, 2>;

fn roughScore(left: vec2<u32>, sum: vec2<u32>) -> f32 {
  let right = sum - left;
  let leftGradient = f32(bitcast<i32>(left.y));
  let rightGradient = f32(bitcast<i32>(right.y));
  let leftDivisor = f32(left.x) + growth.roughLambda;
  let rightDivisor = f32(right.x) + growth.roughLambda;
  return (leftGradient * leftGradient * rightDivisor + rightGradient * rightGradient * leftDivisor)
    / (leftDivisor * rightDivisor);
}

fn searchFeature(thread: u32, node: u32, place: u32) {
  let feature = features[place];
  if (feature.w == 1u) { return; }
  let bins = feature.z;
  let children = childrenOf(node);
  // Sums up to each bin of this thread.
  var prefixes: array<vec4<u32>, ${BINS_OF_SEARCHER}>;
  let first = ${BINS_OF_SEARCHER}u * thread;
  var own = vec4<u32>(0u, 0u, 0u, 0u);
  for (var i = 0u; i < ${BINS_OF_SEARCHER}u; i++) {
    if (first + i < bins) { own += takeEntry(node, feature.y + first + i); }
    if (first + i == bins) { missing = takeEntry(node, feature.y + bins); }
    prefixes[i] = own;
  }
  let before = sumsUpTo(thread, own) - own;
  let all = lanes[${SEARCHERS - 1}] + missing;
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
    var roughs: array<f32, ${2 * BINS_OF_SEARCHER}>;
    var top = 0.0;
    for (var i = 0u; i < ${2 * BINS_OF_SEARCHER}u; i++) {
      let isJoined = i >= ${BINS_OF_SEARCHER}u;
      let upTo = before + prefixes[i % ${BINS_OF_SEARCHER}u];
      let side = select(upTo.xy, upTo.zw, isLarger) + select(vec2<u32>(0u, 0u), apart, isJoined);
      let isCut = first + i % ${BINS_OF_SEARCHER}u < bins && side.x >= limit.y && side.x <= limit.z;
      roughs[i] = -1.0;
      if (!isCut || (isJoined && !hasMissing)) { continue; }
      roughs[i] = select(0.0, roughScore(side, sum), growth.hasRough == 1u);
      top = max(top, roughs[i]);
    }
    atomicMax(&tops[child], bitcast<u32>(top));
    workgroupBarrier();
    let least = bitcast<f32>(atomicLoad(&tops[child])) * ${1 - 4 * ROUGH};
    var near = 0u;
    for (var i = 0u; i < ${2 * BINS_OF_SEARCHER}u; i++) { near |= select(0u, 1u << i, roughs[i] >= least); }
    for (; near != 0u; near &= near - 1u) {
      let i = firstTrailingBit(near);
      let isJoined = i >= ${BINS_OF_SEARCHER}u;
      let upTo = before + prefixes[i % ${BINS_OF_SEARCHER}u];
      let side = select(upTo.xy, upTo.zw, isLarger) + select(vec2<u32>(0u, 0u), apart, isJoined);
      let tried = cutScore(side, sum);
      if (isBelow(score, tried)) {
        score = tried;
        cut = first + i % ${BINS_OF_SEARCHER}u + select(0u, 256u, isJoined);
      }
    }
    findBest(thread, score, cut);
    let bin = cuts[0] % 256u;
    if (bin / ${BINS_OF_SEARCHER}u == thread) {
      let isJoined = cuts[0] >= 256u;
      let upTo = before + prefixes[bin % ${BINS_OF_SEARCHER}u];
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
${searchAll(SEARCHERS)}`;

/** As `searchShader`, the features of categories. */
export const CATEGORY_SEARCH = `${search({ hasCategories: true }, 2, SORTERS)}${CATEGORIES}${searchAll(SORTERS)}`;

/** Workgroups: any number, each takes one child after another. Writes the child with the best split of all features, the first of the best. */
export const settleShader = (form: GrowthForm): string => /* wgsl */ `
${GROWTH}
${NUMBERS}
${candidate(form)}
${BATCH}
@group(0) @binding(1) var<storage, read> batch: Batch;
@group(0) @binding(2) var<storage, read> features: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> candidates: array<Candidate>;
@group(0) @binding(5) var<storage, read_write> records: array<Record>;

${findBest(SEARCHERS)}

/** Writes what the best split gains, where it gains enough. */
fn keepSplit(at: u32, best: Candidate, feature: vec4<u32>) {
  let size = shrunk(best.sum.y);
  let own = over(times(size, size), plus(fromCount(best.sum.x), growth.lambda));
  let tiny = times(own, ${f64Literal(1e-12)});
  if (!isBelow(plus(own, larger(growth.minRise, tiny)), best.score)) { return; }
  records[at].score = best.score;
  records[at].gain = times(minus(best.score, own), growth.unit);
  records[at].feature = feature.x;
  records[at].missingBin = feature.z;
  records[at].bin = best.bin;
  records[at].missingLeft = best.missingLeft;
  records[at].leftSum = best.leftSum;
  records[at].categorical = feature.w;
  ${form.hasCategories ? "records[at].binSet = best.binSet;" : ""}
}

fn settleChild(thread: u32, child: u32) {
  let node = child >> 1u;
  let first = child * growth.features;
  let wants = batch.nodes[node].wants == 1u;
  var best = ZERO;
  var place = thread;
  if (wants) {
    for (var i = thread; i < growth.features; i += ${SEARCHERS}u) {
      let score = candidates[first + i].score;
      if (isBelow(best, score)) {
        best = score;
        place = i;
      }
    }
  }
  findBest(thread, best, place);
  for (var once = thread; once < 1u; once++) { writeChild(child, wants); }
}

/** By one thread. */
fn writeChild(child: u32, wants: bool) {
  let node = child >> 1u;
  let isRoot = batch.isRoot == 1u;
  let first = child * growth.features;
  let parent = batch.nodes[node].record;
  var at = parent;
  if (!isRoot) {
    let isRight = (child & 1u) == 1u;
    let leftCount = heads[node].x;
    let rightCount = records[parent].count - leftCount;
    at = records[parent].left + select(0u, 1u, isRight);
    let isSmaller = (leftCount <= rightCount) != isRight;
    records[at].start = records[parent].start + select(0u, leftCount, isRight);
    records[at].count = select(leftCount, rightCount, isRight);
    records[at].depth = records[parent].depth + 1u;
    records[at].slot = select(records[parent].slot, records[parent].spare, isSmaller);
    if (!isRight) { records[parent].leftCount = leftCount; }
  }
  records[at].left = 0u;
  records[at].feature = ${NO_SPLIT}u;
  records[at].sum = ZERO;
  if (!wants) { return; }
  // Each feature's entries add up to the node's sum.
  records[at].sum = candidates[first].sum;
  if ((scores[0].x | scores[0].y) != 0u) { keepSplit(at, candidates[first + cuts[0]], features[cuts[0]]); }
}

@compute @workgroup_size(${SEARCHERS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let children = select(2u * batch.count, 1u, batch.isRoot == 1u);
  for (var child = workgroup.x; child < children; child += workgroups.x) {
    settleChild(thread, child);
    workgroupBarrier();
  }
}
`;

/** One workgroup. Has the tree split what it splits next and has been made, and chooses what is made now. */
export const PLAN_STEP = /* wgsl */ `
${GROWTH}
${BATCH}
struct State {
  records: u32,
  slots: u32,
  openCount: u32,
  leaves: u32,
  ids: u32,
  isGrown: u32,
  steps: u32,
  stamp: u32,
  /** Records of the tree's leaves that may be split. */
  open: array<u32>,
}
@group(0) @binding(1) var<storage, read_write> state: State;
@group(0) @binding(2) var<storage, read_write> records: array<Record>;
@group(0) @binding(3) var<storage, read_write> batch: Batch;

const NONE = 0xffffffffu;

/** Gain, high word and low word; the node's number; its place among the open ones. */
var<workgroup> keys: array<vec4<u32>, ${THREADS}>;
/** Of a chosen node: its blocks. */
var<workgroup> blocks: array<u32, ${THREADS}>;
var<workgroup> goesOn: u32;
var<workgroup> isGrown: u32;
var<workgroup> openCount: u32;
var<workgroup> room: u32;
var<workgroup> chosen: atomic<u32>;

fn keyOf(at: u32) -> vec4<u32> {
  if (at >= openCount) { return vec4<u32>(0u, 0u, NONE, NONE); }
  let record = state.open[at];
  let gain = select(records[record].gain, vec2<u32>(0u, 0u), growth.byDepth == 1u);
  return vec4<u32>(gain.y, gain.x, records[record].id, at);
}

/** Whether one is split before the other: no number is another's. */
fn isBefore(one: vec4<u32>, other: vec4<u32>) -> bool {
  if (one.x != other.x) { return one.x > other.x; }
  if (one.y != other.y) { return one.y > other.y; }
  return one.z < other.z;
}

/** The key that is before so many others, so far apart, comes to be the first. */
fn takeFirst(first: u32, many: u32, apart: u32) {
  var best = keys[first];
  for (var i = first + apart; i < first + many * apart; i += apart) {
    if (isBefore(keys[i], best)) { best = keys[i]; }
  }
  keys[first] = best;
}

fn openChild(record: u32, id: u32) {
  records[record].id = id;
  if (records[record].feature == ${NO_SPLIT}u) { return; }
  state.open[openCount] = record;
  openCount++;
}

/** Splits the node that is due, if it has been made. By one thread. */
fn splitNext(next: vec4<u32>) {
  goesOn = 0u;
  if (next.w == NONE || state.leaves == growth.maxLeaves) {
    isGrown = 1u;
    return;
  }
  let record = state.open[next.w];
  let left = records[record].left;
  if (left == 0u) { return; }
  goesOn = 1u;
  openCount--;
  state.open[next.w] = state.open[openCount];
  openChild(left, state.ids);
  openChild(left + 1u, state.ids + 1u);
  state.ids += 2u;
  state.leaves++;
}

/** Writes which bins go left. */
fn writeTable(to: u32, record: u32) {
  if (records[record].categorical == 1u) {
    batch.nodes[to].table = records[record].binSet;
    return;
  }
  let bin = records[record].bin;
  for (var word = 0u; word < 8u; word++) {
    var bits = 0u;
    if (bin >= 32u * word + 31u) { bits = NONE; }
    else if (bin >= 32u * word) { bits = (2u << (bin & 31u)) - 1u; }
    batch.nodes[to].table[word] = bits;
  }
  let missing = records[record].missingBin;
  let bit = 1u << (missing & 31u);
  let word = missing >> 5u;
  let others = batch.nodes[to].table[word] & ~bit;
  batch.nodes[to].table[word] = others | select(0u, bit, records[record].missingLeft == 1u);
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  if (thread == 0u) {
    isGrown = state.isGrown;
    openCount = state.openCount;
    // A root that cannot be split.
    if (state.ids == 1u && records[0].feature == ${NO_SPLIT}u) { openCount = 0u; }
    goesOn = 1u - isGrown;
    atomicStore(&chosen, 0u);
    state.stamp = growth.stamp;
  }
  loop {
    if (workgroupUniformLoad(&goesOn) == 0u) { break; }
    var best = keyOf(NONE);
    for (var at = thread; at < openCount; at += ${THREADS}u) {
      let key = keyOf(at);
      if (isBefore(key, best)) { best = key; }
    }
    keys[thread] = best;
    workgroupBarrier();
    if (thread < ${groupsOf(THREADS)}u) { takeFirst(thread * ${groupsOf(THREADS)}u, ${groupsOf(THREADS)}u, 1u); }
    workgroupBarrier();
    if (thread == 0u) {
      takeFirst(0u, ${groupsOf(THREADS)}u, ${groupsOf(THREADS)}u);
      splitNext(keys[0]);
    }
    storageBarrier();
  }
  if (thread == 0u) {
    let left = min(growth.maxLeaves - state.leaves, (growth.records - state.records) / 2u);
    room = select(min(growth.most, left), 0u, isGrown == 1u);
    state.isGrown = isGrown;
    state.openCount = openCount;
    state.steps += 1u - isGrown;
  }
  let most = workgroupUniformLoad(&room);
  let many = workgroupUniformLoad(&openCount);
  // Those that are not made yet, by how many of them come before each.
  for (var first = 0u; first < many; first += ${THREADS}u) {
    let at = first + thread;
    let own = keyOf(at);
    let record = state.open[min(at, many - 1u)];
    var rank = 0u;
    for (var start = 0u; start < many; start += ${THREADS}u) {
      let other = start + thread;
      var key = keyOf(other);
      if (other < many && records[state.open[other]].left != 0u) { key = keyOf(NONE); }
      keys[thread] = key;
      workgroupBarrier();
      for (var i = 0u; i < min(${THREADS}u, many - start); i++) {
        if (keys[i].w != NONE && isBefore(keys[i], own)) { rank++; }
      }
      workgroupBarrier();
    }
    if (at < many && rank < most && records[record].left == 0u) {
      let depth = records[record].depth;
      atomicAdd(&chosen, 1u);
      let side = depth & 1u;
      let start = records[record].start;
      batch.nodes[rank].readAt = start + side * growth.capacity;
      batch.nodes[rank].writeAt = start + (1u - side) * growth.capacity;
      batch.nodes[rank].count = records[record].count;
      batch.nodes[rank].feature = records[record].feature;
      // Of the last split's children, and of those that are not split, no histogram is asked for.
      let isLast = growth.maxLeaves - state.leaves < 2u;
      batch.nodes[rank].wants = select(1u, 0u, isLast || depth + 1u >= growth.maxDepth);
      batch.nodes[rank].record = record;
      let own = (records[record].count + growth.blockRows - 1u) / growth.blockRows;
      blocks[rank] = own;
      batch.nodes[rank].blocks = own;
      writeTable(rank, record);
    }
    // Nobody is taken for made before all are ranked.
    storageBarrier();
    workgroupBarrier();
  }
  let count = atomicLoad(&chosen);
  if (thread < count) {
    var before = 0u;
    for (var i = 0u; i < thread; i++) { before += blocks[i]; }
    batch.nodes[thread].firstBlock = before;
    let record = batch.nodes[thread].record;
    records[record].left = state.records + 2u * thread;
    records[record].spare = state.slots + thread;
    if (thread == count - 1u) { batch.blocks = before + blocks[thread]; }
  }
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) {
    batch.count = count;
    batch.isRoot = 0u;
    if (count == 0u) { batch.blocks = 0u; }
    state.records += 2u * count;
    state.slots += count;
  }
}
`;
