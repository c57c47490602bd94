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
