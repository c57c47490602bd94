/** Where a grower writes a tree: its words of `layout.ts`, and views of what is there. */

import type { Arena, Pointer } from "../compute/arena.ts";
import type { Scratch } from "../compute/scratch.ts";
import * as layout from "../kernels/assembly/growing/layout.ts";

/** Views of the last tree grown; the next call overwrites them. Lengths are capacities. */
export interface GrownTree {
  readonly feature: Int32Array;
  readonly splitBin: Int32Array;
  readonly isCategorical: Uint8Array;
  readonly missingLeft: Uint8Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly value: Float64Array;
  readonly cover: Float64Array;
  readonly gain: Float64Array;
  readonly sets: Uint32Array;
  /** Where a node's rows start among the partitioned rows, and how many they are. */
  readonly start: Int32Array;
  readonly count: Int32Array;
}

/** A tree that is grown or was: where it lies, by the words of `layout.ts`, and what is there. */
export interface TreePlace {
  readonly words: Readonly<Record<number, Pointer>>;
  readonly tree: GrownTree;
}

export function allocateTree(scratch: Scratch, leaves: number): TreePlace["words"] {
  const nodes = 2 * leaves - 1;
  return {
    [layout.OUT_FEATURE]: scratch.allocate(nodes * 4),
    [layout.OUT_SPLIT]: scratch.allocate(nodes * 4),
    [layout.OUT_CATEGORICAL]: scratch.allocate(nodes),
    [layout.OUT_MISSING_LEFT]: scratch.allocate(nodes),
    [layout.OUT_LEFT]: scratch.allocate(nodes * 4),
    [layout.OUT_RIGHT]: scratch.allocate(nodes * 4),
    [layout.OUT_VALUE]: scratch.allocate(nodes * 8),
    [layout.OUT_COVER]: scratch.allocate(nodes * 8),
    [layout.OUT_GAIN]: scratch.allocate(nodes * 8),
    [layout.OUT_SETS]: scratch.allocate(leaves * 32),
    [layout.OUT_START]: scratch.allocate(nodes * 4),
    [layout.OUT_COUNT]: scratch.allocate(nodes * 4),
  };
}

export function treeViews(arena: Arena, words: TreePlace["words"], leaves: number): GrownTree {
  const nodes = 2 * leaves - 1;
  return {
    feature: arena.i32(words[layout.OUT_FEATURE], nodes),
    splitBin: arena.i32(words[layout.OUT_SPLIT], nodes),
    isCategorical: arena.u8(words[layout.OUT_CATEGORICAL], nodes),
    missingLeft: arena.u8(words[layout.OUT_MISSING_LEFT], nodes),
    left: arena.i32(words[layout.OUT_LEFT], nodes),
    right: arena.i32(words[layout.OUT_RIGHT], nodes),
    value: arena.f64(words[layout.OUT_VALUE], nodes),
    cover: arena.f64(words[layout.OUT_COVER], nodes),
    gain: arena.f64(words[layout.OUT_GAIN], nodes),
    sets: arena.u32(words[layout.OUT_SETS], leaves * 8),
    start: arena.i32(words[layout.OUT_START], nodes),
    count: arena.i32(words[layout.OUT_COUNT], nodes),
  };
}

/** Where a tree lies, from OUT_FEATURE to OUT_COUNT. */
export function treeWords({ words }: TreePlace): Int32Array {
  const all = new Int32Array((layout.OUT_COUNT - layout.OUT_FEATURE) / 4 + 1);
  for (const [offset, pointer] of Object.entries(words)) {
    all[(Number(offset) - layout.OUT_FEATURE) / 4] = pointer;
  }
  return all;
}
