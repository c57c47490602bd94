/**
 * Arithmetic of f64 by integers: WGSL has none. A number is two u32, low word and high word, and each operation
 * rounds as IEEE 754 says, to the nearest and of two as near to the even one; numbers below the normal ones and
 * signs of zeros are as on the CPU. Infinite numbers, and those that are none, are not for it: who asks has made
 * sure that none comes in, and that no sum overflows. Products and quotients that overflow are infinite.
 *
 * Knuth, "Seminumerical Algorithms", §4.2.1; Hauser, "Berkeley SoftFloat".
 */

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/** A number as WGSL writes it. */
export function f64Literal(value: number): string {
  number[0] = value;
  return `vec2<u32>(${words[0]}u, ${words[1]}u)`;
}

/**
 * Shifts and `plus`: mantissas are aligned in 64 bits with three bits more, the last of which says whether any
 * lower bit was one.
 */
export const PLUS = /* wgsl */ `
/** Low word, high word; what is shifted out stays as a one in the last bit. @param by below 64 */
fn shiftedRight(value: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return value; }
  if (by >= 32u) {
    let rest = by - 32u;
    var out = value.x;
    if (rest > 0u) { out |= value.y << (32u - rest); }
    return vec2<u32>((value.y >> rest) | select(0u, 1u, out != 0u), 0u);
  }
  let out = value.x << (32u - by);
  return vec2<u32>(
    (value.x >> by) | (value.y << (32u - by)) | select(0u, 1u, out != 0u),
    value.y >> by,
  );
}

/** @param by below 64 */
fn shiftedLeft(value: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return value; }
  if (by >= 32u) { return vec2<u32>(0u, value.x << (by - 32u)); }
  return vec2<u32>(value.x << by, (value.y << by) | (value.x >> (32u - by)));
}

/** With three bits more below. */
fn mantissaOf(value: vec2<u32>) -> vec2<u32> {
  let isNormal = (value.y & 0x7ff00000u) != 0u;
  let high = (value.y & 0xfffffu) | select(0u, 0x100000u, isNormal);
  return vec2<u32>(value.x << 3u, (high << 3u) | (value.x >> 29u));
}

fn plus(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let oneSize = one.y & 0x7fffffffu;
  let otherSize = other.y & 0x7fffffffu;
  let isLess = oneSize < otherSize || (oneSize == otherSize && one.x < other.x);
  let a = select(one, other, isLess);
  let b = select(other, one, isLess);
  // Numbers below the normal ones have the least exponent.
  var exponent = max((a.y >> 20u) & 0x7ffu, 1u);
  let apart = exponent - max((b.y >> 20u) & 0x7ffu, 1u);
  let large = mantissaOf(a);
  let small = shiftedRight(mantissaOf(b), min(apart, 63u));
  let sign = a.y & 0x80000000u;
  var sum: vec2<u32>;
  if (sign == (b.y & 0x80000000u)) {
    let low = large.x + small.x;
    sum = vec2<u32>(low, large.y + small.y + select(0u, 1u, low < large.x));
    if ((sum.y >> 24u) != 0u) {
      sum = shiftedRight(sum, 1u);
      exponent += 1u;
    }
  } else {
    sum = vec2<u32>(large.x - small.x, large.y - small.y - select(0u, 1u, large.x < small.x));
    if ((sum.x | sum.y) == 0u) { return vec2<u32>(0u, 0u); }
    let leading = select(
      countLeadingZeros(sum.y),
      32u + countLeadingZeros(sum.x),
      sum.y == 0u,
    );
    // The first bit of a normal number is bit 55.
    let by = min(leading - 8u, exponent - 1u);
    sum = shiftedLeft(sum, by);
    exponent -= by;
  }
  let isNormal = (sum.y >> 23u) != 0u;
  let dropped = sum.x & 7u;
  var low = (sum.x >> 3u) | (sum.y << 29u);
  var high = ((sum.y >> 3u) & 0xfffffu) | select(0u, exponent << 20u, isNormal);
  if (dropped > 4u || (dropped == 4u && (low & 1u) == 1u)) {
    low += 1u;
    // A carry out of the mantissa is the next exponent.
    high += select(0u, 1u, low == 0u);
  }
  return vec2<u32>(low, sign | high);
}
`;

