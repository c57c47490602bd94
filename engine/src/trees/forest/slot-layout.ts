/** What lies where in the memory that one tree of a forest takes while it grows. */

import type { BinnedData } from "../../data/encoded.ts";
import * as layout from "../../kernels/assembly/forests/layout.ts";
import type { RowStatistics } from "./row-statistics.ts";

export interface SlotLayout {
  readonly bytes: number;
  /** Fields of the tree's block, and where what they point to lies behind it. */
  readonly parts: Readonly<Record<number, number>>;
  /** Distinct rows of a bag at most, and their entries. */
  readonly drawn: number;
  readonly entries: number;
  readonly leaves: number;
  /** Numbers of an entry of a histogram. */
  readonly width: number;
}

/** How large trees can become. */
export interface TreeSize {
  readonly maxLeaves: number;
  readonly draws: number;
}

const SCRATCH_BYTES = 8192;

export function slotLayout(
  data: BinnedData,
  { classes, starts, weight }: RowStatistics,
  { maxLeaves, draws }: TreeSize,
): SlotLayout {
  const entries = weight.length;
  const drawn = Math.min(starts ? starts.length - 1 : entries, draws);
  // A row of several entries is in the bag with all of them.
  const capacity = starts ? entries : drawn;
  const leaves = Math.min(drawn, maxLeaves);
  const nodes = 2 * leaves - 1;
  const width = classes === 0 ? 2 : classes + (classes & 1);
  const sizes: readonly (readonly [field: number, bytes: number])[] = [
    [layout.ROWS, capacity * 4 + 16],
    [layout.STATS, capacity * 16 + 16],
    [layout.ROWS_SCRATCH, capacity * 4 + 16],
    [layout.STATS_SCRATCH, Math.max(capacity * 16 + 16, entries * 4)],
    [layout.HISTOGRAM, 256 * width * 8],
    [layout.COUNTS, 256 * 4],
    [layout.SCRATCH, SCRATCH_BYTES],
    [layout.PERMUTATION, data.bins.length * 4],
    [layout.NODES, nodes * layout.NODE_BYTES],
    [layout.OPEN, (leaves + 1) * 4],
    [layout.SIDES, width * 8],
    [layout.GATHERED, capacity],
    [layout.OUT_FEATURE, nodes * 4],
    [layout.OUT_SPLIT, nodes * 4],
    [layout.OUT_CATEGORICAL, nodes],
    [layout.OUT_MISSING_LEFT, nodes],
    [layout.OUT_LEFT, nodes * 4],
    [layout.OUT_RIGHT, nodes * 4],
    [layout.OUT_GAIN, nodes * 8],
    [layout.OUT_SUMS, nodes * width * 8],
    [layout.OUT_SETS, leaves * 32],
    [layout.OUT_VALUES, nodes * Math.max(1, classes) * 8],
    [layout.OUT_COVER, nodes * 8],
  ];
  const parts: Record<number, number> = {};
  let bytes = linesOf(layout.BYTES);
  for (const [field, size] of sizes) {
    parts[field] = bytes;
    bytes += linesOf(size);
  }
  // How often rows are drawn is read before rows are moved for the first time.
  parts[layout.TIMES] = parts[layout.STATS_SCRATCH];
  return { bytes, parts, drawn, entries: capacity, leaves, width };
}

/** Threads that write side by side keep to lines of the cache of their own. */
function linesOf(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}
