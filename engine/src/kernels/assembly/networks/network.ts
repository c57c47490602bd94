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

/** What is raised: no less than what gives a normal number. @inline */
function within4(x: v128, most: v128): v128 {
  return f32x4.pmax(f32x4.pmin(x, most), LEAST4);
}

/** x / log 2, rounded, in the lowest bits. @inline */
function turns4(x: v128): v128 {
  return f32x4.add(f32x4.mul(x, LOG2E4), ROUNDING4);
}

/** x less its turns. @inline */
function rest4(x: v128, turns: v128): v128 {
  const k = f32x4.sub(turns, ROUNDING4);
  const r = f32x4.sub(x, f32x4.mul(k, LOG2_HIGH4));
  return f32x4.sub(r, f32x4.mul(k, LOG2_LOW4));
}

/** p · r + term. @inline */
function times4(p: v128, r: v128, term: v128): v128 {
  return f32x4.add(f32x4.mul(p, r), term);
}

/** p · 2ᵏ. Of the exponent's bits of `turns` nothing is left. @inline */
function raised4(p: v128, turns: v128): v128 {
  return f32x4.mul(p, i32x4.add(i32x4.shl(turns, 23), ONE4));
}

/** e^x of four f32, within 2 ulp where the result is a normal number. @param most of x, at most 88 @inline */
function exp4(x: v128, most: v128): v128 {
  const within = within4(x, most);
  const turns = turns4(within);
  const r = rest4(within, turns);
  let p = times4(TERM7, r, TERM6);
  p = times4(p, r, TERM5);
  p = times4(p, r, TERM4);
  p = times4(p, r, TERM3);
  p = times4(p, r, TERM2);
  p = times4(p, r, ONE4);
  p = times4(p, r, ONE4);
  return raised4(p, turns);
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
  return exp4(x, kind === SELU ? f32x4.splat(0) : MISH_LINEAR4);
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
 * Operations of four vectors stand in turn, in the order of `exp4`: its chain is so long that a processor that looks
 * ahead one vector behind the other would wait for it.
 *
 * @param kind 0 = SELU, 1 = mish
 * @param count f32 numbers, a multiple of 16
 */
export function raise(kind: i32, x: usize, count: i32, out: usize): void {
  const most = kind === SELU ? f32x4.splat(0) : MISH_LINEAR4;
  const end = x + ((<usize>count) << 2);
  for (; x < end; x += 64) {
    const a = within4(v128.load(x), most);
    const b = within4(v128.load(x, 16), most);
    const c = within4(v128.load(x, 32), most);
    const d = within4(v128.load(x, 48), most);
    const turnsA = turns4(a);
    const turnsB = turns4(b);
    const turnsC = turns4(c);
    const turnsD = turns4(d);
    const ra = rest4(a, turnsA);
    const rb = rest4(b, turnsB);
    const rc = rest4(c, turnsC);
    const rd = rest4(d, turnsD);
    let pa = times4(TERM7, ra, TERM6);
    let pb = times4(TERM7, rb, TERM6);
    let pc = times4(TERM7, rc, TERM6);
    let pd = times4(TERM7, rd, TERM6);
    pa = times4(pa, ra, TERM5);
    pb = times4(pb, rb, TERM5);
    pc = times4(pc, rc, TERM5);
    pd = times4(pd, rd, TERM5);
    pa = times4(pa, ra, TERM4);
    pb = times4(pb, rb, TERM4);
    pc = times4(pc, rc, TERM4);
    pd = times4(pd, rd, TERM4);
    pa = times4(pa, ra, TERM3);
    pb = times4(pb, rb, TERM3);
    pc = times4(pc, rc, TERM3);
    pd = times4(pd, rd, TERM3);
    pa = times4(pa, ra, TERM2);
    pb = times4(pb, rb, TERM2);
    pc = times4(pc, rc, TERM2);
    pd = times4(pd, rd, TERM2);
    pa = times4(pa, ra, ONE4);
    pb = times4(pb, rb, ONE4);
    pc = times4(pc, rc, ONE4);
    pd = times4(pd, rd, ONE4);
    pa = times4(pa, ra, ONE4);
    pb = times4(pb, rb, ONE4);
    pc = times4(pc, rc, ONE4);
    pd = times4(pd, rd, ONE4);
    v128.store(out, raised4(pa, turnsA));
    v128.store(out, raised4(pb, turnsB), 16);
    v128.store(out, raised4(pc, turnsC), 32);
    v128.store(out, raised4(pd, turnsD), 48);
    out += 64;
  }
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
