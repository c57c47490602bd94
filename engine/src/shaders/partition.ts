/**
 * Stable partition of the rows of some nodes, each by its split, as `kernels/assembly/growing/partition.ts`: rows that go
 * left keep their order at the front, the others theirs behind them. They are read from one place and written to
 * another.
 *
 * Three passes: blocks of rows count theirs that go left; a workgroup a node turns the counts into places (a
 * prefix sum); blocks write their rows to the places. Which nodes they are is read on the device, which may have chosen
 * them itself: a dispatch has any number of workgroups, and each takes one block after another.
 */

import { FITS } from "./fits.ts";
import { THREADS } from "./histogram.ts";

/** Rows of a block; a multiple of THREADS. */
export const BLOCK_ROWS = 2048;

/** Blocks of so many nodes at most, which have so many rows together. */
export const mostBlocksOf = (nodes: number, rows: number): number =>
  nodes + Math.ceil(rows / BLOCK_ROWS);

/** Nodes of a fit that are split together at most. */
export const MOST_NODES = 64;

/** u32 before the nodes. */
export const BATCH_WORDS = 64;
export const BATCH_BYTES = 4 * (BATCH_WORDS + 16 * MOST_NODES);

/** What is split together. Of several fits one batch lies behind the other: all are as long. */
export const BATCH = /* wgsl */ `
/** As tree-requests.ts has them. */
struct Node {
  readAt: u32,
  writeAt: u32,
  count: u32,
  feature: u32,
  wants: u32,
  firstBlock: u32,
  blocks: u32,
  /** Of trees that grow here as a whole. */
  record: u32,
  table: array<u32, 8>,
}
struct Batch {
  count: u32,
  /** Of all nodes. */
  blocks: u32,
  /** 1: the first node is the root, which is searched and not split. */
  isRoot: u32,
  /** What begins at a multiple of 256 bytes may be bound by itself. */
  unused: array<u32, ${BATCH_WORDS - 3}>,
  nodes: array<Node, ${MOST_NODES}>,
}
`;

const NODES = /* wgsl */ `
${FITS}
${BATCH}
@group(0) @binding(1) var<storage, read> batches: array<Batch>;
`;

const goesLeft = (access: "read" | "read_write"): string => /* wgsl */ `
@group(0) @binding(2) var<storage, read> bins: array<u32>;
@group(0) @binding(3) var<storage, ${access}> rows: array<u32>;

fn goesLeft(fit: Fit, node: u32, row: u32) -> u32 {
  let feature = batches[fit.batch].nodes[node].feature;
  let word = bins[fit.bins + row * fit.stride + (feature >> 2u)];
  let bin = (word >> (8u * (feature & 3u))) & 255u;
  return (batches[fit.batch].nodes[node].table[bin >> 5u] >> (bin & 31u)) & 1u;
}

/** The node of a block. */
fn nodeOf(fit: Fit, block: u32) -> u32 {
  var node = 0u;
  var beyond = batches[fit.batch].count;
  while (node + 1u < beyond) {
    let middle = (node + beyond) / 2u;
    if (batches[fit.batch].nodes[middle].firstBlock <= block) { node = middle; } else { beyond = middle; }
  }
  return node;
}
`;

/** Workgroups: x any number, y a fit. */
export const COUNT_LEFT = /* wgsl */ `
${NODES}
${goesLeft("read")}
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;

var<workgroup> left: atomic<u32>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let fit = fits[workgroup.y];
  for (var block = workgroup.x; block < batches[fit.batch].blocks; block += workgroups.x) {
    if (thread == 0u) { atomicStore(&left, 0u); }
    workgroupBarrier();
    let node = nodeOf(fit, block);
    let start = (block - batches[fit.batch].nodes[node].firstBlock) * ${BLOCK_ROWS}u;
    let end = min(start + ${BLOCK_ROWS}u, batches[fit.batch].nodes[node].count);
    let source = fit.rows + batches[fit.batch].nodes[node].readAt;
    var own = 0u;
    for (var i = start + thread; i < end; i += ${THREADS}u) { own += goesLeft(fit, node, rows[source + i]); }
    atomicAdd(&left, own);
    workgroupBarrier();
    if (thread == 0u) { counts[fit.counts + block] = atomicLoad(&left); }
    workgroupBarrier();
  }
}
`;

