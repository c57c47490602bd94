/**
 * exp and log of f64 in one defined order of operations, so that every machine gives equal bits.
 *
 * Written without tables of values. Both are within 2 ulp.
 * exp: Cody-Waite reduction by ln 2, then the Taylor series to degree 13 on |r| ≤ ln 2 / 2.
 * log: m in [√½, √2), then the series of 2 atanh((m - 1) / (m + 1)).
 */

const LOG2_E: f64 = Math.LOG2E;
const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;

export function exp(x: f64): f64 {
  if (x < -708.0) return 0.0;
  if (x > 709.0) return Infinity;
  const k = nearest(x * LOG2_E);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  // Estrin's scheme: short dependency chains.
  const r2 = r * r;
  const r4 = r2 * r2;
  const r8 = r4 * r4;
  const p01 = 1.0 + r;
  const p23 = 0.5 + r * (1.0 / 6.0);
  const p45 = 1.0 / 24.0 + r * (1.0 / 120.0);
  const p67 = 1.0 / 720.0 + r * (1.0 / 5040.0);
  const p89 = 1.0 / 40320.0 + r * (1.0 / 362880.0);
  const pab = 1.0 / 3628800.0 + r * (1.0 / 39916800.0);
  const pcd = 1.0 / 479001600.0 + r * (1.0 / 6227020800.0);
  const low = p01 + r2 * p23 + r4 * (p45 + r2 * p67);
  const high = p89 + r2 * pab + r4 * pcd;
  return (low + r8 * high) * reinterpret<f64>((i64(k) + 1023) << 52);
}

/**
 * The constants of pairs, among the bytes that the arena leaves to this module. Engines make a constant of a vector anew
 * wherever it is used, even in a loop, by three instructions; from here it is one load.
 */
const CONSTANTS = memory.data<f64>(
  [
    LOG2_E,
    LN2_HIGH,
    LN2_LOW,
    // The Taylor series of exp, from its third coefficient.
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
    1.0 / 362880.0,
    1.0 / 3628800.0,
    1.0 / 39916800.0,
    1.0 / 479001600.0,
    1.0 / 6227020800.0,
    // Its last bits are a number below 2⁵¹ that is added to it.
    6755399441055744.0,
    -708.0,
    709.0,
    Infinity,
    1.0,
    2.0,
    // The series of log, from its last coefficient.
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
    Math.SQRT2,
    // Of a number below 2⁵¹ in the last bits of 2⁵²; its exponent of a double.
    4503599627370496.0 + 1023.0,
    4503599627370496.0,
    -745.2,
    // The least normal double.
    2.2250738585072014e-308,
  ],
  16,
);
const TAYLOR: usize = 1;
const SHIFTER: usize = 15;
const LEAST: usize = 16;
const MOST: usize = 17;
const ENDLESS: usize = 18;
const ONE: usize = 19;
const TWO: usize = 20;
const SERIES: usize = 21;
const ROOT_OF_TWO: usize = 31;
const BIAS: usize = 32;
const LAST_BITS: usize = 33;
const LOG_OF_TINY: usize = 34;
const TINY: usize = 35;

/** Twice the constant of a number. @inline */
function twice(constant: usize): v128 {
  return v128.load64_splat(CONSTANTS + (constant << 3));
}

/** Two of the series' terms from that with rⁿ, over it. @inline */
function terms(n: usize, r: v128): v128 {
  return f64x2.add(twice(TAYLOR + n), f64x2.mul(twice(TAYLOR + 1 + n), r));
}

