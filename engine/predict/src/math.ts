/**
 * Functions of `Math` whose last bits JavaScript leaves to its engines, and newer engines have changed, in the
 * form that the service's Node has them: fdlibm's (Sun Microsystems 1993, "Freely Distributable LIBM") with
 * FreeBSD's amendments. In predictions they stand in the place of `Math`'s, so that bits are equal everywhere.
 */

/** By names that the build does not replace. */
const { sin: sinOfRuntime, cos: cosOfRuntime } = Math;

const double = new Float64Array(1);
const words = new Int32Array(double.buffer);

function highOf(x: number): number {
  double[0] = x;
  return words[1];
}

function withHigh(x: number, high: number): number {
  double[0] = x;
  words[1] = high;
  return double[0];
}

function withoutLow(x: number): number {
  double[0] = x;
  words[0] = 0;
  return double[0];
}

const LN2_HI = 0.6931471803691238;
const LN2_LO = 1.9082149292705877e-10;
const INVERSE_LN2 = Math.LOG2E;
const TWO_54 = 2 ** 54;
const L1 = 0.6666666666666735;
const L2 = 0.3999999999940942;
const L3 = 0.2857142874366239;
const L4 = 0.22222198432149784;
const L5 = 0.1818357216161805;
const L6 = 0.15313837699209373;
const L7 = 0.14798198605116586;

/** e_exp.c */
export function exp(given: number): number {
  let x = given;
  const isNegative = highOf(x) < 0;
  const size = highOf(x) & 0x7fffffff;
  if (size >= 0x40862e42) {
    if (Number.isNaN(x)) return x;
    if (x > 709.782712893384) return Infinity;
    if (x < -745.1332191019411) return 0;
  }
  let hi = 0;
  let lo = 0;
  let k = 0;
  if (size > 0x3fd62e42) {
    if (size < 0x3ff0a2b2) {
      if (x === 1) return Math.E;
      hi = isNegative ? x + LN2_HI : x - LN2_HI;
      lo = isNegative ? -LN2_LO : LN2_LO;
      k = isNegative ? -1 : 1;
    } else {
      k = Math.trunc(INVERSE_LN2 * x + (isNegative ? -0.5 : 0.5));
      hi = x - k * LN2_HI;
      lo = k * LN2_LO;
    }
    x = hi - lo;
  } else if (size < 0x3e300000) return 1 + x;
  const t = x * x;
  const c =
    x -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t *
              (0.00006613756321437934 +
                t * (-0.0000016533902205465252 + t * 4.1381367970572385e-8))));
  if (k === 0) return 1 - ((x * c) / (c - 2) - x);
  const y = 1 - (lo - (x * c) / (2 - c) - hi);
  if (k === 1024) return y * 2 * 2 ** 1023;
  return k >= -1021 ? y * 2 ** k : y * 2 ** (k + 1000) * 2 ** -1000;
}

/** s_expm1.c */
function expm1(given: number): number {
  let x = given;
  const isNegative = highOf(x) < 0;
  const size = highOf(x) & 0x7fffffff;
  if (size >= 0x4043687a) {
    if (Number.isNaN(x)) return x;
    if (isNegative) return -1;
    if (x > 709.782712893384) return Infinity;
  }
  let k = 0;
  let c = 0;
  if (size > 0x3fd62e42) {
    const sign = isNegative ? -1 : 1;
    k = size < 0x3ff0a2b2 ? sign : Math.trunc(INVERSE_LN2 * x + 0.5 * sign);
    const hi = x - k * LN2_HI;
    const lo = k * LN2_LO;
    x = hi - lo;
    c = hi - x - lo;
  } else if (size < 0x3c900000) return x;
  const half = 0.5 * x;
  const square = x * half;
  const r =
    1 +
    square *
      (-0.03333333333333313 +
        square *
          (0.0015873015872548146 +
            square *
              (-0.0000793650757867488 +
                square * (0.000004008217827329362 + square * -2.0109921818362437e-7))));
  const t = 3 - r * half;
  let e = square * ((r - t) / (6 - x * t));
  if (k === 0) return x - (x * e - square);
  e = x * (e - c) - c - square;
  if (k === -1) return 0.5 * (x - e) - 0.5;
  if (k === 1) return x < -0.25 ? -2 * (e - (x + 0.5)) : 1 + 2 * (x - e);
  if (k <= -2 || k > 56) {
    const y = 1 - (e - x);
    return (k === 1024 ? y * 2 * 2 ** 1023 : y * 2 ** k) - 1;
  }
  if (k < 20) return (1 - 2 ** -k - (e - x)) * 2 ** k;
  return (x - (e + 2 ** -k) + 1) * 2 ** k;
}

