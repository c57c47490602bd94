/** When threads share a boosting fit, and how much memory it has for them. Of no matter for what is fitted. */

import { MOST_HELPERS } from "../../compute/crew-desk.ts";
import type { BinnedData } from "../../data/encoded.ts";
import { bytesOfHelper } from "../../trees/working-memory.ts";

/** When the work of a fit is shared by threads. Of no matter for what is fitted. */
export interface Sharing {
  /** Cells (rows × features) of a fit at least. */
  readonly cells: number;
  /** See `GrowthSettings`; absent: the grower's own. */
  readonly unitCells?: number;
}

/** Below it a round takes some milliseconds, much of it in nodes of few rows. */
export const SHARING: Sharing = { cells: 2 ** 20 };

/** Whether threads that help a fit on such data would find work. */
export function isShared(rows: number, features: number): boolean {
  return rows * features >= SHARING.cells;
}

/**
 * Cells of a fit at most whose trees of several classes are grown side by side: a helper that is called away ends its
 * tree, which takes some tens of milliseconds then, and nodes of larger ones are shared well.
 */
const MOST_APART = 2 ** 23;

/** Each has room for a tree. */
const MOST_OUTPUTS_APART = 256;

/** Bytes of the arena for helpers, all together. */
const HELPER_BYTES = 32 * 2 ** 20;

/**
 * For how many helpers there is to be memory: none where the fit is too small to be shared. A function of
 * the data and the parameters alone, as all memory of a fit must be.
 */
export function helpersOf(
  rows: number,
  binned: BinnedData,
  leaves: number,
  { cells }: Sharing,
): number {
  if (rows * binned.bins.length < cells) return 0;
  const most = Math.floor(HELPER_BYTES / bytesOfHelper(binned, leaves));
  return Math.min(MOST_HELPERS, Math.max(1, most));
}

/** Whether the trees of a round's classes are grown side by side, where helpers can take part. */
export const growsApart = (cells: number, outputs: number): boolean =>
  cells <= MOST_APART && outputs <= MOST_OUTPUTS_APART;
