/** How far a tree is that grows on a device as a whole, and its begin. */

import { FITS } from "../fits.ts";
import { THREADS } from "../histogram.ts";
import { BATCH } from "../partition.ts";
import { RECORD } from "./form.ts";
import {
  STATE_HEAD_WORDS,
  STATE_IS_GROWN,
  STATE_RECORDS,
  STATE_STAMP,
  STATE_STEPS,
} from "./layout.ts";

/** Words of a tree's state, as `layout.ts` has them. */
export const STATE = /* wgsl */ `
const RECORDS = ${STATE_RECORDS}u;
/** Histograms. */
const SLOTS = 1u;
const OPEN_COUNT = 2u;
const LEAVES = 3u;
const IDS = 4u;
const IS_GROWN = ${STATE_IS_GROWN}u;
const STEPS = ${STATE_STEPS}u;
const STAMP = ${STATE_STAMP}u;
/** The first record of the tree's leaves that may be split. */
const OPEN = ${STATE_HEAD_WORDS}u;
`;

/** Workgroups: x any number, y a fit. The root is the only node, and open: it is searched, and not split. */
export const BEGIN_ROOTS = /* wgsl */ `
${FITS}
${BATCH}
${RECORD}
${STATE}
@group(0) @binding(1) var<storage, read_write> states: array<u32>;
@group(0) @binding(2) var<storage, read_write> records: array<Record>;
@group(0) @binding(3) var<storage, read_write> batches: array<Batch>;
@group(0) @binding(4) var<storage, read_write> ranges: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> sums: array<vec2<u32>>;

fn begin(fit: Fit) {
  for (var word = 0u; word <= OPEN; word++) { states[fit.state + word] = 0u; }
  // One of each: a record, a histogram, an open node, which is the first, a leaf and a number.
  states[fit.state + RECORDS] = 1u;
  states[fit.state + SLOTS] = 1u;
  states[fit.state + OPEN_COUNT] = 1u;
  states[fit.state + LEAVES] = 1u;
  states[fit.state + IDS] = 1u;
  var root = Record();
  root.count = fit.rootRows;
  records[fit.records] = root;
  var node = Node();
  node.count = fit.rootRows;
  node.wants = 1u;
  batches[fit.batch].nodes[0] = node;
  batches[fit.batch].count = 1u;
  batches[fit.batch].blocks = 0u;
  batches[fit.batch].isRoot = 1u;
  ranges[fit.ranges] = vec2<u32>(1u, 0u);
  ranges[fit.ranges + 1u] = vec2<u32>(0u, fit.rootRows);
}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let fit = fits[workgroup.y];
  if (workgroup.x == 0u && thread == 0u) { begin(fit); }
  for (var i = workgroup.x * ${THREADS}u + thread; i < fit.entries; i += workgroups.x * ${THREADS}u) {
    sums[fit.sums + i] = vec2<u32>(0u, 0u);
  }
}
`;
