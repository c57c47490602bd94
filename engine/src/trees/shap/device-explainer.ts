/**
 * Where a device explains rows by trees for this thread. As `device-sums.ts`, nothing here knows of any device:
 * predictors are carried to where there is none.
 */

import type { Arena, Pointer } from "../../compute/arena.ts";
import type { SumSize } from "../device-sums.ts";
import type { PackedTrees } from "../packed-trees.ts";

/** Rows to be explained, and the trees that explain them. */
export interface ExplainedRows {
  readonly packed: PackedTrees;
  readonly features: number;
  readonly outputs: number;
  readonly rowMajor: Pointer;
  readonly rowStride: number;
  /** u32 each. */
  readonly list: Pointer;
  readonly count: number;
}

/** One tree as `planPaths` and `treeShapTables` have laid it out. */
export interface ExplainingTree {
  readonly arena: Arena;
  /** Its number. */
  readonly tree: number;
  readonly nodes: number;
  readonly records: Pointer;
  readonly points: number;
  readonly tables: Pointer;
}

export interface TreeExplainer {
  /** Whether so much is worth asking for. */
  takes(size: SumSize): boolean;
  /** False, here and below, where it did not, and the CPU has to. */
  begin(arena: Arena, rows: ExplainedRows): boolean;
  /** In the order of the trees. */
  addTree(tree: ExplainingTree): boolean;
  /** Writes what came together: f64, count × features × outputs. */
  end(arena: Arena, out: Pointer): boolean;
  /** Its answers are wrong: it is not asked again. */
  distrust(): void;
}

let current: TreeExplainer | null = null;

/** Has rows explained by `explainer` while `action` runs in this thread. */
export function withExplainer<T>(explainer: TreeExplainer | null, action: () => T): T {
  const before = current;
  current = explainer;
  try {
    return action();
  } finally {
    current = before;
  }
}

export function treeExplainer(): TreeExplainer | null {
  return current;
}
