/**
 * Sums, covers and scores of leaves by several threads: each unit is a range of the rows' places, which leaves divide
 * among them.
 */

import { addShared, claimUnit, joinJob, openJob, tell, told } from "../crew/crew";
import {
  LEAF_COVERS,
  LEAF_SCORES,
  LEAF_SUMS as LEAF_SUMS_TASK,
  MOST_UNITS,
  NUMBERS,
} from "../crew/crew-layout";
import { CREW, LEAF_ORDER, LEAF_SUMS, OUT_LEFT, OUT_VALUE, RANGES, ROW_COUNT } from "./layout";
import { addValue, isLeaf, recordAt, rowOf, sumRows, writeCover } from "./leaf-values";
import { sizeOfUnit, startOfUnit } from "./shared-nodes";

/** Lists the leaves by the places of their rows; returns their number. */
export function orderLeaves(p: usize, nodes: i32): i32 {
  const order = usize(load<u32>(p, LEAF_ORDER));
  const lefts = usize(load<u32>(p, OUT_LEFT));
  const stack = usize(load<u32>(p, RANGES));
  memory.fill(usize(load<u32>(p, LEAF_SUMS)), 0, usize(nodes) << 4);
  store<i32>(stack, 0);
  let depth = 1;
  let leaves = 0;
  while (depth > 0) {
    depth--;
    const node = load<i32>(stack + (usize(depth) << 2));
    if (isLeaf(p, node)) {
      store<i32>(order + (usize(leaves) << 2), node);
      leaves++;
      continue;
    }
    const left = load<i32>(lefts + (usize(node) << 2));
    store<i32>(stack + (usize(depth) << 2), left + 1);
    store<i32>(stack + (usize(depth + 1) << 2), left);
    depth += 2;
  }
  return leaves;
}

/** Place in the order of the leaf that holds the row at a place. */
function leafWith(p: usize, leaves: i32, row: u32): i32 {
  const order = usize(load<u32>(p, LEAF_ORDER));
  let low = 0;
  let high = leaves - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (recordAt(p, load<i32>(order + (usize(middle) << 2))).start <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Sums the gradients of a range of rows into their leaves', or adds the leaves' values to their scores. */
export function leafRowsUnit(crew: usize, p: usize, unit: i32, adds: bool): void {
  const gradients = told(crew, 0);
  const scores = told(crew, 1);
  const leaves = i32(told(crew, 2));
  const fine = v128.load(crew + NUMBERS);
  const all = load<i32>(p, ROW_COUNT);
  const order = usize(load<u32>(p, LEAF_ORDER));
  let from = u32(startOfUnit(p, all, unit));
  const to = from + u32(sizeOfUnit(p, all, unit));
  for (let leaf = leafWith(p, leaves, from); from < to; leaf++) {
    const id = load<i32>(order + (usize(leaf) << 2));
    const node = recordAt(p, id);
    const end = min(to, node.start + node.count);
    if (adds) {
      const value = load<f64>(usize(load<u32>(p, OUT_VALUE)) + (usize(id) << 3));
      addValue(rowOf(p, from), rowOf(p, end), scores, value);
    } else {
      const sums = sumRows(rowOf(p, from), rowOf(p, end), gradients, fine);
      const at = usize(load<u32>(p, LEAF_SUMS)) + (usize(id) << 4);
      addShared(at, i64x2.extract_lane(sums, 0));
      addShared(at + 8, i64x2.extract_lane(sums, 1));
    }
    from = end;
  }
}

/** The covers of a part of the leaves: each one's weights are added in the order of its rows. */
export function leafCoversUnit(crew: usize, p: usize, unit: i32): void {
  const leaves = i32(told(crew, 2));
  const weights = told(crew, 3);
  const size = (leaves + MOST_UNITS - 1) / MOST_UNITS;
  const to = min(leaves, (unit + 1) * size);
  for (let leaf = unit * size; leaf < to; leaf++) {
    writeCover(p, load<i32>(usize(load<u32>(p, LEAF_ORDER)) + (usize(leaf) << 2)), weights);
  }
}

export function shareLeafSums(
  p: usize,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  weights: usize,
  scores: usize,
  leaves: i32,
  units: i32,
): void {
  const crew = usize(load<u32>(p, CREW));
  tell(crew, 0, gradients);
  tell(crew, 1, scores);
  tell(crew, 2, leaves);
  tell(crew, 3, weights);
  store<f64>(crew + NUMBERS, fineGradient);
  store<f64>(crew + NUMBERS, fineHessian, 8);
  openJob(crew, LEAF_SUMS_TASK, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafRowsUnit(crew, p, unit, false);
    begun--;
  }
  joinJob(crew, begun);
  const size = (leaves + MOST_UNITS - 1) / MOST_UNITS;
  const parts = (leaves + size - 1) / size;
  openJob(crew, LEAF_COVERS, p, parts);
  begun = parts;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafCoversUnit(crew, p, unit);
    begun--;
  }
  joinJob(crew, begun);
}

export function shareLeafScores(p: usize, units: i32): void {
  const crew = usize(load<u32>(p, CREW));
  openJob(crew, LEAF_SCORES, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    leafRowsUnit(crew, p, unit, true);
    begun--;
  }
  joinJob(crew, begun);
}
