/**
 * Exclusive feature bundling (Ke et al., "LightGBM", NeurIPS 2017, §4): neighbouring features of which no row has two away
 * from their usual bins share one column of bins, so that a row adds to a histogram once a bundle and not once a feature.
 *
 * No conflict is allowed, and a cell of a bundle is the place of an entry among those of its features. So histograms are laid
 * out as without bundles, but for the entries of usual bins: these are what a node's sum has beside the others.
 */

import { type Arena, ArenaFullError, type Pointer } from "../../compute/arena.ts";
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
  { columnMajor, columnStride, bins }: BinnedData,
  allocate = (bytes: number): Pointer => arena.allocate(bytes),
): BundledBins | null {
  const features = bins.length;
  if (features < LEAST_FEATURES || rows === 0) return null;
  const cells = arena.u8(columnMajor, features * columnStride);
  const columnOf = (f: number): Uint8Array =>
    cells.subarray(f * columnStride, f * columnStride + rows);
  const usual = bins.map((_, f) => usualBinOf(columnOf(f)));
  const firsts: number[] = [];
  const taken = new Uint8Array(rows);
  for (let f = 0; f < features; ) {
    firsts.push(f);
    let entries = bins[f].valueBins + 1;
    const first = usual[f];
    f++;
    if (first < 0) continue;
    taken.fill(0);
    take(columnOf(f - 1), first, taken);
    for (; f < features && usual[f] >= 0; f++) {
      entries += bins[f].valueBins + 1;
      if (entries > MOST_ENTRIES || hasConflict(columnOf(f), usual[f], taken)) break;
      take(columnOf(f), usual[f], taken);
    }
  }
  if (firsts.length > MOST_COLUMNS_SHARE * features) return null;
  const usualBins = firsts.flatMap((first, column) => {
    const members = usual.slice(first, first + membersOf(firsts, column, features));
    return members.length > 1 ? members : [-1];
  });
  const rowStride = Math.ceil(firsts.length / 16) * 16;
  const rowMajor = allocated(allocate, rows * rowStride);
  if (rowMajor === null) return null;
  const bundled = { rowMajor, rowStride, firsts, usualBins };
  // The arena may have grown: views are made anew.
  fill(arena, rows, { columnMajor, columnStride, bins }, bundled);
  return bundled;
}

/** Features of a column. */
export function membersOf(firsts: readonly number[], column: number, features: number): number {
  return (firsts[column + 1] ?? features) - firsts[column];
}

function allocated(allocate: (bytes: number) => Pointer, bytes: number): Pointer | null {
  try {
    return allocate(bytes);
  } catch (fault) {
    if (fault instanceof ArenaFullError) return null;
    throw fault;
  }
}

/** Of a column's cells; -1 where none is usual. */
function usualBinOf(cells: Uint8Array): number {
  const counts = new Uint32Array(MOST_ENTRIES);
  const looked = Math.min(cells.length, LOOKED_AT);
  for (let i = 0; i < looked; i++) counts[cells[Math.floor((i * cells.length) / looked)]]++;
  const most = counts.reduce((best, count) => Math.max(best, count), 0);
  return most >= USUAL_SHARE * looked ? counts.indexOf(most) : -1;
}

function hasConflict(cells: Uint8Array, usual: number, taken: Uint8Array): boolean {
  for (let row = 0; row < cells.length; row++) {
    if (cells[row] !== usual && taken[row] !== 0) return true;
  }
  return false;
}

function take(cells: Uint8Array, usual: number, taken: Uint8Array): void {
  for (let row = 0; row < cells.length; row++) if (cells[row] !== usual) taken[row] = 1;
}

function fill(
  arena: Arena,
  rows: number,
  { columnMajor, columnStride, bins }: Pick<BinnedData, "bins" | "columnMajor" | "columnStride">,
  { rowMajor, rowStride, firsts, usualBins }: BundledBins,
): void {
  const features = bins.length;
  const cells = arena.u8(columnMajor, features * columnStride);
  const out = arena.u8(rowMajor, rows * rowStride);
  out.fill(0);
  for (let start = 0; start < rows; start += BLOCK) {
    const end = Math.min(rows, start + BLOCK);
    for (const [column, first] of firsts.entries()) {
      const members = membersOf(firsts, column, features);
      let place = 0;
      for (let f = first; f < first + members; f++) {
        // A row that has all of them usual adds to an entry that nobody reads.
        const left = f === first ? -1 : usualBins[f];
        const from = f * columnStride;
        for (let row = start; row < end; row++) {
          const bin = cells[from + row];
          if (bin !== left) out[row * rowStride + column] = place + bin;
        }
        place += bins[f].valueBins + 1;
      }
    }
  }
}
