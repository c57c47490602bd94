/**
 * The rows that one round learns from, drawn as `kernels/assembly/numbers/philox.ts` draws them, by a row's number and the
 * key alone, and listed in their order: blocks count, a workgroup turns the counts into places, blocks write.
 */

import { WIDE_PRODUCT } from "./f64.ts";
import { THREADS } from "./histogram.ts";
import { SCAN } from "./partition.ts";

/** Needs WIDE_PRODUCT. */
export const PHILOX = /* wgsl */ `
/** Philox4x32-10 (Salmon et al. 2011). */
fn philox(counter: u32, purpose: u32, low: u32, high: u32) -> vec4<u32> {
  var x = vec4<u32>(counter, 0u, purpose, 0u);
  var key = vec2<u32>(low, high);
  for (var round = 0u; round < 10u; round++) {
    let a = wideProduct(x.x, 0xd2511f53u);
    let b = wideProduct(x.z, 0xcd9e8d57u);
    x = vec4<u32>(b.y ^ x.y ^ key.x, b.x, a.y ^ x.w ^ key.y, a.x);
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return x;
}
`;

/** Needs a `draw`: threshold (above 2¹⁶ - 1: all are drawn), low and high word of the key. */
export const IS_DRAWN = /* wgsl */ `
${WIDE_PRODUCT}
${PHILOX}

fn isDrawn(row: u32, draw: vec3<u32>) -> bool {
  if (draw.x > 0xffffu) { return true; }
  let words = philox(row >> 3u, 3u, draw.y, draw.z);
  let bits = (words[(row & 7u) >> 1u] >> (16u * (row & 1u))) & 0xffffu;
  return bits < draw.x;
}
`;

/** u32 of the uniform: threshold, low and high word of the key, rows; rows of a block, blocks, stamp. */
export const BAG_WORDS = 8;

const SHAPE = /* wgsl */ `
struct Shape {
  draw: vec3<u32>,
  count: u32,
  blockRows: u32,
  blocks: u32,
  stamp: u32,
  unused: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
`;

/** Workgroups: one a block. */
export const COUNT_DRAWN = /* wgsl */ `
${SHAPE}
${IS_DRAWN}
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> drawn: atomic<u32>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  if (thread == 0u) { atomicStore(&drawn, 0u); }
  workgroupBarrier();
  let end = min((workgroup.x + 1u) * shape.blockRows, shape.count);
  var own = 0u;
  for (var i = workgroup.x * shape.blockRows + thread; i < end; i += ${THREADS}u) {
    if (isDrawn(list[i], shape.draw)) { own += 1u; }
  }
  atomicAdd(&drawn, own);
  workgroupBarrier();
  if (thread == 0u) { counts[workgroup.x] = atomicLoad(&drawn); }
}
`;

/** One workgroup. The head: rows drawn, the stamp. */
export const PLACE_DRAWN = /* wgsl */ `
${SHAPE}
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> head: array<vec4<u32>>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(@builtin(local_invocation_index) thread: u32) {
  var before = 0u;
  for (var block = 0u; block < shape.blocks; block += ${THREADS}u) {
    let at = block + thread;
    var own = 0u;
    if (at < shape.blocks) { own = counts[at]; }
    let upTo = scan(thread, own);
    if (at < shape.blocks) { counts[at] = before + upTo - own; }
    before += lanes[${THREADS - 1}];
    workgroupBarrier();
  }
  if (thread == 0u) { head[0] = vec4<u32>(before, shape.stamp, 0u, 0u); }
}
`;

/** Workgroups: one a block. */
export const WRITE_DRAWN = /* wgsl */ `
${SHAPE}
${IS_DRAWN}
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> bag: array<u32>;

${SCAN}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let start = workgroup.x * shape.blockRows;
  let end = min(start + shape.blockRows, shape.count);
  var before = counts[workgroup.x];
  for (var first = start; first < end; first += ${THREADS}u) {
    let i = first + thread;
    var row = 0u;
    var own = 0u;
    if (i < end) {
      row = list[i];
      if (isDrawn(row, shape.draw)) { own = 1u; }
    }
    let upTo = before + scan(thread, own);
    if (own == 1u) { bag[upTo - 1u] = row; }
    before += lanes[${THREADS - 1}];
    workgroupBarrier();
  }
}
`;
