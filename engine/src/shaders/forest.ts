/**
 * Grows trees of a forest, a workgroup each, as `kernels/assembly/forests/grower.ts` does: the same draws, the same order of
 * nodes, the same sums and scores, operation by operation. A dispatch goes on with each tree for a while and leaves
 * it as it is, so that no dispatch is long. Sums are whole numbers of 64 bits; scores are f64 by integers.
 *
 * One thread holds the tree: which node is next, what is drawn. All threads go through a node's rows.
 */

import { PHILOX } from "./bag.ts";
import { F64, f64Literal } from "./f64.ts";
import { ORDER, SQUARE_ROOT, WHOLE } from "./f64-whole.ts";
import { findSplit } from "./forest-best-split.ts";
import {
  type ForestForm,
  HEAD_KEY,
  HEAD_ROWS,
  HEAD_STAMP,
  hasLocalSums,
  sumWords,
  TREE_DONE,
  TREE_HEAD_WORDS,
  TREE_NEW,
} from "./forest-form.ts";
import { FOREST_ROWS } from "./forest-rows.ts";
import { sweepOf } from "./forest-sweep.ts";

const bindings = (form: ForestForm): string => /* wgsl */ `
struct Shape {
  /** Entries of rows that a tree has room for, nodes, words of its permutation and open nodes. */
  capacity: u32,
  maxNodes: u32,
  stateStride: u32,
  trees: u32,
  features: u32,
  columnBytes: u32,
  nodeFeatures: u32,
  maxLeaves: u32,
  maxDepth: u32,
  minLeaf: u32,
  bestFirst: u32,
  randomCuts: u32,
  minGain: vec2<u32>,
  /** Cells that a tree looks at before it is left. */
  budget: u32,
  /** What is written beside what a dispatch has done. */
  stamp: u32,
}
struct Node {
  start: u32,
  count: u32,
  depth: u32,
  /** All ones: none. */
  feature: u32,
  /** Of categories, once the node is split, the number of its set. */
  bin: u32,
  missingLeft: u32,
  categorical: u32,
  rows: u32,
  gain: vec2<u32>,
  /** 0: a leaf. */
  left: u32,
  unused: u32,
  binSet: array<u32, 8>,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> bins: array<u32>;
/** The missing bin of each feature; 256 more of categories. */
@group(0) @binding(2) var<storage, read> kinds: array<u32>;
/** Of each tree its rows, and room to move them. */
@group(0) @binding(3) var<storage, read_write> rows: array<u32>;
@group(0) @binding(4) var<storage, read_write> stats: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> nodes: array<Node>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<u32>>;
/** Heads of all trees; then of each its permutation of features, and its open nodes. */
@group(0) @binding(7) var<storage, read_write> state: array<u32>;
${
  hasLocalSums(form)
    ? `var<workgroup> tally: array<atomic<u32>, ${sumWords(form)}>;`
    : "@group(0) @binding(8) var<storage, read_write> tally: array<atomic<u32>>;"
}

const THREADS = ${form.threads}u;
const BINS_OF_THREAD = ${256 / form.threads}u;
const WIDTH = ${form.width}u;
const HAS_CLASSES = ${form.hasClasses};
const NONE = 0xffffffffu;
/** Where the whole node's sums lie. */
const WHOLE_NODE = 256u;
const ZERO = ${f64Literal(0)};
`;

