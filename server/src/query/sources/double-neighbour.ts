/** The doubles beside a double, for bounds that no rounding may cross. */

const view = new DataView(new ArrayBuffer(8));

/** The least double above it; infinity above the greatest. */
export function nextDouble(value: number): number {
  if (value === Number.POSITIVE_INFINITY) return value;
  if (value === 0) return Number.MIN_VALUE;
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** The greatest double below it. */
export const previousDouble = (value: number): number => -nextDouble(-value);
