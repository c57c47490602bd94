/**
 * exp and log of f64 in one defined order of operations, so that every machine gives equal bits.
 *
 * Written without tables (kernels keep no static data). Both are within 2 ulp.
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

/** a + b · r */
function linear(a: f64, b: f64, r: v128): v128 {
  return f64x2.add(f64x2.splat(a), f64x2.mul(f64x2.splat(b), r));
}

/** `exp` of two numbers between -708 and 709, to the same bits. @inline */
export function expInRange(x: v128): v128 {
  const k = f64x2.nearest(f64x2.mul(x, f64x2.splat(LOG2_E)));
  const r = f64x2.sub(
    f64x2.sub(x, f64x2.mul(k, f64x2.splat(LN2_HIGH))),
    f64x2.mul(k, f64x2.splat(LN2_LOW)),
  );
  const r2 = f64x2.mul(r, r);
  const r4 = f64x2.mul(r2, r2);
  const p01 = f64x2.add(f64x2.splat(1.0), r);
  const p23 = linear(0.5, 1.0 / 6.0, r);
  const p45 = linear(1.0 / 24.0, 1.0 / 120.0, r);
  const p67 = linear(1.0 / 720.0, 1.0 / 5040.0, r);
  const p89 = linear(1.0 / 40320.0, 1.0 / 362880.0, r);
  const pab = linear(1.0 / 3628800.0, 1.0 / 39916800.0, r);
  const pcd = linear(1.0 / 479001600.0, 1.0 / 6227020800.0, r);
  const p4567 = f64x2.add(p45, f64x2.mul(r2, p67));
  const low = f64x2.add(f64x2.add(p01, f64x2.mul(r2, p23)), f64x2.mul(r4, p4567));
  const high = f64x2.add(f64x2.add(p89, f64x2.mul(r2, pab)), f64x2.mul(r4, pcd));
  const p = f64x2.add(low, f64x2.mul(f64x2.mul(r4, r4), high));
  // The last bits of k + 1.5 · 2⁵² are k.
  const bits = i64x2.add(f64x2.add(k, f64x2.splat(6755399441055744.0)), i64x2.splat(1023));
  return f64x2.mul(p, i64x2.shl(bits, 52));
}

/** `exp` of two numbers, to the same bits. @inline */
export function expPair(x: v128): v128 {
  const least = f64x2.splat(-708.0);
  const most = f64x2.splat(709.0);
  const within = expInRange(f64x2.pmin(f64x2.pmax(x, least), most));
  const small = v128.andnot(within, f64x2.lt(x, least));
  return v128.bitselect(f64x2.splat(Infinity), small, f64x2.gt(x, most));
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

/** t · z + c */
function horner(t: v128, z: v128, c: f64): v128 {
  return f64x2.add(f64x2.mul(t, z), f64x2.splat(c));
}

/** `log` of two numbers, to the same bits. @inline */
export function logPair(x: v128): v128 {
  const ones = f64x2.splat(1.0);
  // A number below 2⁵¹ in the last bits of 2⁵² is 2⁵² more.
  const biased = v128.or(
    v128.and(i64x2.shr_u(x, 52), i64x2.splat(0x7ff)),
    i64x2.splat(0x4330000000000000),
  );
  const mantissa = v128.and(x, i64x2.splat(0x000fffffffffffff));
  const whole = v128.or(mantissa, i64x2.splat(0x3ff0000000000000));
  const isLarge = f64x2.gt(whole, f64x2.splat(Math.SQRT2));
  const m = v128.bitselect(f64x2.mul(whole, f64x2.splat(0.5)), whole, isLarge);
  const exponent = f64x2.sub(biased, f64x2.splat(4503599627370496.0 + 1023.0));
  const k = f64x2.add(exponent, v128.and(ones, isLarge));
  const s = f64x2.div(f64x2.sub(m, ones), f64x2.add(m, ones));
  const z = f64x2.mul(s, s);
  let t = horner(f64x2.splat(1.0 / 21.0), z, 1.0 / 19.0);
  t = horner(t, z, 1.0 / 17.0);
  t = horner(t, z, 1.0 / 15.0);
  t = horner(t, z, 1.0 / 13.0);
  t = horner(t, z, 1.0 / 11.0);
  t = horner(t, z, 1.0 / 9.0);
  t = horner(t, z, 1.0 / 7.0);
  t = horner(t, z, 1.0 / 5.0);
  t = horner(t, z, 1.0 / 3.0);
  const doubled = f64x2.mul(f64x2.splat(2.0), s);
  const series = f64x2.mul(f64x2.mul(doubled, z), t);
  const low = f64x2.add(series, f64x2.mul(k, f64x2.splat(LN2_LOW)));
  const value = f64x2.add(f64x2.mul(k, f64x2.splat(LN2_HIGH)), f64x2.add(doubled, low));
  const isTiny = f64x2.lt(x, f64x2.splat(2.2250738585072014e-308));
  return v128.bitselect(f64x2.splat(-745.2), value, isTiny);
}
