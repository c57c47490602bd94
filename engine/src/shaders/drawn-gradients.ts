/**
 * Gradients of the rows that one tree's structure is chosen by, as `kernels/assembly/losses/drawn-gradients.ts`, to the same
 * bits. A workgroup takes a block of the listed rows; what is summed is added in their order, a sum a thread.
 */

import { PHILOX } from "./bag.ts";
import { F64_ONE } from "./elementary.ts";
import { F64 } from "./f64.ts";
import { THREADS } from "./histogram.ts";

/** u32 of the uniform. */
export const DRAWN_SHAPE_WORDS = 8;
/** Words of a block's sums: of those drawn Σ|g| and Σw, of all Σg²/w and Σw, as f64; the rows; the stamp; two unused. */
export const DRAWN_SUM_WORDS = 12;

/** Workgroups: one a block. @param block rows of a block */
export const drawnGradientsShader = (block: number): string => /* wgsl */ `
${F64}
${PHILOX}
struct Shape {
  /** Threshold, low and high word of the key. */
  draw: vec3<u32>,
  count: u32,
  isWeighted: u32,
  stamp: u32,
  unused0: u32,
  unused1: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> gradients: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> drawn: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> sums: array<u32>;

var<workgroup> terms: array<array<vec2<u32>, 4>, ${THREADS}>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let begin = workgroup.x * ${block}u;
  let end = min(begin + ${block}u, shape.count);
  // Threads that sum are of different subgroups.
  let which = thread / 64u;
  let adds = thread % 64u == 0u;
  var sum = vec2<u32>(0u, 0u);
  for (var first = begin; first < end; first += ${THREADS}u) {
    let i = first + thread;
    if (i < end) {
      let row = list[i];
      let own = gradients[row].x;
      var whole = ${F64_ONE};
      if (shape.isWeighted == 1u) { whole = weights[row]; }
      let stays = (philox(row, 5u, shape.draw.y, shape.draw.z).x & 0xffffu) < shape.draw.x;
      let pair = select(vec2<u32>(0u, 0u), vec2<u32>(own, toSingle(whole)), stays);
      drawn[row] = pair;
      let g = fromSingle(own);
      var square = times(g, g);
      // Rows without weight have no say.
      if (isZero(whole)) { square = vec2<u32>(0u, 0u); } else if (shape.isWeighted == 1u) {
        square = over(square, whole);
      }
      terms[thread][0] = fromSingle(pair.x & 0x7fffffffu);
      terms[thread][1] = fromSingle(pair.y);
      terms[thread][2] = square;
      terms[thread][3] = whole;
    }
    workgroupBarrier();
    if (adds) {
      let count = min(${THREADS}u, end - first);
      for (var j = 0u; j < count; j++) { sum = plus(sum, terms[j][which]); }
    }
    workgroupBarrier();
  }
  let own = workgroup.x * ${DRAWN_SUM_WORDS}u;
  if (adds) {
    sums[own + 2u * which] = sum.x;
    sums[own + 2u * which + 1u] = sum.y;
  }
  if (thread == 0u) {
    sums[own + 8u] = end - begin;
    sums[own + 9u] = shape.stamp;
  }
}
`;
