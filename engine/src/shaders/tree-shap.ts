/**
 * TreeSHAP over rows: each thread takes its row through one tree as `kernels/assembly/trees/tree-shap.ts` does, operation
 * by operation, to the same bits. The kernel keeps products and sums of all nodes; a thread keeps those of its path
 * alone, as the nodes come in the order in which the kernel collects them: a right child before its sibling, and both
 * before their parent. All rows take the same steps and so do not part.
 *
 * Numbers are two u32 (`f64.ts`). Of leaves with several values each has a thread of its own.
 */

import { F64_PRODUCTS } from "./f64.ts";
import { THREADS } from "./histogram.ts";

/** u32 of the uniform. */
export const SHAP_WORDS = 12;

export const TREE_SHAP = /* wgsl */ `
struct Shape {
  /** First of the rows, and threads: rows × values. */
  first: u32,
  threads: u32,
  steps: u32,
  points: u32,
  levels: u32,
  /** Of a leaf. */
  values: u32,
  /** The output that the first value goes to. */
  output: u32,
  outputs: u32,
  /** Bytes of a row. */
  rowBytes: u32,
  /** Of a row's contributions. */
  cells: u32,
  unused0: u32,
  unused1: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
/** Two a step, see compute/gpu/shap-requests.ts. */
@group(0) @binding(1) var<storage, read> steps: array<vec4<u32>>;
/** Nodes × 6 × points: factors of states 0, 1, 2 on the way down, then weights of their collecting. */
@group(0) @binding(2) var<storage, read> tables: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> leafValues: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> sets: array<u32>;
@group(0) @binding(5) var<storage, read> bins: array<u32>;
/** Levels × (products, sums, what the row does there) of each thread, side by side. */
@group(0) @binding(6) var<storage, read_write> path: array<vec2<u32>>;
/** Rows × cells. */
@group(0) @binding(7) var<storage, read_write> contributions: array<vec2<u32>>;
/** Threads that are done. */
@group(0) @binding(8) var<storage, read_write> done: array<atomic<u32>>;

const ONE = vec2<u32>(0u, 0x3ff00000u);

${F64_PRODUCTS}

fn goesLeft(row: u32, feature: u32, split: u32) -> bool {
  let cell = row * shape.rowBytes + (feature & 0x7fffffffu);
  let bin = (bins[cell >> 2u] >> (8u * (cell & 3u))) & 255u;
  if ((feature & 0x80000000u) != 0u) {
    return ((sets[8u * split + (bin >> 5u)] >> (bin & 31u)) & 1u) == 1u;
  }
  return bin <= (split & 0xffffu) || bin == (split >> 16u);
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let i = thread.x;
  if (i >= shape.threads) { return; }
  let row = shape.first + i / shape.values;
  let value = i % shape.values;
  let points = shape.points;
  // Of the first level's first product; numbers of one thread lie a dispatch's threads apart.
  let apart = shape.threads;
  let sums = shape.levels * points;
  let states = 2u * sums;
  for (var step = 0u; step < shape.steps; step++) {
    let head = steps[2u * step];
    let rest = steps[2u * step + 1u];
    let node = head.x;
    let level = head.z;
    let isLeaf = (head.y & 4u) != 0u;
    let own = level * points;
    let above = own - points;
    if ((head.y & 2u) == 0u) {
      // Down the edge to the node.
      var state = 0u;
      if (level == 0u) {
        for (var q = 0u; q < points; q++) { path[q * apart + i] = ONE; }
      } else {
        let parent = path[(states + level - 1u) * apart + i].x;
        let follows = (parent >> 2u) == (head.y & 1u);
        let before = path[(states + head.w) * apart + i].x & 3u;
        state = select(2u, select(1u, 0u, follows), before == 0u);
        let table = (6u * node + state) * points;
        for (var q = 0u; q < points; q++) {
          let product = times(path[(above + q) * apart + i], tables[table + q]);
          path[(own + q) * apart + i] = product;
        }
      }
      if (isLeaf) {
        let worth = leafValues[rest.z * shape.values + value];
        for (var q = 0u; q < points; q++) {
          path[(sums + own + q) * apart + i] = times(worth, path[(own + q) * apart + i]);
        }
      } else if (goesLeft(row, rest.x, rest.y)) {
        state |= 4u;
      }
      path[(states + level) * apart + i] = vec2<u32>(state, 0u);
    } else {
      // Up again, with all below it summed.
      let state = path[(states + level) * apart + i].x & 3u;
      let table = (6u * node + 3u + state) * points;
      var even = vec2<u32>(0u, 0u);
      var odd = vec2<u32>(0u, 0u);
      for (var q = 0u; q < points; q++) {
        let sum = path[(sums + own + q) * apart + i];
        let up = (sums + above + q) * apart + i;
        if ((head.y & 1u) == 1u) { path[up] = plus(path[up], sum); } else { path[up] = sum; }
        let part = times(sum, tables[table + q]);
        if ((q & 1u) == 0u) { even = plus(even, part); } else { odd = plus(odd, part); }
      }
      let cell = row * shape.cells + rest.w * shape.outputs + shape.output + value;
      contributions[cell] = plus(plus(contributions[cell], even), odd);
    }
  }
  atomicAdd(&done[0], 1u);
}
`;
