/**
 * By linear interpolation between order statistics.
 *
 * @param sorted ascending, not empty
 * @param q in [0, 1]
 */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const place = q * (sorted.length - 1);
  const low = sorted[Math.floor(place)];
  return low + (place - Math.floor(place)) * (sorted[Math.ceil(place)] - low);
}
