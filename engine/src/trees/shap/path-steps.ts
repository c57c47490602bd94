/**
 * A planned tree as a list of steps that rows take one after another, with what lies on one path kept alone: down an
 * edge to a node, and up again when all below it is summed; a right child before its sibling, as the kernel collects.
 */

import type { Arena, Pointer } from "../../compute/arena.ts";
import {
  STEP_IS_LEAF,
  STEP_LEAVES,
  STEP_SIDE,
  STEP_WORDS,
} from "../../compute/gpu/shap-requests.ts";
import { RECORD_BYTES } from "./tree-planner.ts";

/** Words of a record of `kernels/assembly/trees/tree-shap-plan.ts`. */
const WORDS = RECORD_BYTES / 4;
const [PARENT, PREVIOUS, FEATURE, SIDE, SPLIT_FEATURE, SPLIT, LEAF, DEPTH] = [
  ...[0, 1, 2, 3, 4, 5, 6, 7],
] as [number, number, number, number, number, number, number, number];

export interface PathSteps {
  /** `STEP_WORDS` each. */
  readonly steps: Uint32Array;
  /** Nodes on the longest path. */
  readonly levels: number;
  /** Numbers of its leaves among those of the ensemble, as its steps count them from 0 on. */
  readonly leaves: Int32Array;
}

/** @param records the plan of one tree, of more than one node */
export function pathSteps(arena: Arena, records: Pointer, nodes: number): PathSteps {
  const plan = arena.i32(records, nodes * WORDS);
  const of = (node: number, word: number): number => plan[node * WORDS + word];
  /** Of inner nodes; the left one is the next in preorder. */
  const right = new Int32Array(nodes);
  for (let node = 1; node < nodes; node++) {
    if (of(node, SIDE) === 0) right[of(node, PARENT)] = node;
  }
  const steps = new Uint32Array((2 * nodes - 1) * STEP_WORDS);
  const leaves: number[] = [];
  let levels = 0;
  let at = 0;
  const emit = (node: number, leaf: number, more: number): void => {
    const flags = (of(node, SIDE) === 1 ? STEP_SIDE : 0) | more;
    const before = of(of(node, PREVIOUS), DEPTH);
    steps.set([node, flags, of(node, DEPTH), before], at);
    steps.set([of(node, SPLIT_FEATURE), of(node, SPLIT), leaf, of(node, FEATURE)], at + 4);
    at += STEP_WORDS;
  };
  // Nodes that are due, and those whose children are, as their complements.
  const due = [0];
  for (let node = due.pop(); node !== undefined; node = due.pop()) {
    if (node < 0) {
      emit(~node, 0, STEP_LEAVES);
      continue;
    }
    levels = Math.max(levels, of(node, DEPTH) + 1);
    const isLeaf = of(node, LEAF) >= 0;
    emit(node, leaves.length, isLeaf ? STEP_IS_LEAF : 0);
    if (node > 0) due.push(~node);
    if (isLeaf) leaves.push(of(node, LEAF));
    else due.push(node + 1, right[node]);
  }
  return { steps, levels, leaves: Int32Array.from(leaves) };
}
