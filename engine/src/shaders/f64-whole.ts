/**
 * Beside the arithmetic of f64 by integers (`f64.ts`): whole numbers of 64 bits, which sums of whole numbers are
 * made of, square roots, and an order of numbers by whole numbers.
 */

/** Sums of whole numbers, two's complement in two words, and f64 of those below 2⁵³. Needs PLUS and MINUS. */
export const WHOLE = /* wgsl */ `
fn wholePlus(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let low = one.x + other.x;
  return vec2<u32>(low, one.y + other.y + select(0u, 1u, low < one.x));
}

fn wholeNegated(value: vec2<u32>) -> vec2<u32> {
  let low = ~value.x + 1u;
  return vec2<u32>(low, ~value.y + select(0u, 1u, low == 0u));
}

fn fromWhole(value: vec2<u32>) -> vec2<u32> {
  if ((value.x | value.y) == 0u) { return value; }
  let sign = value.y & 0x80000000u;
  let size = select(value, wholeNegated(value), sign != 0u);
  let leading = select(countLeadingZeros(size.y), 32u + countLeadingZeros(size.x), size.y == 0u);
  let mantissa = shiftedLeft(size, leading - 11u);
  return vec2<u32>(mantissa.x, sign | ((1086u - leading) << 20u) | (mantissa.y & 0xfffffu));
}

fn toWhole(value: vec2<u32>) -> vec2<u32> {
  let exponent = (value.y >> 20u) & 0x7ffu;
  if (exponent == 0u) { return vec2<u32>(0u, 0u); }
  let mantissa = vec2<u32>(value.x, (value.y & 0xfffffu) | 0x100000u);
  let size = shiftedRight(mantissa, 1075u - exponent);
  return select(size, wholeNegated(size), (value.y & 0x80000000u) != 0u);
}
`;

/** Words that are ordered as the numbers are, which are not -0. */
export const ORDER = /* wgsl */ `
fn ordered(value: vec2<u32>) -> vec2<u32> {
  return select(value ^ vec2<u32>(0u, 0x80000000u), ~value, (value.y & 0x80000000u) != 0u);
}

fn isBelow(one: vec2<u32>, other: vec2<u32>) -> bool {
  return one.y < other.y || (one.y == other.y && one.x < other.x);
}
`;

/** Square roots of numbers that are not below 0, a bit a step. Needs TIMES. */
export const SQUARE_ROOT = /* wgsl */ `
fn squareRoot(value: vec2<u32>) -> vec2<u32> {
  if (isZero(value)) { return value; }
  let number = normalOf(value);
  // 54 bits, two a step: of an odd power of two the first pair has both.
  let power = number.exponent - 1023;
  let digits = shiftedLeft(number.mantissa, u32(power & 1));
  var rest = vec2<u32>(0u, 0u);
  var root = vec2<u32>(0u, 0u);
  // 53 bits, one to round by and one more; what is left says the rest.
  for (var i = 0u; i < 55u; i++) {
    rest = shiftedLeft(rest, 2u);
    if (i < 27u) {
      let by = 52u - 2u * i;
      rest.x |= select(digits.x >> (by & 31u), digits.y >> (by & 31u), by >= 32u) & 3u;
    }
    let trial = shiftedLeft(root, 2u) | vec2<u32>(1u, 0u);
    root = shiftedLeft(root, 1u);
    if (!isBelow(rest, trial)) {
      rest = vec2<u32>(rest.x - trial.x, rest.y - trial.y - select(0u, 1u, rest.x < trial.x));
      root.x |= 1u;
    }
  }
  let mantissa = shiftedLeft(root, 9u);
  return rounded(
    0u,
    (power >> 1u) + 1023,
    vec2<u32>(mantissa.x | select(0u, 1u, (rest.x | rest.y) != 0u), mantissa.y),
  );
}
`;
