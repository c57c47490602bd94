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

/** Rows whose bins are side by side while a histogram is added up, of so many bytes each. */
export function blockRowsOf(rowStride: number): number {
  return rowStride <= 128 ? 64 : Math.max(8, Math.floor(8192 / rowStride));
}

/** Of such rows with their gradients, whether features share columns in this fit or not. */
export function blockBytesOf({ rowStride, bundled }: BinnedData): number {
  const bytesOf = (stride: number): number => blockRowsOf(stride) * (stride + 8);
  return Math.max(bytesOf(rowStride), bundled ? bytesOf(bundled.rowStride) : 0);
}

export function histogramBytesOf({ bins }: BinnedData): number {
  return Math.ceil(bins.reduce((sum, { valueBins }) => sum + valueBins + 1, 0) / 2) * 16;
}
