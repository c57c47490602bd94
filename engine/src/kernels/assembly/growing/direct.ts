/**
 * One feature's histogram at a time, straight from a node's rows.
 *
 * Small nodes have fewer rows than a feature has bins: clearing, subtracting and scanning whole
 * histograms would cost more than the rows. Here only the bins that occur are touched: a set of
 * 256 bits remembers which.
 */

import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  FEATURE_COUNT,
  FEATURE_LIST,
  OFFSETS,
  PACKED,
  ROW_MAJOR,
  ROW_STRIDE,
  ROWS,
  SPARSE_HISTOGRAM,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";

/** Up to this many rows are read from the row-major bins: their lines stay in the cache. */
const ROW_MAJOR_LIMIT: u32 = 128;

/** What nodes that are searched directly need of a thread's scratch before the first node of a tree. */
export function clearScratch(scratch: usize): void {
  memory.fill(scratch + SPARSE_HISTOGRAM, 0, 2048 + 32);
}

function rowsOf(p: usize, node: Node): usize {
  return usize(load<u32>(p, ROWS)) + (usize(node.start) << 2);
}

/** Copies the packed gradients of the node's rows side by side. */
export function gatherPacked(p: usize, node: Node, to: usize): void {
  const rows = rowsOf(p, node);
  const packed = usize(load<u32>(p, PACKED));
  for (let i: u32 = 0; i < node.count; i++) {
    const row = usize(load<u32>(rows + (usize(i) << 2)));
    store<i64>(to + (usize(i) << 3), load<i64>(packed + (row << 3)));
  }
}

/** The byte that holds row 0's bin of a feature; rows lie `binStep` bytes apart. */
export function binsOf(p: usize, node: Node, feature: i32): usize {
  return node.count <= ROW_MAJOR_LIMIT
    ? usize(load<u32>(p, ROW_MAJOR)) + usize(feature)
    : usize(load<u32>(p, COLUMN_MAJOR)) + usize(feature) * usize(load<u32>(p, COLUMN_STRIDE));
}

export function binStep(p: usize, node: Node): usize {
  return node.count <= ROW_MAJOR_LIMIT ? usize(load<u32>(p, ROW_STRIDE)) : 1;
}

/** Adds the node's rows to the feature's histogram, which must be clear. @param values as gathered */
export function fillOne(p: usize, node: Node, feature: i32, histogram: usize, values: usize): void {
  const rows = rowsOf(p, node);
  const bins = binsOf(p, node, feature);
  const step = binStep(p, node);
  for (let i: u32 = 0; i < node.count; i++) {
    const bin = usize(load<u8>(bins + usize(load<u32>(rows + (usize(i) << 2))) * step));
    const at = histogram + (bin << 3);
    store<i64>(at, load<i64>(at) + load<i64>(values + (usize(i) << 3)));
  }
}

/** As `fillOne`, and sets the bit of every bin that occurs (`occupied`: four u64, clear). */
export function fillSparse(
  p: usize,
  node: Node,
  feature: i32,
  histogram: usize,
  occupied: usize,
  values: usize,
): void {
  const rows = rowsOf(p, node);
  const bins = binsOf(p, node, feature);
  const step = binStep(p, node);
  for (let i: u32 = 0; i < node.count; i++) {
    const bin = usize(load<u8>(bins + usize(load<u32>(rows + (usize(i) << 2))) * step));
    const at = histogram + (bin << 3);
    store<i64>(at, load<i64>(at) + load<i64>(values + (usize(i) << 3)));
    const word = occupied + ((bin >> 6) << 3);
    store<u64>(word, load<u64>(word) | (u64(1) << (u64(bin) & 63)));
  }
}

/** Clears the occupied bins and their bits again. */
export function clearSparse(histogram: usize, occupied: usize): void {
  for (let w: usize = 0; w < 4; w++) {
    let word = load<u64>(occupied + (w << 3));
    while (word !== 0) {
      store<i64>(histogram + (((w << 6) + usize(ctz<u64>(word))) << 3), 0);
      word &= word - 1;
    }
    store<u64>(occupied + (w << 3), 0);
  }
}

/** Takes the node's rows, gathered, out of a whole histogram. */
export function removeRows(p: usize, node: Node, histogram: usize, values: usize): void {
  const rows = rowsOf(p, node);
  const rowMajor = usize(load<u32>(p, ROW_MAJOR));
  const stride = usize(load<u32>(p, ROW_STRIDE));
  const offsets = usize(load<u32>(p, OFFSETS));
  const list = usize(load<u32>(p, FEATURE_LIST));
  const end = list + (usize(load<u32>(p, FEATURE_COUNT)) << 2);
  for (let i: u32 = 0; i < node.count; i++) {
    const bins = rowMajor + usize(load<u32>(rows + (usize(i) << 2))) * stride;
    const value = load<i64>(values + (usize(i) << 3));
    for (let each = list; each < end; each += 4) {
      const feature = usize(load<u32>(each));
      const entry = usize(load<u32>(offsets + (feature << 2))) + usize(load<u8>(bins + feature));
      const at = histogram + (entry << 3);
      store<i64>(at, load<i64>(at) - value);
    }
  }
}
