/** Importance of features, by the sizes of what they bring. */

/** @returns the sizes as shares of their sum; all 0 where they are */
export function asShares(sizes: Float64Array): Float64Array {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total > 0 ? sizes.map((size) => size / total) : sizes;
}

/**
 * The share of each feature in the size of contributions.
 *
 * @param contributions row-major, rows × features × outputs
 */
export function contributionShares(
  contributions: Float64Array,
  features: number,
  outputs: number,
): Float64Array {
  const sizes = new Float64Array(features);
  for (let at = 0; at < contributions.length; at++) {
    sizes[Math.floor(at / outputs) % features] += Math.abs(contributions[at]);
  }
  return asShares(sizes);
}
