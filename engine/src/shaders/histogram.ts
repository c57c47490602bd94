/**
 * Histograms of packed gradients, as `kernels/assembly/histogram.ts` builds them, to the same integers.
 *
 * A workgroup takes some rows and a group of neighbouring features, whose entries fit into workgroup memory:
 * it adds its rows there by integer atomics, and what came of them to the sums of all workgroups. Gradient
 * and hessian are two u32 that wrap around: quantisation keeps the sums over all rows of a fit, fewer than
 * 2³¹, within 31 bits, so that two halves without a carry are the CPU's one 64-bit sum.
 */

/** Of a workgroup. */
export const THREADS = 256;

/** A byte column that holds no listed feature. */
export const NO_FEATURE = 0xffff_ffff;

/** Entries (8 bytes each) that a workgroup has room for, by the device's workgroup memory. */
export function entriesOfGroup(workgroupBytes: number): number {
  return Math.min(4096, Math.floor(workgroupBytes / 8));
}

/**
 * Workgroups: x any number of parts of the rows, y the groups of features of one node after those of the other.
 *
 * @param entries of a group at most
 */
export const histogramShader = (entries: number): string => /* wgsl */ `
/** Words of a row; groups of features; entries of a histogram. */
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
/** Four bins a word, row by row. */
@group(0) @binding(1) var<storage, read> bins: array<u32>;
/** A row of the data: hessian, gradient. */
@group(0) @binding(2) var<storage, read> packed: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> rows: array<u32>;
/** The first entry of each byte column's feature. */
@group(0) @binding(4) var<storage, read> slots: array<u32>;
/** Of a group of features: its first word, its words, its first entry, its entries. */
@group(0) @binding(5) var<storage, read> groups: array<vec4<u32>>;
/** Of each node: the place of its first row and how many it has. */
@group(0) @binding(6) var<storage, read> ranges: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<atomic<u32>>;

var<workgroup> own: array<atomic<u32>, ${2 * entries}>;

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let node = workgroup.y / shape.y;
  let first = ranges[node].x;
  let count = ranges[node].y;
  if (workgroup.x * ${THREADS}u >= count) { return; }
  let group = groups[workgroup.y % shape.y];
  for (var i = thread; i < 2u * group.w; i += ${THREADS}u) { atomicStore(&own[i], 0u); }
  workgroupBarrier();
  let step = workgroups.x * ${THREADS}u;
  for (var i = workgroup.x * ${THREADS}u + thread; i < count; i += step) {
    let row = rows[first + i];
    let pair = packed[row];
    for (var w = group.x; w < group.x + group.y; w++) {
      var word = bins[row * shape.x + w];
      for (var byte = 0u; byte < 4u; byte++) {
        let slot = slots[4u * w + byte];
        if (slot != ${NO_FEATURE}u) {
          let entry = 2u * (slot - group.z + (word & 255u));
          atomicAdd(&own[entry], pair.x);
          atomicAdd(&own[entry + 1u], pair.y);
        }
        word >>= 8u;
      }
    }
  }
  workgroupBarrier();
  for (var i = thread; i < 2u * group.w; i += ${THREADS}u) {
    let value = atomicLoad(&own[i]);
    if (value != 0u) { atomicAdd(&sums[2u * (node * shape.z + group.z) + i], value); }
  }
}
`;
