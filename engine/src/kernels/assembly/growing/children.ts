/** The children of a node of a tree that is grown: which rows they have, and what they may answer. */

import * as constrained from "./constrained";
import { GRADIENT_SCALE, HESSIAN_SCALE, L1, L2, MONOTONE, VALUE_BINS } from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import { fillTable } from "./partition";
import { nodeAt, pointer } from "./unsplit";
import { writeLeaf, writeSplit } from "./written-nodes";

/** Writes which bins go left by a node's split. */
export function fillTableOf(p: usize, node: Node, table: usize): void {
  fillTable(
    table,
    node.bin,
    load<i32>(pointer(p, VALUE_BINS) + (usize(node.feature) << 2)),
    node.missingLeft,
    node.categorical,
    changetype<usize>(node) + offsetof<Node>("set0"),
  );
}

/** Divides the interval of answers at a split on a constrained feature. */
function boundChildren(p: usize, node: Node, left: Node, right: Node): void {
  const monotone = pointer(p, MONOTONE);
  if (monotone === 0) return;
  const direction = i32(load<i8>(monotone + usize(node.feature)));
  if (direction === 0 || node.categorical) return;
  constrained.beginConstrained(
    node.sum,
    load<f64>(p, L1) * load<f64>(p, GRADIENT_SCALE),
    load<f64>(p, L2) * load<f64>(p, HESSIAN_SCALE),
    node.lower,
    node.upper,
  );
  const middle =
    0.5 *
    (constrained.answer(gradientOf(left.sum), hessianOf(left.sum)) +
      constrained.answer(gradientOf(right.sum), hessianOf(right.sum)));
  if (direction > 0) {
    left.upper = middle;
    right.lower = middle;
  } else {
    left.lower = middle;
    right.upper = middle;
  }
}

/** Writes the children of a node of which so many rows go left; they have no histogram and no split yet. */
export function makeChildren(p: usize, node: Node, goesLeft: i32, a: Node, b: Node): void {
  a.start = node.start;
  a.count = u32(goesLeft);
  a.sum = node.leftSum;
  b.start = node.start + u32(goesLeft);
  b.count = node.count - u32(goesLeft);
  b.sum = node.sum - node.leftSum;
  a.slot = -1;
  b.slot = -1;
  a.gain = 0;
  b.gain = 0;
  a.depth = node.depth + 1;
  b.depth = node.depth + 1;
  a.lower = node.lower;
  a.upper = node.upper;
  b.lower = node.lower;
  b.upper = node.upper;
  a.ahead = 0;
  b.ahead = 0;
  boundChildren(p, node, a, b);
}

/** Splits a node in the tree, of whose rows so many go left, into the nodes `left` and `left` + 1. */
export function splitInto(p: usize, id: i32, left: i32, goesLeft: i32): void {
  const node = nodeAt(p, id);
  const a = nodeAt(p, left);
  const b = nodeAt(p, left + 1);
  makeChildren(p, node, goesLeft, a, b);
  writeSplit(p, id, node, left);
  writeLeaf(p, left, a);
  writeLeaf(p, left + 1, b);
}
