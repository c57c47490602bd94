/**
 * Exclusive feature bundling (Ke et al., "LightGBM", NeurIPS 2017, §4): neighbouring features of which no row has two away
 * from their usual bins share one column of bins, so that a row adds to a histogram once a bundle and not once a feature.
 *
 * No conflict is allowed, and a cell of a bundle is the place of an entry among those of its features. So histograms are laid
 * out as without bundles, but for the entries of usual bins: these are what a node's sum has beside the others.
 */

import { type Arena, ArenaFullError, type Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import type { BinnedData, BundledBins } from "../encoded.ts";

/** Fewer features are added up quickly as they are. */
const LEAST_FEATURES = 16;
/** Columns in place of features that are worth another copy of the bins. */
const MOST_COLUMNS_SHARE = 0.75;
/** Rows, evenly spaced, that tell a feature's usual bin. */
const LOOKED_AT = 1024;
/** Of these rows, that have it. */
const USUAL_SHARE = 0.5;
/** Entries that a byte tells apart. */
const MOST_ENTRIES = 256;
const BLOCK = 2048;

/**
 * Null where bundles would save little, or there is no memory for them.
 *
 * @param allocate gives memory of the arena
 */
export function bundleBins(
  arena: Arena,
  rows: number,
  binned: BinnedData,
  allocate = (bytes: number): Pointer => arena.allocate(bytes),
): BundledBins | null {
  const features = binned.bins.length;
  if (features < LEAST_FEATURES || rows === 0) return null;
  try {
    return withScratch(arena, (scratch) => {
      const { firsts, usualBins } = columnsOf(scratch, rows, binned);
      if (firsts.length > MOST_COLUMNS_SHARE * features) return null;
      const list = scratch.u32(firsts);
      const rowStride = Math.ceil(firsts.length / 16) * 16;
      const rowMajor = allocate(rows * rowStride);
      const bundled = { rowMajor, rowStride, firsts, usualBins };
      fill(kernelsOf(arena.handle()), list, rows, binned, bundled);
      return bundled;
    });
  } catch (fault) {
    if (fault instanceof ArenaFullError) return null;
    throw fault;
  }
}

/** Which features share a column: as many neighbours as no row has two of, and as one column has entries for. */
function columnsOf(
  scratch: Scratch,
  rows: number,
  { columnMajor, columnStride, bins }: BinnedData,
): Pick<BundledBins, "firsts" | "usualBins"> {
  const { arena } = scratch;
  const blocks = Math.ceil(rows / 16);
  const taken = scratch.allocate(2 * blocks);
  const { takeRows } = kernelsOf(arena.handle());
  const columnAt = (f: number): Pointer => columnMajor + f * columnStride;
  const usual = bins.map((_, f) => usualBinOf(arena.u8(columnAt(f), rows)));
  const features = bins.length;
  const firsts: number[] = [];
  for (let f = 0; f < features; ) {
    firsts.push(f);
    let entries = bins[f].valueBins + 1;
    if (usual[f] < 0) {
      f++;
      continue;
    }
    arena.u16(taken, blocks).fill(0);
    takeRows(columnAt(f), rows, usual[f], taken);
    for (f++; f < features && usual[f] >= 0; f++) {
      entries += bins[f].valueBins + 1;
      if (entries > MOST_ENTRIES || takeRows(columnAt(f), rows, usual[f], taken) === 0) break;
    }
  }
  const usualBins = firsts.flatMap((first, column) => {
    const members = usual.slice(first, first + membersOf(firsts, column, features));
    return members.length > 1 ? members : [-1];
  });
  return { firsts, usualBins };
}

/** Features of a column. */
export function membersOf(firsts: readonly number[], column: number, features: number): number {
  return (firsts[column + 1] ?? features) - firsts[column];
}

/** Of a column's cells; -1 where none is usual. */
function usualBinOf(cells: Uint8Array): number {
  const counts = new Uint32Array(MOST_ENTRIES);
  const looked = Math.min(cells.length, LOOKED_AT);
  for (let i = 0; i < looked; i++) counts[cells[Math.floor((i * cells.length) / looked)]]++;
  const most = counts.reduce((best, count) => Math.max(best, count), 0);
  return most >= USUAL_SHARE * looked ? counts.indexOf(most) : -1;
}

function fill(
  { transposeBins, placeBins }: Kernels,
  list: Pointer,
  rows: number,
  { columnMajor, columnStride, bins }: BinnedData,
  { rowMajor, rowStride, firsts, usualBins }: BundledBins,
): void {
  // A row that has all of a column's features usual adds to an entry that nobody reads.
  transposeBins(columnMajor, columnStride, rows, list, firsts.length, rowMajor, rowStride);
  for (let start = 0; start < rows; start += BLOCK) {
    const count = Math.min(BLOCK, rows - start);
    for (const [column, first] of firsts.entries()) {
      const end = first + membersOf(firsts, column, bins.length);
      let place = bins[first].valueBins + 1;
      for (let f = first + 1; f < end; f++) {
        const cells = columnMajor + f * columnStride + start;
        const out = rowMajor + start * rowStride + column;
        placeBins(cells, count, usualBins[f], place, out, rowStride);
        place += bins[f].valueBins + 1;
      }
    }
  }
}
