/**
 * Where a device adds up trees over rows for this thread. Nothing here knows of any device: predictors are
 * carried to where there is none.
 */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { BinnedData } from "../data/encoded.ts";
import type { TreeEnsemble } from "./ensemble.ts";

/** Sums of trees over rows, as `predictTrees` has them. */
export interface TreeSum {
  /** As they were grown; asked for once while the sums of one owner follow each other. */
  readonly trees: () => TreeEnsemble;
  /** What the trees are known by. */
  readonly owner: object;
  readonly binned: BinnedData;
  /** u32 each; 0 = the first `count`. */
  readonly rows: Pointer;
  readonly count: number;
  readonly base: ArrayLike<number>;
  /** f64, count × outputs; written. */
  readonly scores: Pointer;
}

export interface SumSize {
  readonly trees: number;
  readonly nodes: number;
  readonly rows: number;
}

export interface TreeSummer {
  /** Whether so much is worth asking for. */
  takes(size: SumSize, binned: BinnedData): boolean;
  /** Writes the scores; false where it did not, and the CPU has to. */
  add(arena: Arena, sum: TreeSum): boolean;
  /** Lets go of the trees that it knows. */
  close(): void;
}

let current: TreeSummer | null = null;

/** Has trees summed by `summer` while `action` runs in this thread, and closes it. */
export function withSummer<T>(summer: TreeSummer | null, action: () => T): T {
  const before = current;
  current = summer;
  try {
    return action();
  } finally {
    current = before;
    summer?.close();
  }
}

export function treeSummer(): TreeSummer | null {
  return current;
}
