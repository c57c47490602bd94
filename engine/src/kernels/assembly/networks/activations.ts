/**
 * The activations of a network's layers, SELU and mish, with dropout, on f32 matrices, row-major, their width a multiple
 * of 8: the way forward and the way back, in one order of operations.
 */

import { exp4, exponentials } from "./exponentials";
import { four, fourWhole, ONE4, TWO4 } from "./vectors";

export const MISH: i32 = 1;
/** Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017. */
export const SELU: i32 = 0;
const SELU_SCALE: f32 = 1.0507009873554805;
const SELU_ALPHA: f32 = 1.6732632423543772;
/** Of mish, beyond which it is the identity in f32. */
const MISH_LINEAR: f32 = 20.0;
const SELU_SCALE4: v128 = four(SELU_SCALE);
const SELU_ALPHA4: v128 = four(SELU_ALPHA);
const MISH_LINEAR4: v128 = four(MISH_LINEAR);
const FOUR4: v128 = four(4.0);

/** Where the activation is linear: no more is raised. @inline */
function mostRaised4(kind: i32): v128 {
  return kind === SELU ? f32x4.splat(0) : MISH_LINEAR4;
}

/** e^x up to where the activation is linear: what it and its slope are made of. @inline */
function power4(kind: i32, x: v128): v128 {
  return exp4(x, mostRaised4(kind));
}

/** SELU, or mish: x · tanh(log(1 + eˣ)) (Misra, BMVC 2020). @param e `power4` of x @inline */
function activation4(kind: i32, x: v128, e: v128): v128 {
  if (kind === SELU) {
    // Where x > 0, its power is 1 and this is 0.
    const below = f32x4.mul(SELU_ALPHA4, f32x4.sub(e, ONE4));
    return f32x4.mul(SELU_SCALE4, f32x4.add(f32x4.pmax(x, f32x4.splat(0)), below));
  }
  const w = f32x4.mul(e, f32x4.add(e, TWO4));
  return f32x4.mul(x, f32x4.div(w, f32x4.add(w, TWO4)));
}

/** x + α (φ(x) - x). @param e `power4` of x @inline */
function bent4(kind: i32, x: v128, alpha: v128, e: v128): v128 {
  return f32x4.add(x, f32x4.mul(alpha, f32x4.sub(activation4(kind, x, e), x)));
}

/** Likewise. @param kind 0 = SELU, 1 = mish @inline */
export function activated4(kind: i32, x: v128, alpha: v128): v128 {
  return bent4(kind, x, alpha, power4(kind, x));
}

/**
 * e^x of each, up to where the activation is linear: what `activate` and `activateBack` read.
 *
 * @param kind 0 = SELU, 1 = mish
 * @param count f32 numbers, a multiple of 16
 */
export function raise(kind: i32, x: usize, count: i32, out: usize): void {
  exponentials(x, count, mostRaised4(kind), out);
}

/** @param e `power4` of x @inline */
function slope4(kind: i32, x: v128, e: v128): v128 {
  if (kind === SELU) {
    const below = f32x4.mul(SELU_ALPHA4, e);
    const value = v128.bitselect(ONE4, below, f32x4.gt(x, f32x4.splat(0)));
    return f32x4.mul(SELU_SCALE4, value);
  }
  const w = f32x4.mul(e, f32x4.add(e, TWO4));
  const under = f32x4.add(w, TWO4);
  const rise = f32x4.mul(f32x4.mul(FOUR4, e), f32x4.add(e, ONE4));
  const curved = f32x4.add(
    f32x4.div(w, under),
    f32x4.div(f32x4.mul(x, rise), f32x4.mul(under, under)),
  );
  return v128.bitselect(ONE4, curved, f32x4.gt(x, MISH_LINEAR4));
}

const PLACES4: v128 = fourWhole(0, 1);
const HASH_1: v128 = fourWhole(0x9e3779b1, 0);
const HASH_2: v128 = fourWhole(0x7feb352d, 0);
const HASH_3: v128 = fourWhole(0x846ca68b, 0);

