/**
 * Leaf values of a grown tree and the scores of the rows in it.
 *
 * Values come from sums finer than the histograms': 64-bit integers of the unpacked gradients,
 * so that rounding is far below f32 and the order of rows still does not matter.
 */

import {
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  LEAF_MARKS,
  LEAF_SUMS,
  OUT_COVER,
  OUT_LEFT,
  OUT_RIGHT,
  OUT_VALUE,
  ROW_COUNT,
} from "./layout";
import {
  addValue,
  fineScales,
  isLeaf,
  recordAt,
  rowOf,
  sumRows,
  writeCover,
  writeValue,
} from "./leaf-values";
import { finishByMarks } from "./marked-leaves";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { gradientOf, hessianOf, Node } from "./nodes";
import { orderLeaves, shareLeafScores, shareLeafSums } from "./shared-leaves";
import { unitsOfRows } from "./shared-nodes";

/** Of fewer rows all that is read stays near, in whatever order. */
const LEAST_MARKED: i32 = 32768;

/** Of inner nodes. Children have higher numbers, so covers add up from the last node to the root. */
function addCovers(p: usize, nodes: i32): void {
  const values = usize(load<u32>(p, OUT_VALUE));
  const covers = usize(load<u32>(p, OUT_COVER));
  for (let i = nodes - 1; i >= 0; i--) {
    if (isLeaf(p, i)) continue;
    const at = usize(i) << 2;
    const left = usize(load<i32>(usize(load<u32>(p, OUT_LEFT)) + at)) << 3;
    const right = usize(load<i32>(usize(load<u32>(p, OUT_RIGHT)) + at)) << 3;
    store<f64>(values + (at << 1), 0);
    store<f64>(covers + (at << 1), load<f64>(covers + left) + load<f64>(covers + right));
  }
}

/**
 * Fills OUT_VALUE and OUT_COVER and adds each leaf's value to the scores of its rows.
 *
 * @param gradients f32 pairs (gradient, hessian), one a row of the data
 * @param fineGradient integer units in one unit of gradient; sums of all rows stay below 2⁵¹
 * @param weights f64 a row for the cover, or 0: rows count as 1
 * @param scores f64 a row
 */
export function finishTree(
  p: usize,
  nodes: i32,
  gradients: usize,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  scores: usize,
): void {
  const rows = load<i32>(p, ROW_COUNT);
  const units = unitsOfRows(p, rows);
  if (rows >= LEAST_MARKED && load<u32>(p, LEAF_MARKS) !== 0) {
    finishByMarks(
      p,
      nodes,
      gradients,
      fineGradient,
      fineHessian,
      shrinkage,
      weights,
      scores,
      units > 1,
    );
  } else if (units > 1) {
    const leaves = orderLeaves(p, nodes);
    shareLeafSums(p, gradients, fineGradient, fineHessian, weights, scores, leaves, units);
    for (let i = 0; i < nodes; i++) {
      if (!isLeaf(p, i)) continue;
      const sums = usize(load<u32>(p, LEAF_SUMS)) + (usize(i) << 4);
      const g = load<i64>(sums);
      const h = load<i64>(sums, 8);
      writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    }
    shareLeafScores(p, units);
  } else {
    const fine = fineScales(fineGradient, fineHessian);
    for (let i = 0; i < nodes; i++) {
      if (!isLeaf(p, i)) continue;
      const node = recordAt(p, i);
      const start = rowOf(p, node.start);
      const end = rowOf(p, node.start + node.count);
      const sums = sumRows(start, end, gradients, fine);
      const g = i64x2.extract_lane(sums, 0);
      const h = i64x2.extract_lane(sums, 1);
      const value = writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
      writeCover(p, i, weights);
      addValue(start, end, scores, value);
    }
  }
  addCovers(p, nodes);
}

/**
 * Fills OUT_VALUE and OUT_COVER of a tree whose rows lie on a device, from the sums at LEAF_SUMS.
 *
 * Returns 0 where the sums of a leaf are not what its histograms say, whose units are coarser.
 *
 * @param weights as `finishTree`; where they are given, the rows of leaves are at home
 * @param isOwn 0: the histograms are of other gradients
 */
export function finishAway(
  p: usize,
  nodes: i32,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
  weights: usize,
  isOwn: i32,
): i32 {
  for (let i = 0; i < nodes; i++) {
    if (!isLeaf(p, i)) continue;
    const node = recordAt(p, i);
    const sums = usize(load<u32>(p, LEAF_SUMS)) + (usize(i) << 4);
    const g = load<i64>(sums);
    const h = load<i64>(sums, 8);
    const gradientScale = load<f64>(p, GRADIENT_SCALE);
    const hessianScale = load<f64>(p, HESSIAN_SCALE);
    if (
      isOwn !== 0 &&
      (!isNear(f64(g) / fineGradient, fineGradient, gradientOf(node.sum), gradientScale, node) ||
        !isNear(f64(h) / fineHessian, fineHessian, hessianOf(node.sum), hessianScale, node))
    ) {
      return 0;
    }
    writeValue(p, i, g, h, fineGradient, fineHessian, shrinkage);
    writeCover(p, i, weights);
  }
  addCovers(p, nodes);
  return 1;
}

/** Whether both sums may be of the same rows: each was rounded by half a unit a row at most. */
function isNear(sum: f64, fine: f64, units: f64, scale: f64, node: Node): bool {
  const rounding = f64(node.count) * (0.5 / scale + 0.5 / fine);
  return abs(sum - units / scale) <= rounding * 1.001;
}
