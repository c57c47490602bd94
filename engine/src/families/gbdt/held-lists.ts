/**
 * Which rows stay here of a fit whose rows are on a device, so that it can be said whether the device is to be believed:
 * those of the last block, whose sums must be the CPU's, and some far apart.
 */

import type { Pointer } from "../../compute/arena.ts";
import type { Scratch } from "../../compute/scratch.ts";
import * as layout from "../../kernels/assembly/crew/crew-layout.ts";
import type { RowList } from "./row-work.ts";

/** Rows apart from the last block whose scores and gradients are compared. */
const CHECKED_APART = 16;
/** Of those that stay here, whose bits come with each answer. */
const MOST_COMPARED = 32;

/** So many rows stay here at most. */
export function mostChecked(rows: number): number {
  return Math.min(rows, layout.BLOCK_ROWS + CHECKED_APART);
}

/** What of the rows stays here, and where. */
export interface HeldLists {
  /** Those that are learned from and stay. */
  readonly checked: RowList;
  /** The first of them. */
  readonly compared: RowList;
  readonly lastBlock: RowList;
  /** The rows that are validated on, then the checked ones. */
  readonly followers: RowList;
  /** Four f64: units of histograms and of leaves' sums, gradient before hessian. */
  readonly scales: Pointer;
}

export function heldLists(scratch: Scratch, train: RowList, valid: RowList | null): HeldLists {
  const { arena } = scratch;
  const first = layout.BLOCK_ROWS * (Math.ceil(train.count / layout.BLOCK_ROWS) - 1);
  const lastBlock = { pointer: train.pointer + 4 * first, count: train.count - first };
  const apart = Math.min(CHECKED_APART, first);
  const count = apart + lastBlock.count;
  const before = valid === null ? 0 : valid.count;
  const pointer = scratch.allocate(4 * (before + count));
  const scales = scratch.allocate(32);
  const rows = arena.u32(train.pointer, train.count);
  const own = Uint32Array.from({ length: count }, (_, i) =>
    i < apart ? rows[Math.floor((i * first) / apart)] : rows[first + i - apart],
  );
  if (valid !== null) arena.u32(pointer, before).set(arena.u32(valid.pointer, before));
  arena.u32(pointer + 4 * before, count).set(own);
  const checked = { pointer: pointer + 4 * before, count };
  return {
    ...{ checked, lastBlock, scales, followers: { pointer, count: before + count } },
    compared: { pointer: checked.pointer, count: Math.min(MOST_COMPARED, count) },
  };
}
