/**
 * The place of the first number that is at least as large, by bisection.
 *
 * @param ascending without NaN
 * @param from, to the places that are looked at, the latter exclusive
 * @returns `to` where all of them are less
 */
export function lowerBound(
  ascending: ArrayLike<number>,
  wanted: number,
  from = 0,
  to = ascending.length,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
