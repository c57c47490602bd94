/** What sorted categories are expected to gain of noise alone: a slow account of kernels/assembly/growing/split-noise.ts. */

/**
 * @param groups weight of each
 * @param variance of a unit of weight
 * @param left weight of the groups on one side
 */
export function expectedOfNoise(groups: readonly number[], variance: number, left: number): number {
  const weight = groups.reduce((sum, each) => sum + each, 0);
  const roots = groups.reduce((sum, each) => sum + Math.sqrt(each), 0);
  const most = 2 * (2 / Math.PI) * variance * Math.max((roots * roots) / weight - 2, 0);
  const half = Math.sqrt((4 * (left * (weight - left))) / (weight * weight));
  return most * half * Math.sqrt(Math.sqrt(half));
}