/** Negation; differences, since `plus` is exact in its rounding. */
export const MINUS = /* wgsl */ `
fn negated(value: vec2<u32>) -> vec2<u32> { return vec2<u32>(value.x, value.y ^ 0x80000000u); }

fn minus(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> { return plus(one, negated(other)); }

fn isZero(value: vec2<u32>) -> bool { return (value.x | (value.y & 0x7fffffffu)) == 0u; }
`;

/** What products and quotients share: mantissas of numbers that are not 0, and rounding. Needs PLUS and MINUS. */
const NORMAL = /* wgsl */ `
struct Normal {
  /** 53 bits, the highest of which is one. */
  mantissa: vec2<u32>,
  /** As it is stored, beyond its 11 bits: below 1 for numbers that are below the normal ones. */
  exponent: i32,
}

fn normalOf(value: vec2<u32>) -> Normal {
  let exponent = i32((value.y >> 20u) & 0x7ffu);
  let high = value.y & 0xfffffu;
  if (exponent != 0) { return Normal(vec2<u32>(value.x, high | 0x100000u), exponent); }
  let leading = select(countLeadingZeros(high), 32u + countLeadingZeros(value.x), high == 0u);
  let by = leading - 11u;
  return Normal(shiftedLeft(vec2<u32>(value.x, high), by), 1 - i32(by));
}

/**
 * The number of a sign, an exponent as stored and 64 bits of a mantissa, the highest of which is one and the lowest
 * of which says whether any lower one was.
 */
fn rounded(sign: u32, exponent: i32, mantissa: vec2<u32>) -> vec2<u32> {
  if (exponent >= 0x7ff) { return vec2<u32>(0u, sign | 0x7ff00000u); }
  var kept = mantissa;
  var high = 0u;
  if (exponent > 0) { high = u32(exponent - 1) << 20u; } else {
    kept = shiftedRight(kept, min(u32(1 - exponent), 63u));
  }
  let dropped = kept.x & 0x7ffu;
  var low = (kept.x >> 11u) | (kept.y << 21u);
  // The highest bit adds one to the exponent of normal numbers.
  high += kept.y >> 11u;
  if (dropped > 0x400u || (dropped == 0x400u && (low & 1u) == 1u)) {
    low += 1u;
    high += select(0u, 1u, low == 0u);
  }
  return vec2<u32>(low, sign | high);
}
`;

/** The whole product of two words. */
export const WIDE_PRODUCT = /* wgsl */ `
fn wideProduct(a: u32, b: u32) -> vec2<u32> {
  let a0 = a & 0xffffu;
  let a1 = a >> 16u;
  let b0 = b & 0xffffu;
  let b1 = b >> 16u;
  let low = a0 * b0;
  let middle = a1 * b0 + (low >> 16u);
  let other = a0 * b1 + (middle & 0xffffu);
  return vec2<u32>((other << 16u) | (low & 0xffffu), a1 * b1 + (middle >> 16u) + (other >> 16u));
}
`;

/** Products. Needs PLUS, MINUS and WIDE_PRODUCT. */
export const TIMES = /* wgsl */ `
${NORMAL}

fn times(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let sign = (one.y ^ other.y) & 0x80000000u;
  if (isZero(one) || isZero(other)) { return vec2<u32>(0u, sign); }
  let a = normalOf(one);
  let b = normalOf(other);
  let x = shiftedLeft(a.mantissa, 11u);
  let y = shiftedLeft(b.mantissa, 11u);
  let lowest = wideProduct(x.x, y.x);
  let first = wideProduct(x.x, y.y);
  let second = wideProduct(x.y, y.x);
  let highest = wideProduct(x.y, y.y);
  // Three numbers of the second word, and three of the third, with what they carry.
  let half = first.x + second.x;
  let below = half + lowest.y;
  let carried = select(0u, 1u, half < first.x) + select(0u, 1u, below < half);
  let sum = first.y + second.y;
  let whole = sum + highest.x;
  let upper = whole + carried;
  var high = highest.y + select(0u, 1u, sum < first.y) + select(0u, 1u, whole < sum)
    + select(0u, 1u, upper < whole);
  var low = upper;
  var rest = below;
  var exponent = a.exponent + b.exponent - 1022;
  if ((high & 0x80000000u) == 0u) {
    high = (high << 1u) | (low >> 31u);
    low = (low << 1u) | (rest >> 31u);
    rest <<= 1u;
    exponent -= 1;
  }
  return rounded(sign, exponent, vec2<u32>(low | select(0u, 1u, (rest | lowest.x) != 0u), high));
}
`;