/** s_tanh.c */
export function tanh(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  if (size < 2 ** -28) return x;
  let z = 1;
  if (size < 1) {
    const t = expm1(-2 * size);
    z = -t / (t + 2);
  } else if (size < 22) z = 1 - 2 / (expm1(2 * size) + 2);
  return x < 0 ? -z : z;
}

/** As V8 has it: of sides over the longest, their squares summed with compensation (Kahan 1965). */
export function hypot(...sides: readonly number[]): number {
  const sizes = sides.map(Math.abs);
  if (sizes.includes(Infinity)) return Infinity;
  const most = Math.max(0, ...sizes);
  if (most === 0 || Number.isNaN(most)) return most;
  let sum = 0;
  let compensation = 0;
  for (const size of sizes) {
    const share = size / most;
    const summand = share * share - compensation;
    const next = sum + summand;
    compensation = next - sum - summand;
    sum = next;
  }
  return Math.sqrt(sum) * most;
}

/** Of a positive number: m in [√½, √2) and k, so that it is m · 2 ** k. */
function scaled(x: number): {
  readonly mantissa: number;
  readonly k: number;
  readonly high: number;
} {
  const isSmall = highOf(x) < 0x00100000;
  const of = isSmall ? x * TWO_54 : x;
  const high = highOf(of);
  const fraction = high & 0xfffff;
  const i = (fraction + 0x95f64) & 0x100000;
  return {
    mantissa: withHigh(of, fraction | (i ^ 0x3ff00000)),
    k: (isSmall ? -54 : 0) + (high >> 20) - 1023 + (i >> 20),
    high: fraction,
  };
}

/** e_log.c */
export function log(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0) || x === Infinity) return x > 0 ? x : Number.NaN;
  const { mantissa, k, high } = scaled(x);
  const f = mantissa - 1;
  if ((0xfffff & (2 + high)) < 3) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HI + k * LN2_LO;
    const r = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - r : k * LN2_HI - (r - k * LN2_LO - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
  if (((high - 0x6147a) | (0x6b851 - high)) > 0) {
    const half = 0.5 * f * f;
    if (k === 0) return f - (half - s * (half + r));
    return k * LN2_HI - (half - (s * (half + r) + k * LN2_LO) - f);
  }
  if (k === 0) return f - s * (f - r);
  return k * LN2_HI - (s * (f - r) - k * LN2_LO - f);
}

/** e_log2.c, with k_log.h */
export function log2(x: number): number {
  if (x === 0) return -Infinity;
  if (!(x > 0) || x === Infinity) return x > 0 ? x : Number.NaN;
  if (x === 1) return 0;
  const { mantissa, k } = scaled(x);
  const f = mantissa - 1;
  const half = 0.5 * f * f;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const rest = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6));
  const hi = withoutLow(f - half);
  const lo = f - hi - half + s * (half + rest);
  const valueHigh = hi * 1.4426950407214463;
  const valueLow = (lo + hi) * 1.6751713164886512e-10 + lo * 1.4426950407214463;
  const sum = k + valueHigh;
  return valueLow + (k - sum + valueHigh) + sum;
}