/** `exp` of two numbers between -708 and 709, to the same bits. @inline */
export function expInRange(x: v128): v128 {
  const k = f64x2.nearest(f64x2.mul(x, twice(0)));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(k, twice(1))), f64x2.mul(k, twice(2)));
  const r2 = f64x2.mul(r, r);
  const r4 = f64x2.mul(r2, r2);
  const p01 = f64x2.add(twice(ONE), r);
  const p4567 = f64x2.add(terms(4, r), f64x2.mul(r2, terms(6, r)));
  const low = f64x2.add(f64x2.add(p01, f64x2.mul(r2, terms(2, r))), f64x2.mul(r4, p4567));
  const p89ab = f64x2.add(terms(8, r), f64x2.mul(r2, terms(10, r)));
  const high = f64x2.add(p89ab, f64x2.mul(r4, terms(12, r)));
  const p = f64x2.add(low, f64x2.mul(f64x2.mul(r4, r4), high));
  // The last bits of k + 1.5 · 2⁵² are k.
  const bits = i64x2.add(f64x2.add(k, twice(SHIFTER)), i64x2.splat(1023));
  return f64x2.mul(p, i64x2.shl(bits, 52));
}

/** `exp` of two numbers, to the same bits. @inline */
export function expPair(x: v128): v128 {
  const least = twice(LEAST);
  const most = twice(MOST);
  const within = expInRange(f64x2.pmin(f64x2.pmax(x, least), most));
  const small = v128.andnot(within, f64x2.lt(x, least));
  return v128.bitselect(twice(ENDLESS), small, f64x2.gt(x, most));
}

/** Natural logarithm; x must be finite and positive (zero and subnormals give -745.2). */
export function log(x: f64): f64 {
  if (x < 2.2250738585072014e-308) return -745.2;
  const bits = reinterpret<i64>(x);
  let exponent = i32((bits >> 52) & 0x7ff) - 1023;
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > Math.SQRT2) {
    m *= 0.5;
    exponent += 1;
  }
  const s = (m - 1.0) / (m + 1.0);
  const z = s * s;
  let t = 1.0 / 21.0;
  t = t * z + 1.0 / 19.0;
  t = t * z + 1.0 / 17.0;
  t = t * z + 1.0 / 15.0;
  t = t * z + 1.0 / 13.0;
  t = t * z + 1.0 / 11.0;
  t = t * z + 1.0 / 9.0;
  t = t * z + 1.0 / 7.0;
  t = t * z + 1.0 / 5.0;
  t = t * z + 1.0 / 3.0;
  const k = f64(exponent);
  return k * LN2_HIGH + (2.0 * s + (2.0 * s * z * t + k * LN2_LOW));
}

/** t · z, and a coefficient of the series. @inline */
function horner(t: v128, z: v128, n: usize): v128 {
  return f64x2.add(f64x2.mul(t, z), twice(SERIES + n));
}

/** `log` of two numbers, to the same bits. @inline */
export function logPair(x: v128): v128 {
  const ones = twice(ONE);
  // A number below 2⁵¹ in the last bits of 2⁵² is 2⁵² more.
  const biased = v128.or(v128.and(i64x2.shr_u(x, 52), i64x2.splat(0x7ff)), twice(LAST_BITS));
  const mantissa = v128.and(x, i64x2.splat(0x000fffffffffffff));
  const whole = v128.or(mantissa, ones);
  const isLarge = f64x2.gt(whole, twice(ROOT_OF_TWO));
  const m = v128.bitselect(f64x2.mul(whole, twice(TAYLOR + 2)), whole, isLarge);
  const exponent = f64x2.sub(biased, twice(BIAS));
  const k = f64x2.add(exponent, v128.and(ones, isLarge));
  const s = f64x2.div(f64x2.sub(m, ones), f64x2.add(m, ones));
  const z = f64x2.mul(s, s);
  let t = horner(twice(SERIES), z, 1);
  t = horner(t, z, 2);
  t = horner(t, z, 3);
  t = horner(t, z, 4);
  t = horner(t, z, 5);
  t = horner(t, z, 6);
  t = horner(t, z, 7);
  t = horner(t, z, 8);
  t = horner(t, z, 9);
  const doubled = f64x2.mul(twice(TWO), s);
  const series = f64x2.mul(f64x2.mul(doubled, z), t);
  const low = f64x2.add(series, f64x2.mul(k, twice(2)));
  const value = f64x2.add(f64x2.mul(k, twice(1)), f64x2.add(doubled, low));
  const isTiny = f64x2.lt(x, twice(TINY));
  return v128.bitselect(twice(LOG_OF_TINY), value, isTiny);
}
