/**
 * What a network's layers do beside their products: biases, activations, dropout and Adam, on f32
 * matrices, row-major, their width a multiple of 8. All of it in one order of operations.
 */

/** 1.5 · 2²³: added to a small number, it leaves the nearest integer in the lowest bits. */
const ROUNDING: f32 = 12582912.0;

/** Four times a number, by a call that no compiler does beforehand. */
export function four(x: f32): v128 {
  return f32x4.splat(x);
}

// V8 puts a constant of four numbers together anew wherever one is used, by moves that take longer than what is then
// done with it. These are set when the kernels are loaded, and so read from memory.
const LOG2E4: v128 = four(<f32>Math.LOG2E);
const ROUNDING4: v128 = four(ROUNDING);
const LOG2_HIGH4: v128 = four(0.693359375);
const LOG2_LOW4: v128 = four(-2.1219444e-4);
const MOST4: v128 = four(88.0);
const LEAST4: v128 = four(-87.0);
const TERM2: v128 = four(0.5);
const TERM3: v128 = four(1.0 / 6.0);
const TERM4: v128 = four(1.0 / 24.0);
const TERM5: v128 = four(1.0 / 120.0);
const TERM6: v128 = four(1.0 / 720.0);
const TERM7: v128 = four(1.0 / 5040.0);
export const ONE4: v128 = four(1.0);
export const TWO4: v128 = four(2.0);

/** Likewise an integer. */
function fourWhole(first: i32, step: i32): v128 {
  return i32x4(first, first + step, first + 2 * step, first + 3 * step);
}

const PLACES4: v128 = fourWhole(0, 1);
const HASH_1: v128 = fourWhole(0x9e3779b1, 0);
const HASH_2: v128 = fourWhole(0x7feb352d, 0);
const HASH_3: v128 = fourWhole(0x846ca68b, 0);

/** e^x of four f32, within 2 ulp where the result is a normal number. @inline */
function exp4(x: v128): v128 {
  const within = f32x4.pmax(f32x4.pmin(x, MOST4), LEAST4);
  const turns = f32x4.add(f32x4.mul(within, LOG2E4), ROUNDING4);
  const k = f32x4.sub(turns, ROUNDING4);
  let r = f32x4.sub(within, f32x4.mul(k, LOG2_HIGH4));
  r = f32x4.sub(r, f32x4.mul(k, LOG2_LOW4));
  let p = f32x4.add(f32x4.mul(TERM7, r), TERM6);
  p = f32x4.add(f32x4.mul(p, r), TERM5);
  p = f32x4.add(f32x4.mul(p, r), TERM4);
  p = f32x4.add(f32x4.mul(p, r), TERM3);
  p = f32x4.add(f32x4.mul(p, r), TERM2);
  p = f32x4.add(f32x4.mul(p, r), ONE4);
  p = f32x4.add(f32x4.mul(p, r), ONE4);
  // Of the exponent's bits of `turns` nothing is left.
  const power = i32x4.add(i32x4.shl(turns, 23), ONE4);
  return f32x4.mul(p, power);
}

/** y = scale · y + bias. @param bias f32 × width */
export function scaleAndShift(y: usize, rows: i32, width: i32, scale: f32, bias: usize): void {
  const factor = f32x4.splat(scale);
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const scaled = f32x4.mul(v128.load(y + at), factor);
      v128.store(y + at, f32x4.add(scaled, v128.load(bias + at)));
    }
    y += bytes;
  }
}

/** Sums of columns, row by row; then g = scale · g. @param out f32 × width */
export function sumAndScale(g: usize, rows: i32, width: i32, scale: f32, out: usize): void {
  const factor = f32x4.splat(scale);
  const bytes = (<usize>width) << 2;
  memory.fill(out, 0, bytes);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const given = v128.load(g + at);
      v128.store(out + at, f32x4.add(v128.load(out + at), given));
      v128.store(g + at, f32x4.mul(given, factor));
    }
    g += bytes;
  }
}

/** out = x · scale, column by column. @param scale f32 × width */
export function scaleColumns(x: usize, scale: usize, rows: i32, width: i32, out: usize): void {
  const bytes = (<usize>width) << 2;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(out + at, f32x4.mul(v128.load(x + at), v128.load(scale + at)));
    }
    x += bytes;
    out += bytes;
  }
}

/**
 * The way back through `scaleColumns`.
 *
 * @param g f32, rows × width: the loss by the scaled columns; then by the columns
 * @param scaleGradient f32 × width
 */
export function scaleColumnsBack(
  x: usize,
  scale: usize,
  rows: i32,
  width: i32,
  g: usize,
  scaleGradient: usize,
): void {
  const bytes = (<usize>width) << 2;
  memory.fill(scaleGradient, 0, bytes);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const gradient = v128.load(g + at);
      const sum = scaleGradient + at;
      v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(gradient, v128.load(x + at))));
      v128.store(g + at, f32x4.mul(gradient, v128.load(scale + at)));
    }
    x += bytes;
    g += bytes;
  }
}

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

/** e^x up to where the activation is linear: what it and its slope are made of. @inline */
function power4(kind: i32, x: v128): v128 {
  return exp4(f32x4.pmin(x, kind === SELU ? f32x4.splat(0) : MISH_LINEAR4));
}