/** s_log1p.c */
export function log1p(x: number): number {
  const high = highOf(x);
  const size = high & 0x7fffffff;
  if (Number.isNaN(x) || x === Infinity) return x;
  if (x <= -1) return x === -1 ? -Infinity : Number.NaN;
  let k = 1;
  let f = 0;
  let c = 0;
  let fraction = 1;
  if (high < 0x3fda827a) {
    if (size < 0x3e200000) return size < 0x3c900000 ? x : x - x * x * 0.5;
    if (high > 0 || high <= (0xbfd2bec4 | 0)) {
      k = 0;
      f = x;
    }
  }
  if (k !== 0) {
    const isLarge = high >= 0x43400000;
    const u = isLarge ? x : 1 + x;
    k = (highOf(u) >> 20) - 1023;
    if (!isLarge) c = (k > 0 ? 1 - (u - x) : x - (u - 1)) / u;
    fraction = highOf(u) & 0xfffff;
    if (fraction < 0x6a09e) f = withHigh(u, fraction | 0x3ff00000) - 1;
    else {
      k++;
      f = withHigh(u, fraction | 0x3fe00000) - 1;
      fraction = (0x00100000 - fraction) >> 2;
    }
  }
  const half = 0.5 * f * f;
  if (fraction === 0) {
    if (f === 0) return k === 0 ? 0 : k * LN2_HI + (c + k * LN2_LO);
    const r = half * (1 - 0.6666666666666666 * f);
    return k === 0 ? f - r : k * LN2_HI - (r - (k * LN2_LO + c) - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const r = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
  if (k === 0) return f - (half - s * (half + r));
  return k * LN2_HI - (half - (s * (half + r) + (k * LN2_LO + c)) - f);
}

/** s_cbrt.c */
export function cbrt(x: number): number {
  const high = highOf(x);
  const sign = high & 0x80000000;
  const size = high & 0x7fffffff;
  if (size >= 0x7ff00000 || x === 0) return x;
  const third =
    size < 0x00100000
      ? Math.trunc((highOf(TWO_54 * x) & 0x7fffffff) / 3) + 696219795
      : Math.trunc(size / 3) + 715094163;
  let t = withHigh(0, sign | third);
  const r = t * t * (t / x);
  t *=
    1.87595182427177 +
    r * (-1.8849797954337717 + r * 1.6214297201053545) +
    r * r * r * (-0.758397934778766 + r * 0.14599619288661245);
  // Away from zero, to 23 bits.
  double[0] = t;
  const low = words[0] >>> 0;
  if (low >= 0x80000000) words[1]++;
  words[0] = (low + 0x80000000) & 0xc0000000;
  t = double[0];
  const quotient = x / (t * t);
  return t + t * ((quotient - t) / (t + t + quotient));
}

/** The high words of the multiples of π/2. */
const QUARTERS = Int32Array.from({ length: 32 }, (_, i) => highOf((i + 1) * (Math.PI / 2)));
/** 2¹⁹ · π/2: beyond, the runtime's own functions are asked. */
const MOST_ANGLE = 0x413921fb;

/** e_rem_pio2.c: an angle less `quarter` times π/2, as a sum. */
function reduced(x: number): {
  readonly quarter: number;
  readonly y: number;
  readonly rest: number;
} {
  const size = highOf(x) & 0x7fffffff;
  if (size <= 0x3fe921fb) return { quarter: 0, y: x, rest: 0 };
  const t = Math.abs(x);
  const n = size < 0x4002d97c ? 1 : Math.trunc(t * 0.6366197723675814 + 0.5);
  let r = t - n * 1.5707963267341256;
  let w = n * 6.077100506506192e-11;
  let y = r - w;
  if (n >= 32 || size === QUARTERS[n - 1]) {
    const exponent = size >> 20;
    if (exponent - ((highOf(y) >> 20) & 0x7ff) > 16) {
      let before = r;
      w = n * 6.077100506303966e-11;
      r = before - w;
      w = n * 2.0222662487959506e-21 - (before - r - w);
      y = r - w;
      if (exponent - ((highOf(y) >> 20) & 0x7ff) > 49) {
        before = r;
        w = n * 2.0222662487111665e-21;
        r = before - w;
        w = n * 8.4784276603689e-32 - (before - r - w);
        y = r - w;
      }
    }
  }
  const rest = r - y - w;
  return x < 0 ? { quarter: -n, y: -y, rest: -rest } : { quarter: n, y, rest };
}

/** k_sin.c */
function sinNearZero(x: number, rest: number, isWhole: boolean): number {
  if ((highOf(x) & 0x7fffffff) < 0x3e400000) return x;
  const z = x * x;
  const v = z * x;
  const r =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 +
        z * (0.0000027557313707070068 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  if (isWhole) return x + v * (-0.16666666666666632 + z * r);
  return x - (z * (0.5 * rest - v * r) - rest - v * -0.16666666666666632);
}

/** k_cos.c */
function cosNearZero(x: number, rest: number): number {
  const size = highOf(x) & 0x7fffffff;
  if (size < 0x3e400000) return 1;
  const z = x * x;
  const r =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (0.00002480158728947673 +
              z *
                (-2.7557314351390663e-7 +
                  z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  if (size < 0x3fd33333) return 1 - (0.5 * z - (z * r - x * rest));
  const quarter = size > 0x3fe90000 ? 0.28125 : withHigh(0, size - 0x00200000);
  return 1 - quarter - (0.5 * z - quarter - (z * r - x * rest));
}

/** The sine of an angle `quarters` times π/2 ahead. */
function sineAhead(x: number, quarters: number): number {
  const { quarter, y, rest } = reduced(x);
  const place = (quarter + quarters) & 3;
  const value = place & 1 ? cosNearZero(y, rest) : sinNearZero(y, rest, quarter === 0);
  return place & 2 ? -value : value;
}

/** s_sin.c */
export function sin(x: number): number {
  return (highOf(x) & 0x7fffffff) > MOST_ANGLE ? sinOfRuntime(x) : sineAhead(x, 0);
}

/** s_cos.c */
export function cos(x: number): number {
  return (highOf(x) & 0x7fffffff) > MOST_ANGLE ? cosOfRuntime(x) : sineAhead(x, 1);
}
