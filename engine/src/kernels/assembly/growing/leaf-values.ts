/** What a leaf of a grown tree is: its rows, its value and its cover. */

import {
  GRADIENT_SCALE,
  HESSIAN_SCALE,
  L1,
  L2,
  NODE_BYTES,
  NODES,
  OUT_COVER,
  OUT_FEATURE,
  OUT_VALUE,
  ROWS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";

/** Adding this to |x| < 2⁵¹ leaves x, rounded to even, in the low bits of the sum. */
const ROUNDING: f64 = 6755399441055744.0;

/** x times this splits off the upper 24 of its 53 bits (Dekker 1971). */
const SPLITTER: f64 = 536870913.0;

/** Rounded to the 24 bits that trees are kept with, whatever the exponent. */
function toSingle(x: f64): f64 {
  const product = x * SPLITTER;
  return product - (product - x);
}

/** Integer units in one unit of gradient, and of hessian. */
export function fineScales(fineGradient: f64, fineHessian: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(fineHessian), 0, fineGradient);
}

/** Adds the gradients of a row, as integers. @inline */
export function addInteger(sums: v128, gradients: usize, fine: v128): v128 {
  const rounding = f64x2.splat(ROUNDING);
  const pair = f64x2.promote_low_f32x4(v128.load64_zero(gradients));
  return i64x2.add(sums, i64x2.sub(f64x2.add(f64x2.mul(pair, fine), rounding), rounding));
}

export function recordAt(p: usize, node: i32): Node {
  return changetype<Node>(usize(load<u32>(p, NODES)) + usize(node) * NODE_BYTES);
}

export function rowOf(p: usize, place: u32): usize {
  return usize(load<u32>(p, ROWS)) + (usize(place) << 2);
}

export function isLeaf(p: usize, node: i32): bool {
  return load<i32>(usize(load<u32>(p, OUT_FEATURE)) + (usize(node) << 2)) < 0;
}

/**
 * Writes the value of a leaf, and returns it.
 *
 * @param gradients, hessians sums of its rows, in fine units
 */
export function writeValue(
  p: usize,
  id: i32,
  gradients: i64,
  hessians: i64,
  fineGradient: f64,
  fineHessian: f64,
  shrinkage: f64,
): f64 {
  const node = recordAt(p, id);
  const boundUnit = load<f64>(p, HESSIAN_SCALE) / load<f64>(p, GRADIENT_SCALE);
  const g = f64(gradients) / fineGradient;
  const divisor = f64(hessians) / fineHessian + load<f64>(p, L2);
  let value = divisor > 0 ? -copysign(max(abs(g) - load<f64>(p, L1), 0.0), g) / divisor : 0.0;
  value = min(max(value, node.lower * boundUnit), node.upper * boundUnit) * shrinkage;
  value = toSingle(value);
  store<f64>(usize(load<u32>(p, OUT_VALUE)) + (usize(id) << 3), value);
  return value;
}

export function writeCover(p: usize, id: i32, weights: usize): void {
  const node = recordAt(p, id);
  let cover = f64(node.count);
  if (weights !== 0) {
    cover = 0;
    const end = rowOf(p, node.start + node.count);
    for (let r = rowOf(p, node.start); r < end; r += 4) {
      cover += load<f64>(weights + (usize(load<u32>(r)) << 3));
    }
  }
  store<f64>(usize(load<u32>(p, OUT_COVER)) + (usize(id) << 3), cover);
}

/**
 * Sums of both of some rows' gradients, as integers.
 *
 * @param start, end where their numbers lie
 * @inline
 */
export function sumRows(start: usize, end: usize, gradients: usize, fine: v128): v128 {
  let sums = i64x2.splat(0);
  for (let r = start; r < end; r += 4) {
    sums = addInteger(sums, gradients + (usize(load<u32>(r)) << 3), fine);
  }
  return sums;
}

/** Adds a value to the scores of some rows. @param start, end where their numbers lie */
export function addValue(start: usize, end: usize, scores: usize, value: f64): void {
  for (let r = start; r < end; r += 4) {
    const score = scores + (usize(load<u32>(r)) << 3);
    store<f64>(score, load<f64>(score) + value);
  }
}
