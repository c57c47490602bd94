/** What of many rows is to be read back. */

import { THREADS } from "./histogram.ts";
import { BATCH } from "./partition.ts";

/** Words of a row: its score (f64), gradient and hessian (f32), hessian and gradient in whole units. */
export const CHECKED_WORDS = 6;

/** Threads: one a listed row. The uniform: rows, the place of the output's first score. */
export const GATHER_CHECKED = /* wgsl */ `
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
@group(0) @binding(1) var<storage, read> list: array<u32>;
@group(0) @binding(2) var<storage, read> scores: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> gradients: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> packed: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> out: array<vec2<u32>>;

@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  if (thread.x >= shape.x) { return; }
  let row = list[thread.x];
  out[3u * thread.x] = scores[shape.y + row];
  out[3u * thread.x + 1u] = gradients[row];
  out[3u * thread.x + 2u] = packed[row];
}
`;

/**
 * The first and the last rows of nodes that were split, as many of each node, and behind all of them their gradients.
 * Workgroups: x any number, y two a node. The uniform: rows of an end; the word of the first gradient, 0: none is asked
 * for.
 */
export const GATHER_ENDS = /* wgsl */ `
${BATCH}
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
@group(0) @binding(1) var<storage, read> batch: Batch;
@group(0) @binding(2) var<storage, read> rows: array<u32>;
@group(0) @binding(3) var<storage, read> packed: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let node = workgroup.y >> 1u;
  var first = batch.nodes[node].writeAt;
  if ((workgroup.y & 1u) == 1u) { first += batch.nodes[node].count - shape.x; }
  for (var i = workgroup.x * ${THREADS}u + thread; i < shape.x; i += workgroups.x * ${THREADS}u) {
    let row = rows[first + i];
    let to = workgroup.y * shape.x + i;
    out[to] = row;
    if (shape.y > 0u) {
      let pair = packed[row];
      out[shape.y + 2u * to] = pair.x;
      out[shape.y + 2u * to + 1u] = pair.y;
    }
  }
}
`;
