/** What both tables of intervals make of the values of a series, and how values become their cells. */

const MOST_F32 = 3.4028234663852886e38;

/** From step to step; of a series of one step, one 0. */
export function differencesOf(values: Float64Array): Float64Array {
  const differences = new Float64Array(Math.max(1, values.length - 1));
  for (let t = 0; t + 1 < values.length; t++) differences[t] = values[t + 1] - values[t];
  return differences;
}

/** The nearest that a float32 can be without being infinite. */
export function withinF32(value: number): number {
  return Math.max(-MOST_F32, Math.min(MOST_F32, value));
}