/** Quotients, a bit a step. Needs TIMES; the divisor is not 0. */
export const OVER = /* wgsl */ `
fn over(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let sign = (one.y ^ other.y) & 0x80000000u;
  if (isZero(one)) { return vec2<u32>(0u, sign); }
  let a = normalOf(one);
  let b = normalOf(other);
  let divisor = b.mantissa;
  var rest = a.mantissa;
  var exponent = a.exponent - b.exponent + 1023;
  if (rest.y < divisor.y || (rest.y == divisor.y && rest.x < divisor.x)) {
    rest = shiftedLeft(rest, 1u);
    exponent -= 1;
  }
  var quotient = vec2<u32>(0u, 0u);
  // 53 bits, one to round by and one more; what is left says the rest.
  for (var i = 0u; i < 55u; i++) {
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (rest.y > divisor.y || (rest.y == divisor.y && rest.x >= divisor.x)) {
      rest = vec2<u32>(
        rest.x - divisor.x,
        rest.y - divisor.y - select(0u, 1u, rest.x < divisor.x),
      );
      quotient.x |= 1u;
    }
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
  }
  let mantissa = shiftedLeft(quotient, 9u);
  return rounded(
    sign,
    exponent,
    vec2<u32>(mantissa.x | select(0u, 1u, (rest.x | rest.y) != 0u), mantissa.y),
  );
}
`;

/** From f32 and to f32, whose bits are a word: a device may take its own f32 below the normal ones for 0. Needs PLUS. */
export const SINGLES = /* wgsl */ `
fn fromSingle(value: u32) -> vec2<u32> {
  let sign = value & 0x80000000u;
  var exponent = (value >> 23u) & 255u;
  var mantissa = value & 0x7fffffu;
  if (exponent == 0u) {
    if (mantissa == 0u) { return vec2<u32>(0u, sign); }
    let by = countLeadingZeros(mantissa) - 8u;
    mantissa = (mantissa << by) & 0x7fffffu;
    return vec2<u32>(mantissa << 29u, sign | ((897u - by) << 20u) | (mantissa >> 3u));
  }
  return vec2<u32>(mantissa << 29u, sign | ((exponent + 896u) << 20u) | (mantissa >> 3u));
}

fn toSingle(value: vec2<u32>) -> u32 {
  let sign = value.y & 0x80000000u;
  let stored = i32((value.y >> 20u) & 0x7ffu);
  let exponent = stored - 896;
  if (exponent >= 255) { return sign | 0x7f800000u; }
  // Also of numbers below the normal ones, which are 0 as f32.
  if (stored == 0) { return sign; }
  let mantissa = vec2<u32>(value.x, (value.y & 0xfffffu) | 0x100000u);
  // Two bits more than an f32 has, the last of which says whether any lower one was one.
  let by = 27 + max(0, 1 - exponent);
  let kept = shiftedRight(mantissa, u32(min(by, 63))).x;
  let dropped = kept & 3u;
  var bits = (kept >> 2u) + (u32(max(0, exponent - 1)) << 23u);
  if (dropped == 3u || (dropped == 2u && (bits & 1u) == 1u)) { bits += 1u; }
  return sign | bits;
}
`;

/** Sums, differences and products. */
export const F64_PRODUCTS = PLUS + MINUS + WIDE_PRODUCT + TIMES;

/** All of it. */
export const F64 = F64_PRODUCTS + OVER + SINGLES;
