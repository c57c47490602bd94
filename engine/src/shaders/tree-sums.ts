/**
 * Adds up trees over rows: each thread walks its row down all trees and adds their leaves' values (f64) in the
 * order of the trees, to the bits that the CPU gets.
 *
 * Numbers are two u32 (`f64.ts`). Infinite ones, and those that are none, are not for it: who asks has made sure
 * that there are none.
 */

import { PLUS } from "./f64.ts";
import { THREADS } from "./histogram.ts";

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
/** As kernels/assembly/trees/traverse.ts packs them: feature, split, left, right. */
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
