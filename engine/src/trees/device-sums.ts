/**
 * Where a device adds up trees over rows for this thread. Nothing here knows of any device: predictors are
 * carried to where there is none.
 */

import type { Pointer } from "../compute/arena.ts";
import type { Scratch } from "../compute/scratch.ts";
import type { BinnedData } from "../data/encoded.ts";
import type { TreeEnsemble } from "./ensemble.ts";

/** Sums of trees over rows, as `predictTrees` has them. */
export interface TreeSum {
  readonly trees: TreeEnsemble;
  readonly binned: BinnedData;
  /** u32 each; 0 = the first `count`. */
  readonly rows: Pointer;
  readonly count: number;
  readonly base: ArrayLike<number>;
  /** f64, count × outputs; written. */
  readonly scores: Pointer;
}

export interface TreeSummer {
  /** Whether so much is worth asking for. */
  takes(trees: number, count: number, binned: BinnedData): boolean;
  /** Writes the scores; false where it did not, and the CPU has to. */
  add(scratch: Scratch, sum: TreeSum): boolean;
}

let current: TreeSummer | null = null;

/** Has trees summed by `summer` while `action` runs in this thread. */
export function withSummer<T>(summer: TreeSummer | null, action: () => T): T {
  const before = current;
  current = summer;
  try {
    return action();
  } finally {
    current = before;
  }
}

export function treeSummer(): TreeSummer | null {
  return current;
}