/** Inclusive sums of `lanes` over the threads of a workgroup (Hillis and Steele 1986). */
export const SCAN = /* wgsl */ `
var<workgroup> lanes: array<u32, ${THREADS}>;

fn scan(thread: u32, value: u32) -> u32 {
  lanes[thread] = value;
  workgroupBarrier();
  for (var step = 1u; step < ${THREADS}u; step <<= 1u) {
    var sum = lanes[thread];
    if (thread >= step) { sum += lanes[thread - step]; }
    workgroupBarrier();
    lanes[thread] = sum;
    workgroupBarrier();
  }
  return lanes[thread];
}
`;

/**
 * Workgroups: x any number, y a fit. The heads of the answer; and the ranges of the smaller children that want a histogram,
 * behind how many they are.
 */
export const PLACE_BLOCKS = /* wgsl */ `
${NODES}
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> heads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> ranges: array<vec2<u32>>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let fit = fits[workgroup.y];
  if (workgroup.x == 0u && thread == 0u) { ranges[fit.ranges] = vec2<u32>(batches[fit.batch].count, 0u); }
  for (var node = workgroup.x; node < batches[fit.batch].count; node += workgroups.x) { placeNode(fit, thread, node); }
}

fn placeNode(fit: Fit, thread: u32, node: u32) {
  let firstBlock = batches[fit.batch].nodes[node].firstBlock;
  let blocks = batches[fit.batch].nodes[node].blocks;
  var before = 0u;
  for (var block = 0u; block < blocks; block += ${THREADS}u) {
    let i = block + thread;
    var own = 0u;
    if (i < blocks) { own = counts[fit.counts + firstBlock + i]; }
    let upTo = scan(thread, own);
    if (i < blocks) { counts[fit.counts + firstBlock + i] = before + upTo - own; }
    before += lanes[${THREADS - 1}];
    workgroupBarrier();
  }
  if (thread != 0u) { return; }
  let right = batches[fit.batch].nodes[node].count - before;
  let isLeft = before <= right;
  let smaller = select(right, before, isLeft);
  let summed = select(0u, smaller, batches[fit.batch].nodes[node].wants == 1u && smaller >= fit.least);
  heads[fit.heads + node] = vec4<u32>(before, fit.stamp, summed, 0u);
  ranges[fit.ranges + 1u + node] = vec2<u32>(batches[fit.batch].nodes[node].writeAt + select(before, 0u, isLeft), summed);
}
`;

/** Workgroups: x any number, y a fit. The rows in their new order, at their new place; and histograms of nothing for all nodes. */
export const SCATTER = /* wgsl */ `
${NODES}
${goesLeft("read_write")}
@group(0) @binding(4) var<storage, read> counts: array<u32>;
@group(0) @binding(5) var<storage, read> heads: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<u32>>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let fit = fits[workgroup.y];
  let threads = workgroups.x * ${THREADS}u;
  for (var i = workgroup.x * ${THREADS}u + thread; i < batches[fit.batch].count * fit.entries; i += threads) {
    sums[fit.sums + i] = vec2<u32>(0u, 0u);
  }
  for (var block = workgroup.x; block < batches[fit.batch].blocks; block += workgroups.x) {
    let node = nodeOf(fit, block);
    let start = (block - batches[fit.batch].nodes[node].firstBlock) * ${BLOCK_ROWS}u;
    let end = min(start + ${BLOCK_ROWS}u, batches[fit.batch].nodes[node].count);
    let source = fit.rows + batches[fit.batch].nodes[node].readAt;
    let place = fit.rows + batches[fit.batch].nodes[node].writeAt;
    let allLeft = heads[fit.heads + node].x;
    var before = counts[fit.counts + block];
    for (var tile = start; tile < end; tile += ${THREADS}u) {
      let i = tile + thread;
      var row = 0u;
      var goes = 0u;
      if (i < end) {
        row = rows[source + i];
        goes = goesLeft(fit, node, row);
      }
      let upTo = before + scan(thread, goes);
      if (i < end) {
        if (goes == 1u) { rows[place + upTo - 1u] = row; } else { rows[place + allLeft + i - upTo] = row; }
      }
      before += lanes[${THREADS - 1}];
      workgroupBarrier();
    }
  }
}
`;
