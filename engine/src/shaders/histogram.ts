/**
 * Histograms of packed gradients, as `kernels/assembly/growing/histogram.ts` builds them, to the same integers.
 *
 * A unit of work is some rows of a node and a group of neighbouring features; a workgroup takes one after another. It brings its rows to workgroup memory, a tile
 * after the other; there one thread a feature and sum, gradient or hessian, adds row after row by integer atomics, and
 * what came of them to the sums of all workgroups. Threads side by side add to different banks of workgroup memory,
 * whatever the bins are: also where one bin holds most rows nobody waits for another. Gradient and hessian are two u32
 * that wrap around: quantisation keeps the sums over all rows of a fit, fewer than 2³¹, within 31 bits, so that two
 * halves without a carry are the CPU's one 64-bit sum.
 */

import { FITS } from "./fits.ts";

/** Of a workgroup. */
export const THREADS = 256;

/** A byte column that holds no listed feature. */
export const NO_FEATURE = 0xffff_ffff;

/** Rows of a unit at least: what is added to the sums of all is worth them. */
const ROWS_OF_UNIT = 8192;
/** Of one node and group. */
const MOST_PARTS = 512;

/** Parts that the rows of a node are taken in. */
const partsOf = (rows: number): number => Math.min(MOST_PARTS, Math.ceil(rows / ROWS_OF_UNIT));

/** Units of nodes of so many rows and so many groups. */
export const unitsOf = (nodes: readonly number[], groups: number): number =>
  groups * nodes.reduce((sum, rows) => sum + partsOf(rows), 0);

/** A bin is a byte. */
const BINS = 256;

/**
 * Features of a group: what the device's workgroup memory has room for, with a tile of rows. Of 16 a multiprocessor
 * would have too few threads: an H200 took half as long again.
 */
export function featuresOfGroup(workgroupBytes: number): 8 | 4 {
  return 8 * BINS * 8 + THREADS * (8 + 8) <= workgroupBytes ? 8 : 4;
}

/** The bins of a row and a group. */
const CELLS = { 8: "vec2<u32>", 4: "u32" } as const;

/**
 * Workgroups: x any number, y a fit.
 *
 * @param features of a group
 */
export const histogramShader = (features: 8 | 4): string => /* wgsl */ `
${FITS}
/** A byte a feature, row by row. */
@group(0) @binding(1) var<storage, read> bins: array<${CELLS[features]}>;
/** A row of the data: hessian, gradient. */
@group(0) @binding(2) var<storage, read> packed: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> rows: array<u32>;
/** The first entry of each byte column's feature. */
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> groups: array<u32>;
/** How many nodes; of each of them the place of its first row and how many it has. */
@group(0) @binding(6) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<atomic<u32>>;

const ADDERS = ${2 * features}u;

/** A bin's sums of all features side by side. */
var<workgroup> own: array<atomic<u32>, ${BINS * 2 * features}>;
var<workgroup> cells: array<${CELLS[features]}, ${THREADS}>;
var<workgroup> pairs: array<vec2<u32>, ${THREADS}>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let fit = fits[workgroup.y];
  let adder = thread % ADDERS;
  let feature = adder >> 1u;
  let shift = 8u * (feature & 3u);
  let nodes = ranges[fit.ranges].x;
  var node = 0u;
  /** Of the nodes before it. */
  var units = 0u;
  for (var unit = workgroup.x; ; unit += workgroups.x) {
    var parts = 0u;
    loop {
      if (node >= nodes) { return; }
      parts = min((ranges[fit.ranges + 1u + node].y + ${ROWS_OF_UNIT - 1}u) / ${ROWS_OF_UNIT}u, ${MOST_PARTS}u);
      if (unit < units + parts * fit.listedGroups) { break; }
      units += parts * fit.listedGroups;
      node++;
    }
    // Groups of the same rows are neighbours.
    let group = groups[fit.groups + (unit - units) % fit.listedGroups];
    let part = (unit - units) / fit.listedGroups;
    let first = ranges[fit.ranges + 1u + node].x;
    let count = ranges[fit.ranges + 1u + node].y;
    for (var i = thread; i < ${BINS}u * ADDERS; i += ${THREADS}u) { atomicStore(&own[i], 0u); }
    let slot = slots[fit.slots + ${features}u * group + feature];
    let isListed = slot != ${NO_FEATURE}u;
    let step = parts * ${THREADS}u;
    for (var start = part * ${THREADS}u; start < count; start += step) {
      // As many turns for each tile, which the compiler can unroll: rows beyond the last add nothing.
      var pair = vec2<u32>(0u, 0u);
      if (start + thread < count) {
        let row = rows[fit.rows + first + start + thread];
        pair = packed[fit.packed + row];
        cells[thread] = bins[fit.bins / ${features / 4}u + row * fit.rowGroups + group];
      }
      pairs[thread] = pair;
      workgroupBarrier();
      if (isListed) {
        for (var turn = 0u; turn < ADDERS; turn++) {
          let i = turn * ${THREADS}u / ADDERS + thread / ADDERS;
          let bin = (cells[i]${features === 4 ? "" : "[feature >> 2u]"} >> shift) & 255u;
          atomicAdd(&own[bin * ADDERS + adder], pairs[i][adder & 1u]);
        }
      }
      workgroupBarrier();
    }
    if (isListed) {
      let to = 2u * (fit.sums + node * fit.entries + slot) + (adder & 1u);
      for (var bin = thread / ADDERS; bin < ${BINS}u; bin += ${THREADS}u / ADDERS) {
        let value = atomicLoad(&own[bin * ADDERS + adder]);
        // Bins beyond the feature's have none.
        if (value != 0u) { atomicAdd(&sums[to + 2u * bin], value); }
      }
    }
    workgroupBarrier();
  }
}
`;
