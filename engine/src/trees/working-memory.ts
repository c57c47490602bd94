/** What growing trees over binned data takes of memory, for the fit itself and for each of its helpers. */

import type { BinnedData } from "../data/encoded.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";

/** Bytes that each helper of a fit needs, with so many leaves at most over data of these bins. */
export function bytesOfHelper(data: BinnedData, leaves: number): number {
  return placeOf(data, 2 * leaves - 1).bytes;
}

interface Place {
  readonly block: number;
  readonly histogram: number;
  readonly bytes: number;
}

/** What lies where in the working memory of a helper. */
export function placeOf(data: BinnedData, nodes: number): Place {
  const lines = (bytes: number): number => Math.ceil(bytes / 64) * 64;
  const block = lines(layout.PLACE_RANGES + nodes * 8);
  const histogram = lines(block + blockBytesOf(data));
  return { block, histogram, bytes: lines(histogram + histogramBytesOf(data)) };
}

/** Rows of a block at most, and bytes of their bins. */
const BLOCK = { rows: 256, bytes: 2 ** 18 };

/**
 * Rows whose bins are side by side while a histogram is added up, of so many bytes each. Entries of four features come
 * into the first-level cache once for each block; the block itself may lie in the second-level one, since it is read in
 * its order (`docs/decisions/boosting-kernels.md`).
 */
export function blockRowsOf(rowStride: number): number {
  return Math.max(16, Math.min(BLOCK.rows, Math.floor(BLOCK.bytes / rowStride)));
}

/** Of such rows with their gradients, whether features share columns in this fit or not. */
export function blockBytesOf({ rowStride, bundled }: BinnedData): number {
  const bytesOf = (stride: number): number => blockRowsOf(stride) * (stride + 8);
  return Math.max(bytesOf(rowStride), bundled ? bytesOf(bundled.rowStride) : 0);
}

export function histogramBytesOf({ bins }: BinnedData): number {
  return Math.ceil(bins.reduce((sum, { valueBins }) => sum + valueBins + 1, 0) / 2) * 16;
}
