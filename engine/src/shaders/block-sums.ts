/**
 * Sums of a block's f32 in the order of its rows, to the CPU's f64. Rounding depends on the order, so that a sum is a
 * chain of additions, one thread's; but where no partial sum is rounded, order does not matter, and all threads add
 * whole units at once. Which of both it is, is seen by the values: none is rounded as long as all are multiples of one
 * power of two, and their sum is below 2⁵³ of it.
 */

import { THREADS } from "./histogram.ts";

/**
 * Declares `values`, so many of them: before the block, `noteSingle` is called by each thread with each of its values
 * (positive f32, by their bits), then `unitOf` and, with each value again, `inUnits` and `addUnits`; `wholeSum` is the
 * sum, if it says so. All of it in uniform control flow but for `noteSingle`, `inUnits` and `addUnits`.
 *
 * @param most rows of a block, a power of two
 */
export const blockSums = (values: number, most: number): string => /* wgsl */ `
/** Of the values: the exponent of the lowest bit that is one, and of what they are all below; 2⁻¹⁵⁰ has 0. */
var<workgroup> lowest: array<atomic<u32>, ${values}>;
var<workgroup> above: array<atomic<u32>, ${values}>;
var<workgroup> units: array<u32, ${values}>;
var<workgroup> parts: array<vec2<u32>, ${THREADS}>;
var<workgroup> isWhole: u32;

/** No unit: their order matters. */
const NO_UNIT = 0xffffffffu;

fn beginSums(thread: u32) {
  if (thread < ${values}u) {
    atomicStore(&lowest[thread], ${0x1ff}u);
    atomicStore(&above[thread], 0u);
  }
  workgroupBarrier();
}

fn mantissaOfSingle(bits: u32) -> u32 {
  return (bits & 0x7fffffu) | select(0u, 0x800000u, (bits >> 23u) != 0u);
}

fn noteSingle(value: u32, bits: u32) {
  let mantissa = mantissaOfSingle(bits);
  if (mantissa == 0u) { return; }
  let exponent = max(bits >> 23u, 1u);
  atomicMin(&lowest[value], exponent + countTrailingZeros(mantissa));
  atomicMax(&above[value], exponent + 32u - countLeadingZeros(mantissa));
}

/** The exponent of the unit in which the sum of a value is below 2⁶³, if there is one. */
fn unitOf(value: u32, thread: u32) -> u32 {
  workgroupBarrier();
  if (thread == 0u) {
    let unit = atomicLoad(&lowest[value]);
    // Above all values, and so many of them.
    let most = atomicLoad(&above[value]) + ${Math.ceil(Math.log2(most))}u;
    units[value] = select(NO_UNIT, unit, most <= unit + 63u);
  }
  return workgroupUniformLoad(&units[value]);
}

fn inUnits(bits: u32, unit: u32) -> vec2<u32> {
  let mantissa = mantissaOfSingle(bits);
  if (mantissa == 0u) { return vec2<u32>(0u, 0u); }
  let exponent = max(bits >> 23u, 1u);
  // Bits below the unit are zeros.
  if (exponent < unit) { return vec2<u32>(mantissa >> (unit - exponent), 0u); }
  return shiftedLeft(vec2<u32>(mantissa, 0u), exponent - unit);
}

fn addUnits(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> {
  let low = one.x + other.x;
  return vec2<u32>(low, one.y + other.y + select(0u, 1u, low < one.x));
}

/** Whole units as an f64. @param own the thread's part */
fn wholeSum(own: vec2<u32>, unit: u32, thread: u32) -> vec2<u32> {
  parts[thread] = own;
  workgroupBarrier();
  for (var half = ${THREADS / 2}u; half > 0u; half >>= 1u) {
    if (thread < half) { parts[thread] = addUnits(parts[thread], parts[thread + half]); }
    workgroupBarrier();
  }
  let sum = parts[0];
  if (thread == 0u) { isWhole = select(0u, 1u, sum.y < 0x200000u); }
  if ((sum.x | sum.y) == 0u) { return vec2<u32>(0u, 0u); }
  let leading = select(countLeadingZeros(sum.y), 32u + countLeadingZeros(sum.x), sum.y == 0u);
  // The first bit of a normal number is bit 52.
  let mantissa = shiftedLeft(sum, select(0u, leading - 11u, leading > 11u));
  return vec2<u32>(mantissa.x, (mantissa.y & 0xfffffu) | ((unit + 936u - leading) << 20u));
}

/** Whether the last \`wholeSum\` was not rounded on its way. */
fn wasWhole() -> bool { return workgroupUniformLoad(&isWhole) == 1u; }
`;
