/**
 * Scales of the integer gradients.
 *
 * Histograms hold 32-bit sums. With the scale (2³¹ - 1 - n) / Σ|g| the sum over any rows of the
 * rounded gradients stays within 2³¹ - 1, however skewed they are: rounding adds at most ½ a row.
 */

export interface Scales {
  /** Units of the histograms. */
  readonly gradient: number;
  readonly hessian: number;
  /** Units of the leaves' 64-bit sums; powers of two, so that scaling itself is exact. */
  readonly fine: { readonly gradient: number; readonly hessian: number };
}

const bits = new BigUint64Array(1);
const number = new Float64Array(bits.buffer);

/** The largest power of two ≤ x, for normal positive x. */
function floorPowerOfTwo(x: number): number {
  number[0] = x;
  bits[0] &= 0x7ff0000000000000n;
  return number[0];
}

function fineScale(sum: number): number {
  return sum > 0 ? floorPowerOfTwo(Math.min(2 ** 50 / sum, 2 ** 200)) : 1;
}

/** @param rows how many rows the sums are over */
export function scalesOf(gradientSum: number, hessianSum: number, rows: number): Scales {
  const most = 2 ** 31 - 1 - rows;
  return {
    gradient: gradientSum > 0 ? Math.min(most / gradientSum, 2 ** 500) : 1,
    hessian: hessianSum > 0 ? Math.min(most / hessianSum, 2 ** 500) : 1,
    fine: { gradient: fineScale(gradientSum), hessian: fineScale(hessianSum) },
  };
}
