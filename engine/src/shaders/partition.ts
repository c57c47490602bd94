/**
 * Stable partition of a node's rows by one split, as `kernels/assembly/partition.ts`: rows that go left keep
 * their order at the front, the others theirs behind them.
 *
 * Three passes: blocks of rows count theirs that go left; one workgroup turns the counts into places (a
 * prefix sum); blocks write their rows to the places. No more blocks than a dispatch may have workgroups: of
 * more rows the blocks are larger.
 */

import { THREADS } from "./histogram.ts";

/** Rows of a block at least; a multiple of THREADS. */
export const LEAST_BLOCK_ROWS = 2048;

/** u32 words of the uniform that all three read, then 8 of the table: a bit a bin that goes left. */
export const SPLIT_WORDS = 20;

const SPLIT = /* wgsl */ `
struct Split {
  first: u32,
  count: u32,
  blockRows: u32,
  blocks: u32,
  /** Words of a row; the word of the feature's bin and its first bit there. */
  stride: u32,
  word: u32,
  shift: u32,
  /** A smaller child of fewer rows is none for the device. */
  least: u32,
  /** What the answer is told from others by. */
  stamp: u32,
  unused0: u32,
  unused1: u32,
  unused2: u32,
  table: array<vec4<u32>, 2>,
}
@group(0) @binding(0) var<uniform> split: Split;

fn isIn(bin: u32) -> u32 {
  return (split.table[bin >> 7u][(bin >> 5u) & 3u] >> (bin & 31u)) & 1u;
}
`;

const GOES_LEFT = /* wgsl */ `
@group(0) @binding(1) var<storage, read> bins: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<u32>;

fn goesLeft(row: u32) -> u32 {
  return isIn((bins[row * split.stride + split.word] >> split.shift) & 255u);
}
`;

/** Workgroups: one a block. */
export const COUNT_LEFT = /* wgsl */ `
${SPLIT}
${GOES_LEFT}
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

var<workgroup> left: atomic<u32>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  if (thread == 0u) { atomicStore(&left, 0u); }
  workgroupBarrier();
  let start = workgroup.x * split.blockRows;
  let end = min(start + split.blockRows, split.count);
  var own = 0u;
  for (var i = start + thread; i < end; i += ${THREADS}u) { own += goesLeft(rows[split.first + i]); }
  atomicAdd(&left, own);
  workgroupBarrier();
  if (thread == 0u) { counts[workgroup.x] = atomicLoad(&left); }
}
`;

/** Inclusive sums of `lanes` over the threads of a workgroup (Hillis and Steele 1986). */
const SCAN = /* wgsl */ `
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

/** One workgroup. Of the answer: rows that go left, and the stamp; then the smaller child's range. */
export const PLACE_BLOCKS = /* wgsl */ `
${SPLIT}
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> outcome: array<u32>;
@group(0) @binding(3) var<storage, read_write> range: array<u32>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  var before = 0u;
  for (var block = 0u; block < split.blocks; block += ${THREADS}u) {
    let at = block + thread;
    var own = 0u;
    if (at < split.blocks) { own = counts[at]; }
    let upTo = scan(thread, own);
    if (at < split.blocks) { counts[at] = before + upTo - own; }
    before += lanes[${THREADS - 1}];
    workgroupBarrier();
  }
  if (thread != 0u) { return; }
  let right = split.count - before;
  outcome[0] = before;
  outcome[1] = split.stamp;
  let isLeft = before <= right;
  let smaller = select(right, before, isLeft);
  range[0] = split.first + select(before, 0u, isLeft);
  range[1] = select(0u, smaller, smaller >= split.least);
}
`;

/** Workgroups: one a block. The rows in their new order, from 0 on. */
export const SCATTER = /* wgsl */ `
${SPLIT}
${GOES_LEFT}
@group(0) @binding(3) var<storage, read> counts: array<u32>;
@group(0) @binding(4) var<storage, read> outcome: array<u32>;
@group(0) @binding(5) var<storage, read_write> moved: array<u32>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let start = workgroup.x * split.blockRows;
  let end = min(start + split.blockRows, split.count);
  let allLeft = outcome[0];
  var before = counts[workgroup.x];
  for (var tile = start; tile < end; tile += ${THREADS}u) {
    let i = tile + thread;
    var row = 0u;
    var goes = 0u;
    if (i < end) {
      row = rows[split.first + i];
      goes = goesLeft(row);
    }
    let upTo = before + scan(thread, goes);
    if (i < end) {
      if (goes == 1u) { moved[upTo - 1u] = row; } else { moved[allLeft + i - upTo] = row; }
    }
    before += lanes[${THREADS - 1}];
    workgroupBarrier();
  }
}
`;
