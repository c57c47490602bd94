/**
 * Standard deviations of a Parzen estimator's kernels along one dimension of the unit interval:
 * the larger distance to the two neighbours (the outermost points have one), clipped to
 * [1 / min(100, kernels + 1), 1], which is the "magic clipping" of Hyperopt and Optuna (Watanabe,
 * "Tree-structured Parzen estimator: understanding its algorithm components and their roles for
 * better empirical performance", 2023, §3.3.4).
 *
 * No sort: the interval is cut into buckets narrower than the smallest bandwidth. A distance
 * within a bucket is clipped anyway, so only the first and last point of each bucket, and the
 * buckets next to theirs, matter. Linear time, and the same numbers as by sorting.
 */

/** More than the 100 of the clipping, so that a bucket is narrower than any bandwidth. */
const BUCKETS = 128;

const first = new Int32Array(BUCKETS);
const last = new Int32Array(BUCKETS);

/** The least bandwidth that `count` points may have. */
export function smallestBandwidth(count: number): number {
  return 1 / Math.min(100, 2 + count);
}

/**
 * @param points in [0, 1], the first `count` of the array
 * @param bandwidths written: one for each point
 */
export function kernelBandwidths(
  points: Float64Array,
  count: number,
  bandwidths: Float64Array,
): void {
  if (count === 1) {
    bandwidths[0] = Math.max(points[0], 1 - points[0]);
    return;
  }
  const smallest = smallestBandwidth(count);
  first.fill(-1);
  for (let i = 0; i < count; i++) {
    bandwidths[i] = smallest;
    const bucket = Math.min(BUCKETS - 1, Math.trunc(points[i] * BUCKETS));
    if (first[bucket] < 0) {
      first[bucket] = i;
      last[bucket] = i;
    } else {
      // Of equal points the earlier counts as left of the later, as in a stable sort.
      if (points[i] < points[first[bucket]]) first[bucket] = i;
      if (points[i] >= points[last[bucket]]) last[bucket] = i;
    }
  }
  let left = -1;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const right = first[bucket];
    if (right < 0) continue;
    if (left >= 0) {
      const distance = points[right] - points[left];
      if (distance > bandwidths[left]) bandwidths[left] = distance;
      if (distance > bandwidths[right]) bandwidths[right] = distance;
    }
    left = last[bucket];
  }
}
