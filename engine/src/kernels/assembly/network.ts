/**
 * What a network's layers do beside their products: biases, activations, dropout and Adam, on f32
 * matrices, row-major, their width a multiple of 8. All of it in one order of operations.
 */

/** 1.5 · 2²³: added to a small number, it leaves the nearest integer in the lowest bits. */
const ROUNDING: f32 = 12582912.0;

/** e^x of four f32, within 2 ulp where the result is a normal number. @inline */
function exp4(x: v128): v128 {
  const within = f32x4.pmax(f32x4.pmin(x, f32x4.splat(88.0)), f32x4.splat(-87.0));
  const turns = f32x4.add(f32x4.mul(within, f32x4.splat(<f32>Math.LOG2E)), f32x4.splat(ROUNDING));
  const k = f32x4.sub(turns, f32x4.splat(ROUNDING));
  let r = f32x4.sub(within, f32x4.mul(k, f32x4.splat(0.693359375)));
  r = f32x4.sub(r, f32x4.mul(k, f32x4.splat(-2.1219444e-4)));
  let p = f32x4.splat(1.0 / 5040.0);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 720.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 120.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 24.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0 / 6.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.5));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.0));
  // Of the exponent's bits of `turns` nothing is left.
  const power = i32x4.add(i32x4.shl(turns, 23), i32x4.splat(127 << 23));
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

/** Sums of columns, row by row. @param out f32 × width */
export function sumColumns(g: usize, rows: i32, width: i32, out: usize): void {
  const bytes = (<usize>width) << 2;
  memory.fill(out, 0, bytes);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      v128.store(out + at, f32x4.add(v128.load(out + at), v128.load(g + at)));
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

/** SELU, or mish: x · tanh(log(1 + eˣ)) (Misra, BMVC 2020). @inline */
function activation4(kind: i32, x: v128): v128 {
  if (kind === SELU) {
    const below = f32x4.mul(
      f32x4.splat(SELU_ALPHA),
      f32x4.sub(exp4(f32x4.pmin(x, f32x4.splat(0))), f32x4.splat(1)),
    );
    const value = v128.bitselect(x, below, f32x4.gt(x, f32x4.splat(0)));
    return f32x4.mul(f32x4.splat(SELU_SCALE), value);
  }
  const e = exp4(f32x4.pmin(x, f32x4.splat(MISH_LINEAR)));
  const w = f32x4.mul(e, f32x4.add(e, f32x4.splat(2)));
  return f32x4.mul(x, f32x4.div(w, f32x4.add(w, f32x4.splat(2))));
}

/** x + α (φ(x) - x). @param kind 0 = SELU, 1 = mish @inline */
export function activated4(kind: i32, x: v128, alpha: v128): v128 {
  return f32x4.add(x, f32x4.mul(alpha, f32x4.sub(activation4(kind, x), x)));
}

function slope4(kind: i32, x: v128): v128 {
  if (kind === SELU) {
    const below = f32x4.mul(f32x4.splat(SELU_ALPHA), exp4(f32x4.pmin(x, f32x4.splat(0))));
    const value = v128.bitselect(f32x4.splat(1), below, f32x4.gt(x, f32x4.splat(0)));
    return f32x4.mul(f32x4.splat(SELU_SCALE), value);
  }
  const e = exp4(f32x4.pmin(x, f32x4.splat(MISH_LINEAR)));
  const w = f32x4.mul(e, f32x4.add(e, f32x4.splat(2)));
  const under = f32x4.add(w, f32x4.splat(2));
  const rise = f32x4.mul(f32x4.mul(f32x4.splat(4), e), f32x4.add(e, f32x4.splat(1)));
  const curved = f32x4.add(
    f32x4.div(w, under),
    f32x4.div(f32x4.mul(x, rise), f32x4.mul(under, under)),
  );
  return v128.bitselect(f32x4.splat(1), curved, f32x4.gt(x, f32x4.splat(MISH_LINEAR)));
}

/**
 * 1 / (share kept) where an element is kept, 0 where it is dropped: by a hash of its number under a key
 * (the finaliser of Wellons' "Prospecting for hash functions", 2018), so that the way back finds the same.
 *
 * @param keepBelow of 2³²; 0 = everything is kept
 */
function mask4(element: i32, key: i32, keepBelow: u32, inverseShare: f32): v128 {
  if (keepBelow === 0) return f32x4.splat(1);
  let x = i32x4.add(i32x4.splat(element), i32x4(0, 1, 2, 3));
  x = i32x4.add(i32x4.mul(x, i32x4.splat(0x9e3779b1)), i32x4.splat(key));
  x = v128.xor(x, i32x4.shr_u(x, 16));
  x = i32x4.mul(x, i32x4.splat(0x7feb352d));
  x = v128.xor(x, i32x4.shr_u(x, 15));
  x = i32x4.mul(x, i32x4.splat(0x846ca68b));
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
  const bytes = (<usize>width) << 2;
  memory.fill(alphaGradient, 0, bytes);
  const one = f32x4.splat(1);
  let element = 0;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const given = v128.load(x + at);
      const mask = mask4(element, key, keepBelow, inverseShare);
      const gradient = f32x4.mul(v128.load(g + at), mask);
      const bent = f32x4.sub(activation4(kind, given), given);
      const sum = alphaGradient + at;
      v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(gradient, bent)));
      const steeper = f32x4.mul(v128.load(alpha + at), f32x4.sub(slope4(kind, given), one));
      v128.store(g + at, f32x4.mul(gradient, f32x4.add(one, steeper)));
      element += 4;
    }
    x += bytes;
    g += bytes;
  }
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
