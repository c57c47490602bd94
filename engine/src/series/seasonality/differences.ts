/** Differences of a series. */

/** Differences at a lag, `times` times. */
export function difference(values: Float64Array, lag: number, times: number): Float64Array {
  let result = values;
  for (let i = 0; i < times; i++) {
    const before = result;
    result = Float64Array.from(
      { length: Math.max(0, before.length - lag) },
      (_, t) => before[t + lag] - before[t],
    );
  }
  return result;
}