/** The tree, as its first thread holds it. */
const TREE = /* wgsl */ `
var<workgroup> tree: u32;
var<workgroup> draws: u32;
var<workgroup> spare: u32;
var<workgroup> status: u32;
var<workgroup> nodeCount: u32;
var<workgroup> leafCount: u32;
var<workgroup> openCount: u32;
var<workgroup> setCount: u32;
var<workgroup> budget: i32;
/** Of the step: 0 = none; the node that is split, or NONE; the nodes that come of it. */
var<workgroup> work: u32;
var<workgroup> splitNode: u32;
var<workgroup> firstNew: u32;
var<workgroup> newNodes: u32;

fn headAt(word: u32) -> u32 { return tree * ${TREE_HEAD_WORDS}u + word; }
fn permutationAt() -> u32 { return shape.trees * ${TREE_HEAD_WORDS}u + tree * shape.stateStride; }
fn openAt() -> u32 { return permutationAt() + shape.features; }
fn nodeAt(id: u32) -> u32 { return tree * shape.maxNodes + id; }

fn nextBits() -> u32 {
  draws += 1u;
  if ((draws & 1u) == 0u) { return spare; }
  let key = headAt(${HEAD_KEY}u);
  let bits = philox(draws >> 1u, 3u, state[key], state[key + 1u]);
  spare = bits.y;
  return bits.x;
}

fn below(bound: u32, bits: u32) -> u32 { return wideProduct(bits, bound).y; }

fn isBefore(one: u32, other: u32) -> bool {
  let a = nodes[nodeAt(one)].gain;
  let b = nodes[nodeAt(other)].gain;
  return isBelow(b, a) || (all(a == b) && one < other);
}

/** A heap by gain, or a stack. */
fn openNode(id: u32) {
  let list = openAt();
  var at = openCount;
  openCount += 1u;
  while (shape.bestFirst == 1u && at > 0u) {
    let up = (at - 1u) >> 1u;
    let other = state[list + up];
    if (!isBefore(id, other)) { break; }
    state[list + at] = other;
    at = up;
  }
  state[list + at] = id;
}

fn takeNode() -> u32 {
  let list = openAt();
  openCount -= 1u;
  let last = state[list + openCount];
  if (shape.bestFirst == 0u || openCount == 0u) { return last; }
  let top = state[list];
  var at = 0u;
  loop {
    var child = 2u * at + 1u;
    if (child >= openCount) { break; }
    if (child + 1u < openCount && isBefore(state[list + child + 1u], state[list + child])) {
      child += 1u;
    }
    let best = state[list + child];
    if (!isBefore(best, last)) { break; }
    state[list + at] = best;
    at = child;
  }
  state[list + at] = last;
  return top;
}

fn pay(count: u32) {
  budget -= i32(min(f32(count + 512u) * f32(shape.nodeFeatures), 1e9));
}

/** What is done next. */
fn plan() {
  work = 1u;
  splitNode = NONE;
  if (status == ${TREE_NEW}u) {
    status = 1u;
    nodeCount = 1u;
    leafCount = 1u;
    firstNew = 0u;
    newNodes = 1u;
    let count = state[headAt(${HEAD_ROWS}u)];
    nodes[nodeAt(0u)].start = 0u;
    nodes[nodeAt(0u)].count = count;
    nodes[nodeAt(0u)].depth = 0u;
    for (var f = 0u; f < shape.features; f++) { state[permutationAt() + f] = f; }
    pay(count);
    return;
  }
  if (openCount == 0u || leafCount >= shape.maxLeaves) { status = ${TREE_DONE}u; }
  if (status == ${TREE_DONE}u || budget <= 0) {
    work = 0u;
    return;
  }
  splitNode = takeNode();
  firstNew = nodeCount;
  newNodes = 2u;
  nodeCount += 2u;
  leafCount += 1u;
  pay(nodes[nodeAt(splitNode)].count);
}
`;

const SCAN = /* wgsl */ `
var<workgroup> lanes: array<u32, THREADS>;

/** Sums of this thread's number and those before. */
fn scan(thread: u32, value: u32) -> u32 {
  lanes[thread] = value;
  workgroupBarrier();
  for (var step = 1u; step < THREADS; step <<= 1u) {
    var sum = lanes[thread];
    if (thread >= step) { sum += lanes[thread - step]; }
    workgroupBarrier();
    lanes[thread] = sum;
    workgroupBarrier();
  }
  return lanes[thread];
}
`;

const MAIN = /* wgsl */ `
@compute @workgroup_size(THREADS)
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  if (thread == 0u) {
    tree = workgroup.x;
    status = state[headAt(0u)];
    nodeCount = state[headAt(1u)];
    leafCount = state[headAt(2u)];
    openCount = state[headAt(3u)];
    draws = state[headAt(4u)];
    spare = state[headAt(5u)];
    setCount = state[headAt(6u)];
    budget = i32(shape.budget);
  }
  loop {
    if (thread == 0u) { plan(); }
    if (workgroupUniformLoad(&work) == 0u) { break; }
    if (workgroupUniformLoad(&splitNode) != NONE) { partitionNode(thread); }
    let many = workgroupUniformLoad(&newNodes);
    let first = workgroupUniformLoad(&firstNew);
    for (var k = 0u; k < many; k++) { prepare(thread, first + k); }
  }
  if (thread == 0u) {
    state[headAt(0u)] = status;
    state[headAt(1u)] = nodeCount;
    state[headAt(2u)] = leafCount;
    state[headAt(3u)] = openCount;
    state[headAt(4u)] = draws;
    state[headAt(5u)] = spare;
    state[headAt(6u)] = setCount;
    state[headAt(${HEAD_STAMP}u)] = shape.stamp;
  }
}
`;

/** Workgroups: one a tree. */
export function forestShader(form: ForestForm): string {
  return [
    ...[F64, WHOLE, ORDER, SQUARE_ROOT, PHILOX, bindings(form), SCAN, TREE, FOREST_ROWS],
    ...[sweepOf(form), findSplit(form), MAIN],
  ].join("\n");
}