/** SELU, or mish: x · tanh(log(1 + eˣ)) (Misra, BMVC 2020). @param e `power4` of x @inline */
function activation4(kind: i32, x: v128, e: v128): v128 {
  if (kind === SELU) {
    const below = f32x4.mul(SELU_ALPHA4, f32x4.sub(e, ONE4));
    const value = v128.bitselect(x, below, f32x4.gt(x, f32x4.splat(0)));
    return f32x4.mul(SELU_SCALE4, value);
  }
  const w = f32x4.mul(e, f32x4.add(e, TWO4));
  return f32x4.mul(x, f32x4.div(w, f32x4.add(w, TWO4)));
}

/** x + α (φ(x) - x). @param kind 0 = SELU, 1 = mish @inline */
export function activated4(kind: i32, x: v128, alpha: v128): v128 {
  return f32x4.add(x, f32x4.mul(alpha, f32x4.sub(activation4(kind, x, power4(kind, x)), x)));
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
 * @param alpha f32 × width
 * @param keepBelow see `mask4`
 */
export function activate(
  kind: i32,
  x: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  out: usize,
): void {
  if (kind === SELU) activateBy(SELU, x, alpha, rows, width, key, keepBelow, inverseShare, out);
  else activateBy(MISH, x, alpha, rows, width, key, keepBelow, inverseShare, out);
}

/** @param kind is to be a constant, so that nothing branches within the loop @inline */
function activateBy(
  kind: i32,
  x: usize,
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
    // Two at a time share the constants, which V8 puts together anew in each turn of a loop.
    for (let at: usize = 0; at < bytes; at += 32) {
      const a = activated4(kind, v128.load(x + at), v128.load(alpha + at));
      const b = activated4(kind, v128.load(x + at, 16), v128.load(alpha + at, 16));
      v128.store(out + at, f32x4.mul(a, mask4(element, key, keepBelow, inverseShare)));
      v128.store(out + at, f32x4.mul(b, mask4(element + 4, key, keepBelow, inverseShare)), 16);
      element += 8;
    }
    x += bytes;
    out += bytes;
  }
}

/**
 * The way back through `activate`.
 *
 * @param g f32, rows × width: the loss by what it gave; then by x
 * @param alphaGradient f32 × width
 */
export function activateBack(
  kind: i32,
  x: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  g: usize,
  alphaGradient: usize,
): void {
  memory.fill(alphaGradient, 0, (<usize>width) << 2);
  if (kind === SELU) {
    activateBackBy(SELU, x, alpha, rows, width, key, keepBelow, inverseShare, g, alphaGradient);
  } else
    activateBackBy(MISH, x, alpha, rows, width, key, keepBelow, inverseShare, g, alphaGradient);
}

/** @param kind is to be a constant, so that nothing branches within the loop @inline */
function activateBackBy(
  kind: i32,
  x: usize,
  alpha: usize,
  rows: i32,
  width: i32,
  key: i32,
  keepBelow: u32,
  inverseShare: f32,
  g: usize,
  alphaGradient: usize,
): void {
  const bytes = (<usize>width) << 2;
  let element = 0;
  for (let row = 0; row < rows; row++) {
    // Two at a time, as above.
    for (let at: usize = 0; at < bytes; at += 32) {
      const a = mask4(element, key, keepBelow, inverseShare);
      const b = mask4(element + 4, key, keepBelow, inverseShare);
      bendBack(kind, x + at, alpha + at, a, g + at, alphaGradient + at);
      bendBack(kind, x + at + 16, alpha + at + 16, b, g + at + 16, alphaGradient + at + 16);
      element += 8;
    }
    x += bytes;
    g += bytes;
  }
}

/** Four columns of a row. @inline */
function bendBack(kind: i32, x: usize, alpha: usize, mask: v128, g: usize, sum: usize): void {
  const given = v128.load(x);
  const e = power4(kind, given);
  const gradient = f32x4.mul(v128.load(g), mask);
  const bent = f32x4.sub(activation4(kind, given, e), given);
  v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(gradient, bent)));
  const steeper = f32x4.mul(v128.load(alpha), f32x4.sub(slope4(kind, given, e), ONE4));
  v128.store(g, f32x4.mul(gradient, f32x4.add(ONE4, steeper)));
}

/**
 * One step of Adam with decoupled decay (Kingma & Ba, ICLR 2015; Loshchilov & Hutter, ICLR 2019).
 *
 * @param count f32 numbers, a multiple of 4
 * @param correction1 1 / (1 - β₁ᵗ); likewise 2
 * @param shrinkage share of each parameter that is taken off
 */
export function adamStep(
  parameters: usize,
  gradients: usize,
  first: usize,
  second: usize,
  count: i32,
  rate: f32,
  beta1: f32,
  beta2: f32,
  correction1: f32,
  correction2: f32,
  shrinkage: f32,
): void {
  const step = f32x4.splat(rate * correction1);
  const kept = f32x4.splat(<f32>1 - shrinkage);
  for (let at: usize = 0; at < (<usize>count) << 2; at += 16) {
    const g = v128.load(gradients + at);
    const m = f32x4.add(
      f32x4.mul(f32x4.splat(beta1), v128.load(first + at)),
      f32x4.mul(f32x4.splat(<f32>1 - beta1), g),
    );
    const v = f32x4.add(
      f32x4.mul(f32x4.splat(beta2), v128.load(second + at)),
      f32x4.mul(f32x4.splat(<f32>1 - beta2), f32x4.mul(g, g)),
    );
    v128.store(first + at, m);
    v128.store(second + at, v);
    const size = f32x4.add(f32x4.sqrt(f32x4.mul(v, f32x4.splat(correction2))), f32x4.splat(1e-8));
    const moved = f32x4.div(f32x4.mul(step, m), size);
    const p = parameters + at;
    v128.store(p, f32x4.sub(f32x4.mul(v128.load(p), kept), moved));
  }
}