/**
 * 1 / (share kept) where an element is kept, 0 where it is dropped: by a hash of its number under a key
 * (the finaliser of Wellons' "Prospecting for hash functions", 2018), so that the way back finds the same.
 *
 * @param keepBelow of 2³²; 0 = everything is kept
 */
function mask4(element: i32, key: i32, keepBelow: u32, inverseShare: f32): v128 {
  if (keepBelow === 0) return ONE4;
  let x = i32x4.add(i32x4.splat(element), PLACES4);
  x = i32x4.add(i32x4.mul(x, HASH_1), i32x4.splat(key));
  x = v128.xor(x, i32x4.shr_u(x, 16));
  x = i32x4.mul(x, HASH_2);
  x = v128.xor(x, i32x4.shr_u(x, 15));
  x = i32x4.mul(x, HASH_3);
  x = v128.xor(x, i32x4.shr_u(x, 16));
  return v128.and(i32x4.lt_u(x, i32x4.splat(<i32>keepBelow)), f32x4.splat(inverseShare));
}

/**
 * out = dropout(x + α (φ(x) - x)), α one a column.
 *
 * @param kind 0 = SELU, 1 = mish
 * @param powers f32, rows × width: what `raise` gave
 * @param alpha f32 × width
 * @param keepBelow see `mask4`
 */
export function activate(
  kind: i32,
  x: usize,
  powers: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  out: usize,
): void {
  if (kind === SELU) {
    activateBy(SELU, x, powers, alpha, rows, width, key, keepBelow, inverseShare, out);
  } else activateBy(MISH, x, powers, alpha, rows, width, key, keepBelow, inverseShare, out);
}

/** @param kind is to be a constant, so that nothing branches within the loop @inline */
function activateBy(
  kind: i32,
  x: usize,
  powers: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  out: usize,
): void {
  const bytes = (<usize>width) << 2;
  let element = 0;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const e = v128.load(powers + at);
      const bent = bent4(kind, v128.load(x + at), v128.load(alpha + at), e);
      v128.store(out + at, f32x4.mul(bent, mask4(element, key, keepBelow, inverseShare)));
      element += 4;
    }
    x += bytes;
    powers += bytes;
    out += bytes;
  }
}

/**
 * The way back through `activate`.
 *
 * @param g f32, rows × width: the loss by what it gave; then by x
 * @param sums f32 × width: the loss by α
 */
export function activateBack(
  kind: i32,
  x: usize,
  powers: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  g: usize,
  sums: usize,
): void {
  memory.fill(sums, 0, (<usize>width) << 2);
  if (kind === SELU) {
    activateBackBy(SELU, x, powers, alpha, rows, width, key, keepBelow, inverseShare, g, sums);
  } else activateBackBy(MISH, x, powers, alpha, rows, width, key, keepBelow, inverseShare, g, sums);
}

/** @param kind is to be a constant, so that nothing branches within the loop @inline */
function activateBackBy(
  kind: i32,
  x: usize,
  powers: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  g: usize,
  sums: usize,
): void {
  const bytes = (<usize>width) << 2;
  let element = 0;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const given = v128.load(x + at);
      const e = v128.load(powers + at);
      const mask = mask4(element, key, keepBelow, inverseShare);
      const gradient = f32x4.mul(v128.load(g + at), mask);
      const bent = f32x4.sub(activation4(kind, given, e), given);
      const sum = sums + at;
      v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(gradient, bent)));
      const steeper = f32x4.mul(v128.load(alpha + at), f32x4.sub(slope4(kind, given, e), ONE4));
      v128.store(g + at, f32x4.mul(gradient, f32x4.add(ONE4, steeper)));
      element += 4;
    }
    x += bytes;
    powers += bytes;
    g += bytes;
  }
}
