/**
 * The same as `finishTree` of one thread, in the order of the rows.
 *
 * Rows of a leaf lie far apart in a large table: to go from leaf to leaf is a cache line from afar for each row's
 * gradient, and another for its score. A mark a row, the number of its leaf, is a byte that stays near; with it gradients
 * and scores are read in their order. Sums are of integers, so that they have the same bits.
 */

import { LEAF_MARKS, LEAF_SUMS, ROW_COUNT, SOURCE_ROWS } from "./layout";
import {
  addInteger,
  fineScales,
  isLeaf,
  recordAt,
  rowOf,
  writeCover,
  writeValue,
} from "./leaf-values";

/** Gives each row the number of its leaf, in the order of the nodes. */
function markRows(p: usize, nodes: i32, marks: usize): void {
  let leaf = 0;
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const node = recordAt(p, i);
    const end = rowOf(p, node.start + node.count);
    for (let r = rowOf(p, node.start); r < end; r += 4) {
      store<u8>(marks + usize(load<u32>(r)), u8(leaf));
    }
    leaf++;
  }
}

/** Parameters as of `finishTree`; of at most 256 leaves. */
export function finishByMarks(
  p: usize,
  nodes: i32,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  scores: usize,
): void {
  const marks = usize(load<u32>(p, LEAF_MARKS));
  const table = usize(load<u32>(p, LEAF_SUMS));
  const rows = usize(load<u32>(p, SOURCE_ROWS));
  const end = rows + (usize(load<u32>(p, ROW_COUNT)) << 2);
  const fine = fineScales(fineGradient, fineHessian);
  markRows(p, nodes, marks);
  memory.fill(table, 0, 256 << 4);
  for (let r = rows; r < end; r += 4) {
    const row = usize(load<u32>(r));
    const sums = table + (usize(load<u8>(marks + row)) << 4);
    v128.store(sums, addInteger(v128.load(sums), gradients + (row << 3), fine));
  }
  let own = table;
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const g = load<i64>(own);
    const h = load<i64>(own, 8);
    const value = writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    writeCover(p, i, weights);
    store<f64>(own, value);
    own += 16;
  }
  for (let r = rows; r < end; r += 4) {
    const row = usize(load<u32>(r));
    const score = scores + (row << 3);
    const value = load<f64>(table + (usize(load<u8>(marks + row)) << 4));
    store<f64>(score, load<f64>(score) + value);
  }
}
