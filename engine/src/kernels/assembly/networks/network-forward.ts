/**
 * A network's way forward alone, on rows and weights that lie as its products read them: rows in groups of
 * four, the four numbers of a column one behind the other; weights in panels of eight columns. What a layer
 * gives lies so again. Equal bits to `gemm.ts`, `scaled-columns.ts` and `activations.ts`, whose order of operations it has.
 */

import { activated4, MISH, SELU } from "./activations";

/** Bytes of four rows' numbers of a column, and of eight columns' numbers of a row. */
const QUAD: usize = 16;
const PANEL: usize = 32;
/** In place of an activation. */
const NONE: i32 = 2;

/** Eight columns of depth × columns behind those before them. @param columns a multiple of 8 */
export function packPanels(from: usize, depth: i32, columns: i32, to: usize): void {
  const rowBytes = (<usize>columns) << 2;
  for (let column: usize = 0; column < rowBytes; column += PANEL) {
    let at = from + column;
    for (let k = 0; k < depth; k++) {
      v128.store(to, v128.load(at));
      v128.store(to, v128.load(at, 16), 16);
      to += PANEL;
      at += rowBytes;
    }
  }
}

/** x = x · scale, column by column. @param rows a multiple of 4 @param scale f32 × width */
export function scaleQuads(x: usize, rows: i32, width: i32, scale: usize): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 4) {
    for (let at: usize = 0; at < bytes; at += 4) {
      v128.store(x, f32x4.mul(v128.load(x), v128.load32_splat(scale + at)));
      x += QUAD;
    }
  }
}

/**
 * One layer: factor · (x · weights) + biases, through its activation.
 *
 * @param kind 0 = SELU, 1 = mish, 2 = none
 * @param x f32, in groups of four rows
 * @param rows a multiple of 4
 * @param depth columns of x, a multiple of 4
 * @param weights f32, in panels
 * @param width columns of what it gives, a multiple of 8
 * @param biases f32 × width
 * @param alpha f32 × width; not read without an activation
 * @param out f32, in groups of four rows; apart from x
 */
export function forwardLayer(
  kind: i32,
  x: usize,
  rows: i32,
  depth: i32,
  weights: usize,
  width: i32,
  factor: f32,
  biases: usize,
  alpha: usize,
  out: usize,
): void {
  const step = (<usize>width) << 4;
  const panelBytes = (<usize>depth) << 5;
  for (let column = 0; column < width; column += 8) {
    let left = x;
    let to = out + ((<usize>column) << 4);
    for (let row = 0; row < rows; row += 4) {
      let right = weights;
      let s00 = f32x4.splat(0);
      let s01 = s00;
      let s10 = s00;
      let s11 = s00;
      let s20 = s00;
      let s21 = s00;
      let s30 = s00;
      let s31 = s00;
      const end = weights + panelBytes;
      while (right < end) {
        const b0 = v128.load(right);
        const b1 = v128.load(right, 16);
        const a0 = v128.load32_splat(left);
        s00 = f32x4.add(s00, f32x4.mul(a0, b0));
        s01 = f32x4.add(s01, f32x4.mul(a0, b1));
        const a1 = v128.load32_splat(left, 4);
        s10 = f32x4.add(s10, f32x4.mul(a1, b0));
        s11 = f32x4.add(s11, f32x4.mul(a1, b1));
        const a2 = v128.load32_splat(left, 8);
        s20 = f32x4.add(s20, f32x4.mul(a2, b0));
        s21 = f32x4.add(s21, f32x4.mul(a2, b1));
        const a3 = v128.load32_splat(left, 12);
        s30 = f32x4.add(s30, f32x4.mul(a3, b0));
        s31 = f32x4.add(s31, f32x4.mul(a3, b1));
        left += QUAD;
        right += PANEL;
      }
      storeTurned(s00, s10, s20, s30, to);
      storeTurned(s01, s11, s21, s31, to + 4 * QUAD);
      to += step;
    }
    weights += panelBytes;
  }
  if (kind === SELU) finish(SELU, out, rows, width, factor, biases, alpha);
  else if (kind === MISH) finish(MISH, out, rows, width, factor, biases, alpha);
  else finish(NONE, out, rows, width, factor, biases, alpha);
}

/** Four rows of four columns, column by column. @inline */
function storeTurned(r0: v128, r1: v128, r2: v128, r3: v128, to: usize): void {
  const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
  const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
  const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
  const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(low01, low23, 0, 1, 4, 5));
  v128.store(to, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7), 16);
  v128.store(to, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5), 32);
  v128.store(to, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7), 48);
}

/**
 * What comes after the sums, in a pass of its own: behind each few sums it would wait for itself. Four columns
 * at a time share the constants, which V8 puts together anew in each turn of a loop.
 *
 * @param kind is to be a constant, so that nothing branches within the loop
 * @inline
 */
function finish(
  kind: i32,
  x: usize,
  rows: i32,
  width: i32,
  factor: f32,
  biases: usize,
  alpha: usize,
): void {
  const scale = f32x4.splat(factor);
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 4) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const bias = biases + at;
      let a = f32x4.add(f32x4.mul(v128.load(x), scale), v128.load32_splat(bias));
      let b = f32x4.add(f32x4.mul(v128.load(x, 16), scale), v128.load32_splat(bias, 4));
      let c = f32x4.add(f32x4.mul(v128.load(x, 32), scale), v128.load32_splat(bias, 8));
      let d = f32x4.add(f32x4.mul(v128.load(x, 48), scale), v128.load32_splat(bias, 12));
      if (kind !== NONE) {
        const bend = alpha + at;
        a = activated4(kind, a, v128.load32_splat(bend));
        b = activated4(kind, b, v128.load32_splat(bend, 4));
        c = activated4(kind, c, v128.load32_splat(bend, 8));
        d = activated4(kind, d, v128.load32_splat(bend, 12));
      }
      v128.store(x, a);
      v128.store(x, b, 16);
      v128.store(x, c, 32);
      v128.store(x, d, 48);
      x += 4 * QUAD;
    }
  }
}
