/**
 * Leaf values of a grown tree and the scores of the rows in it.
 *
 * Values come from sums finer than the histograms': 64-bit integers of the unpacked gradients,
 * so that rounding is far below f32 and the order of rows still does not matter.
 */

import {
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
  OUT_VALUE,
  ROWS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";

/**
 * Fills OUT_VALUE and OUT_COVER and adds each leaf's value to the scores of its rows.
 *
 * @param gradients f32 pairs (gradient, hessian), one a row of the data
 * @param fineGradient integer units in one unit of gradient; sums of all rows stay below 2⁶²
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
    let gradientSum: i64 = 0;
    let hessianSum: i64 = 0;
    for (let r = start; r < end; r += 4) {
      const pair = gradients + (usize(load<u32>(r)) << 3);
      gradientSum += i64(f64(load<f32>(pair)) * fineGradient);
      hessianSum += i64(f64(load<f32>(pair, 4)) * fineHessian);
    }
    const g = f64(gradientSum) / fineGradient;
    const divisor = f64(hessianSum) / fineHessian + l2;
    let value = divisor > 0 ? -copysign(max(abs(g) - l1, 0.0), g) / divisor : 0.0;
    value = min(max(value, node.lower * boundUnit), node.upper * boundUnit) * shrinkage;
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
