/**
 * What a grown tree says of the rows that it is of: each walks down to its leaf, the gradients of those that it learned
 * from are summed leaf by leaf in whole units, as `kernels/assembly/growing/leaves.ts` sums them, and the leaves' values are
 * added to the scores of all. A sum of 64 bits is two u32, whose carry is told by what an atomic addition returns.
 */

import { IS_DRAWN } from "./bag.ts";
import { ROUNDING } from "./elementary.ts";
import { MINUS, PLUS, SINGLES, TIMES } from "./f64.ts";
import { THREADS } from "./histogram.ts";

/** u32 of the uniform of LEAVES. */
export const LEAVES_WORDS = 12;
/** Words of a leaf's sums: rows; gradient and hessian, low word before high word. */
export const LEAF_WORDS = 5;
/** Leaves whose sums a workgroup has room for; of more they are summed in the memory of the device. */
export const MOST_OWN_LEAVES = 512;
/** Rows that a workgroup takes, where it first sums by itself. */
export const LEAF_ROWS = 4096;

/**
 * Workgroups: any number, as many rows each.
 *
 * @param own whether workgroups sum by themselves first: trees of up to MOST_OWN_LEAVES leaves
 */
export const leavesShader = (own: boolean): string =>
  /* wgsl */ `
${PLUS}
${MINUS}
${IS_DRAWN}
${TIMES}
${SINGLES}
struct Shape {
  draw: vec3<u32>,
  count: u32,
  /** Words of a row's bins. */
  stride: u32,
  leaves: u32,
  /** Units of the sums, powers of two. */
  gradientScale: vec2<u32>,
  hessianScale: vec2<u32>,
  unused0: u32,
  unused1: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> list: array<u32>;
/**
 * Feature, its highest bit set where categories are listed; split; left child, right child. Of numbers a bin goes left
 * up to the lower half of the split, and where it is the upper half. A leaf has its number as split and is its own child.
 */
@group(0) @binding(2) var<storage, read> nodes: array<vec4<u32>>;
/** A bit a bin that goes left. */
@group(0) @binding(3) var<storage, read> sets: array<u32>;
@group(0) @binding(4) var<storage, read> bins: array<u32>;
@group(0) @binding(5) var<storage, read> gradients: array<vec2<u32>>;
/** A listed row's leaf. */
@group(0) @binding(6) var<storage, read_write> leafOf: array<u32>;
@group(0) @binding(7) var<storage, read_write> sums: array<atomic<u32>>;

${own ? `var<workgroup> own: array<atomic<u32>, ${LEAF_WORDS * MOST_OWN_LEAVES}>;` : ""}

fn leafWith(row: u32) -> u32 {
  var at = 0u;
  loop {
    let node = nodes[at];
    if (node.z == at) { return node.y; }
    let feature = node.x & 0x7fffffffu;
    let bin = (bins[row * shape.stride + (feature >> 2u)] >> (8u * (feature & 3u))) & 255u;
    var goesLeft: bool;
    if ((node.x & 0x80000000u) != 0u) {
      goesLeft = ((sets[8u * node.y + (bin >> 5u)] >> (bin & 31u)) & 1u) == 1u;
    } else {
      goesLeft = LESS;
    }
    at = select(node.w, node.z, goesLeft);
  }
}

fn unitsOf(value: u32, scale: vec2<u32>) -> vec2<u32> {
  let units = plus(times(fromSingle(value), scale), ${ROUNDING});
  // What it is above the bits of what was added, as a number of 64 bits with a sign.
  return vec2<u32>(units.x, units.y - 0x43380000u);
}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  ${
    own
      ? /* wgsl */ `
  for (var i = thread; i < ${LEAF_WORDS}u * shape.leaves; i += ${THREADS}u) { atomicStore(&own[i], 0u); }
  workgroupBarrier();`
      : ""
  }
  for (var i = workgroup.x * ${THREADS}u + thread; i < shape.count; i += workgroups.x * ${THREADS}u) {
    let row = list[i];
    let leaf = leafWith(row);
    leafOf[i] = leaf;
    if (!isDrawn(row, shape.draw)) { continue; }
    let pair = gradients[row];
    let to = ${LEAF_WORDS}u * leaf;
    atomicAdd(&TARGET[to], 1u);
    for (var k = 0u; k < 2u; k++) {
      let value = unitsOf(
        select(pair.y, pair.x, k == 0u),
        select(shape.hessianScale, shape.gradientScale, k == 0u),
      );
      let at = to + 1u + 2u * k;
      let before = atomicAdd(&TARGET[at], value.x);
      let carry = select(0u, 1u, before + value.x < before);
      atomicAdd(&TARGET[at + 1u], value.y + carry);
    }
  }
  ${
    own
      ? /* wgsl */ `
  workgroupBarrier();
  for (var leaf = thread; leaf < shape.leaves; leaf += ${THREADS}u) {
    let to = ${LEAF_WORDS}u * leaf;
    let rows = atomicLoad(&own[to]);
    if (rows == 0u) { continue; }
    atomicAdd(&sums[to], rows);
    for (var at = to + 1u; at < to + ${LEAF_WORDS}u; at += 2u) {
      let low = atomicLoad(&own[at]);
      let before = atomicAdd(&sums[at], low);
      let carry = select(0u, 1u, before + low < before);
      atomicAdd(&sums[at + 1u], atomicLoad(&own[at + 1u]) + carry);
    }
  }`
      : ""
  }
}
`
    .replaceAll("TARGET", own ? "own" : "sums")
    .replace("LESS", "bin <= (node.y & 0xffffu) || bin == (node.y >> 16u)");

/** u32 of the uniform of ADD_VALUES: rows, the place of the output's first score. */
export const ADD_WORDS = 4;

/** Threads: one a listed row. */
export const ADD_VALUES = /* wgsl */ `
${PLUS}
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read> leafOf: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> scores: array<vec2<u32>>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(global_invocation_id) thread: vec3<u32>,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  for (var i = thread.x; i < shape.x; i += workgroups.x * ${THREADS}u) {
    let at = shape.y + list[i];
    scores[at] = plus(scores[at], values[leafOf[i]]);
  }
}
`;
