/**
 * Leaf values of a grown tree and the scores of the rows in it.
 *
 * Values come from sums finer than the histograms': 64-bit integers of the unpacked gradients,
 * so that rounding is far below f32 and the order of rows still does not matter.
 */

import {
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  FOLLOWERS,
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  L1,
  L2,
  NODE_BYTES,
  NODES,
  OUT_COVER,
  OUT_FEATURE,
  OUT_LEFT,
  OUT_RIGHT,
  OUT_SPLIT,
  OUT_VALUE,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  TABLE,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { fillTable, partition } from "./partition";

/** Adding this to |x| < 2⁵¹ leaves x, rounded to even, in the low bits of the sum. */
const ROUNDING: f64 = 6755399441055744.0;

/** x times this splits off the upper 24 of its 53 bits (Dekker 1971). */
const SPLITTER: f64 = 536870913.0;

/** Rounded to the 24 bits that trees are kept with, whatever the exponent. */
function toSingle(x: f64): f64 {
  const product = x * SPLITTER;
  return product - (product - x);
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
  const rows = usize(load<u32>(p, ROWS));
  const records = usize(load<u32>(p, NODES));
  const features = usize(load<u32>(p, OUT_FEATURE));
  const lefts = usize(load<u32>(p, OUT_LEFT));
  const rights = usize(load<u32>(p, OUT_RIGHT));
  const values = usize(load<u32>(p, OUT_VALUE));
  const covers = usize(load<u32>(p, OUT_COVER));
  const l1 = load<f64>(p, L1);
  const l2 = load<f64>(p, L2);
  const boundUnit = load<f64>(p, HESSIAN_SCALE) / load<f64>(p, GRADIENT_SCALE);
  const scales = f64x2.replace_lane(f64x2.splat(fineHessian), 0, fineGradient);
  const rounding = f64x2.splat(ROUNDING);
  // Children have higher numbers, so covers add up on the way from the last node to the root.
  for (let i = nodes - 1; i >= 0; i--) {
    const at = usize(i) << 3;
    if (load<i32>(features + (usize(i) << 2)) >= 0) {
      store<f64>(values + at, 0);
      const left = usize(load<i32>(lefts + (usize(i) << 2))) << 3;
      const right = usize(load<i32>(rights + (usize(i) << 2))) << 3;
      store<f64>(covers + at, load<f64>(covers + left) + load<f64>(covers + right));
      continue;
    }
    const node = changetype<Node>(records + usize(i) * NODE_BYTES);
    const start = rows + (usize(node.start) << 2);
    const end = start + (usize(node.count) << 2);
    let sums = i64x2.splat(0);
    for (let r = start; r < end; r += 4) {
      const pair = f64x2.promote_low_f32x4(
        v128.load64_zero(gradients + (usize(load<u32>(r)) << 3)),
      );
      const units = f64x2.add(f64x2.mul(pair, scales), rounding);
      sums = i64x2.add(sums, i64x2.sub(units, rounding));
    }
    const gradientSum = i64x2.extract_lane(sums, 0);
    const hessianSum = i64x2.extract_lane(sums, 1);
    const g = f64(gradientSum) / fineGradient;
    const divisor = f64(hessianSum) / fineHessian + l2;
    let value = divisor > 0 ? -copysign(max(abs(g) - l1, 0.0), g) / divisor : 0.0;
    value = min(max(value, node.lower * boundUnit), node.upper * boundUnit) * shrinkage;
    value = toSingle(value);
    store<f64>(values + at, value);
    let cover = f64(node.count);
    if (weights !== 0) {
      cover = 0;
      for (let r = start; r < end; r += 4) {
        cover += load<f64>(weights + (usize(load<u32>(r)) << 3));
      }
    }
    store<f64>(covers + at, cover);
    for (let r = start; r < end; r += 4) {
      const score = scores + (usize(load<u32>(r)) << 3);
      store<f64>(score, load<f64>(score) + value);
    }
  }
}

/**
 * Takes rows that the tree did not learn from (out of the bag, or held out) down its splits and
 * adds the leaves' values to their scores. All rows of a node move together, as in growing: no
 * row waits for its own chain of nodes.
 *
 * @param source u32 rows, not changed
 */
export function followTree(p: usize, nodes: i32, source: usize, count: i32, scores: usize): void {
  const rows = usize(load<u32>(p, FOLLOWERS));
  const records = usize(load<u32>(p, NODES));
  const features = usize(load<u32>(p, OUT_FEATURE));
  const splits = usize(load<u32>(p, OUT_SPLIT));
  const table = usize(load<u32>(p, SCRATCH)) + TABLE;
  memory.copy(rows, source, usize(count) << 2);
  const root = changetype<Node>(records);
  root.followStart = 0;
  root.followCount = u32(count);
  for (let i = 0; i < nodes; i++) {
    const node = changetype<Node>(records + usize(i) * NODE_BYTES);
    const at = usize(i) << 2;
    const start = rows + (usize(node.followStart) << 2);
    const feature = load<i32>(features + at);
    if (feature < 0) {
      const value = load<f64>(usize(load<u32>(p, OUT_VALUE)) + (at << 1));
      const end = start + (usize(node.followCount) << 2);
      for (let r = start; r < end; r += 4) {
        const score = scores + (usize(load<u32>(r)) << 3);
        store<f64>(score, load<f64>(score) + value);
      }
      continue;
    }
    const child = load<i32>(usize(load<u32>(p, OUT_LEFT)) + at);
    const left = changetype<Node>(records + usize(child) * NODE_BYTES);
    const right = changetype<Node>(records + usize(child + 1) * NODE_BYTES);
    let goesLeft: u32 = 0;
    if (node.followCount > 0) {
      fillTable(
        table,
        load<i32>(splits + at),
        load<i32>(usize(load<u32>(p, VALUE_BINS)) + (usize(feature) << 2)),
        node.missingLeft,
        node.categorical,
        changetype<usize>(node) + offsetof<Node>("set0"),
      );
      goesLeft = u32(
        partition(
          start,
          i32(node.followCount),
          usize(load<u32>(p, ROWS_SCRATCH)),
          usize(load<u32>(p, COLUMN_MAJOR)) + usize(feature) * usize(load<u32>(p, COLUMN_STRIDE)),
          table,
        ),
      );
    }
    left.followStart = node.followStart;
    left.followCount = goesLeft;
    right.followStart = node.followStart + goesLeft;
    right.followCount = node.followCount - goesLeft;
  }
}
