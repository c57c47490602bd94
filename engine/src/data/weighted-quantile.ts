/**
 * The quantile that minimises the pinball loss: the least value with at least a share τ of the
 * weight at or below it (Koenker & Bassett, "Regression quantiles", Econometrica 46, 1978).
 */

/** So much may sums of weights be off by rounding, as a share of all. */
const SLACK = 1e-12;

/**
 * @param values at least one; their order is changed where `weights` is null
 * @param weights non-negative, one a value, not all 0; null = all 1
 * @param level τ in (0, 1)
 */
export function lowerQuantile(
  values: Float64Array,
  weights: Float64Array | null,
  level: number,
): number {
  const count = values.length;
  if (weights === null) {
    const place = Math.ceil(level * count * (1 - SLACK)) - 1;
    return nthSmallest(values, Math.min(count - 1, Math.max(0, place)));
  }
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
  let total = 0;
  for (const weight of weights) total += weight;
  const wanted = level * total * (1 - SLACK);
  let below = 0;
  for (const at of order) {
    below += weights[at];
    if (weights[at] > 0 && below >= wanted) return values[at];
  }
  return values[order[count - 1]];
}

/** Ranges so short are sorted. */
const SHORT = 24;

/**
 * Quickselect (Hoare, "Algorithm 65: Find", CACM 4, 1961) with the median of three as the pivot.
 * Reorders `values`.
 *
 * @param place from 0
 */
export function nthSmallest(values: Float64Array, place: number): number {
  let low = 0;
  let high = values.length - 1;
  while (high - low >= SHORT) {
    const [a, b, c] = [values[low], values[(low + high) >> 1], values[high]];
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let i = low - 1;
    let j = high + 1;
    for (;;) {
      do i++;
      while (values[i] < pivot);
      do j--;
      while (values[j] > pivot);
      if (i >= j) break;
      const held = values[i];
      values[i] = values[j];
      values[j] = held;
    }
    if (place <= j) high = j;
    else low = j + 1;
  }
  values.subarray(low, high + 1).sort();
  return values[place];
}
