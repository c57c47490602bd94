/**
 * Adds up trees over rows: each thread walks its row down all trees and adds their leaves' values (f64) in the
 * order of the trees, to the bits that the CPU gets.
 *
 * WGSL has no f64. A number is two u32, and `plus` adds them as IEEE 754 says, rounding to the nearest and of
 * two as near to the even one: mantissas are aligned in 64 bits with three bits more, the last of which says
 * whether any lower bit was one (Knuth, "Seminumerical Algorithms", §4.2.1; Hauser, "Berkeley SoftFloat").
 * Infinite numbers, and those that are none, are not for it: who asks has made sure that there are none.
 */

import { THREADS } from "./histogram.ts";

const PLUS = /* wgsl */ `
/** Low word, high word; what is shifted out stays as a one in the last bit. @param by below 64 */
fn shiftedRight(value: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return value; }
  if (by >= 32u) {
    let rest = by - 32u;
    var out = value.x;
    if (rest > 0u) { out |= value.y << (32u - rest); }
    return vec2<u32>((value.y >> rest) | select(0u, 1u, out != 0u), 0u);
  }
  let out = value.x << (32u - by);
  return vec2<u32>(
    (value.x >> by) | (value.y << (32u - by)) | select(0u, 1u, out != 0u),
    value.y >> by,
  );
}

/** @param by below 64 */
fn shiftedLeft(value: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return value; }
  if (by >= 32u) { return vec2<u32>(0u, value.x << (by - 32u)); }
  return vec2<u32>(value.x << by, (value.y << by) | (value.x >> (32u - by)));
}

/** With three bits more below. */
fn mantissaOf(value: vec2<u32>) -> vec2<u32> {
  let isNormal = (value.y & 0x7ff00000u) != 0u;
  let high = (value.y & 0xfffffu) | select(0u, 0x100000u, isNormal);
  return vec2<u32>(value.x << 3u, (high << 3u) | (value.x >> 29u));
}

fn plus(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let oneSize = one.y & 0x7fffffffu;
  let otherSize = other.y & 0x7fffffffu;
  let isLess = oneSize < otherSize || (oneSize == otherSize && one.x < other.x);
  let a = select(one, other, isLess);
  let b = select(other, one, isLess);
  // Numbers below the normal ones have the least exponent.
  var exponent = max((a.y >> 20u) & 0x7ffu, 1u);
  let apart = exponent - max((b.y >> 20u) & 0x7ffu, 1u);
  let large = mantissaOf(a);
  let small = shiftedRight(mantissaOf(b), min(apart, 63u));
  let sign = a.y & 0x80000000u;
  var sum: vec2<u32>;
  if (sign == (b.y & 0x80000000u)) {
    let low = large.x + small.x;
    sum = vec2<u32>(low, large.y + small.y + select(0u, 1u, low < large.x));
    if ((sum.y >> 24u) != 0u) {
      sum = shiftedRight(sum, 1u);
      exponent += 1u;
    }
  } else {
    sum = vec2<u32>(large.x - small.x, large.y - small.y - select(0u, 1u, large.x < small.x));
    if ((sum.x | sum.y) == 0u) { return vec2<u32>(0u, 0u); }
    let leading = select(
      countLeadingZeros(sum.y),
      32u + countLeadingZeros(sum.x),
      sum.y == 0u,
    );
    // The first bit of a normal number is bit 55.
    let by = min(leading - 8u, exponent - 1u);
    sum = shiftedLeft(sum, by);
    exponent -= by;
  }
  let isNormal = (sum.y >> 23u) != 0u;
  let dropped = sum.x & 7u;
  var low = (sum.x >> 3u) | (sum.y << 29u);
  var high = ((sum.y >> 3u) & 0xfffffu) | select(0u, exponent << 20u, isNormal);
  if (dropped > 4u || (dropped == 4u && (low & 1u) == 1u)) {
    low += 1u;
    // A carry out of the mantissa is the next exponent.
    high += select(0u, 1u, low == 0u);
  }
  return vec2<u32>(low, sign | high);
}
`;

/** u32 of the uniform. */
export const SUMS_WORDS = 12;

export const TREE_SUMS = /* wgsl */ `
struct Shape {
  first: u32,
  count: u32,
  outputs: u32,
  trees: u32,
  /** Values of a leaf. */
  width: u32,
  columnBytes: u32,
  /** 1: rows are listed; else they are those from 0 on. */
  isListed: u32,
  unused0: u32,
  unused1: u32,
  unused2: u32,
  unused3: u32,
  unused4: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
/** As kernels/assembly/traverse.ts packs them: feature, split, left, right. */
@group(0) @binding(1) var<storage, read> nodes: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> leafValues: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> sets: array<u32>;
/** First nodes of the trees; their outputs; what sums start from, two words each. */
@group(0) @binding(4) var<storage, read> trees: array<u32>;
@group(0) @binding(5) var<storage, read> bins: array<u32>;
@group(0) @binding(6) var<storage, read> rows: array<u32>;
/** Rows × outputs. */
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<u32>>;
/** Rows that are done. */
@group(0) @binding(8) var<storage, read_write> done: array<atomic<u32>>;

/** Of a row that has written its last sum. */
const NO_OUTPUT = 0xffffffffu;

${PLUS}

fn leafOf(root: u32, row: u32) -> u32 {
  var at = root;
  loop {
    let node = nodes[at];
    if (node.z == at) { return node.y; }
    let cell = (node.x & 0x7fffffffu) * shape.columnBytes + row;
    let bin = (bins[cell >> 2u] >> (8u * (cell & 3u))) & 255u;
    var goesLeft: bool;
    if ((node.x & 0x80000000u) != 0u) {
      goesLeft = ((sets[8u * node.y + (bin >> 5u)] >> (bin & 31u)) & 1u) == 1u;
    } else {
      goesLeft = bin <= (node.y & 0xffffu) || bin == (node.y >> 16u);
    }
    at = select(node.w, node.z, goesLeft);
  }
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let i = thread.x;
  if (i >= shape.count) { return; }
  var row = shape.first + i;
  if (shape.isListed == 1u) { row = rows[row]; }
  let own = i * shape.outputs;
  let starts = 2u * shape.trees;
  for (var k = 0u; k < shape.outputs; k++) {
    sums[own + k] = vec2<u32>(trees[starts + 2u * k], trees[starts + 2u * k + 1u]);
  }
  // The sum that the last tree was added to.
  var output = NO_OUTPUT;
  var sum = vec2<u32>(0u, 0u);
  for (var tree = 0u; tree < shape.trees; tree++) {
    let leaf = leafOf(trees[tree], row);
    if (shape.width > 1u) {
      for (var k = 0u; k < shape.width; k++) {
        sums[own + k] = plus(sums[own + k], leafValues[leaf * shape.width + k]);
      }
      continue;
    }
    let to = trees[shape.trees + tree];
    if (to != output) {
      if (output != NO_OUTPUT) { sums[own + output] = sum; }
      output = to;
      sum = sums[own + output];
    }
    sum = plus(sum, leafValues[leaf]);
  }
  if (output != NO_OUTPUT) { sums[own + output] = sum; }
  atomicAdd(&done[0], 1u);
}
`;
