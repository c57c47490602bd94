/** What two orders have in common, in the order of both. */

/**
 * Indices of the longest run of items that both hold in the same order (the longest increasing
 * subsequence of one's places in the other); an item stands once in each.
 */
export function increasingPairs(
  one: readonly number[],
  other: readonly number[],
): [number, number][] {
  const places = new Map(other.map((item, index) => [item, index]));
  const shared = one.flatMap((item, index): [number, number][] => {
    const place = places.get(item);
    return place === undefined ? [] : [[index, place]];
  });
  const best: number[] = [];
  const before: number[] = [];
  let last = -1;
  for (const [index, [, place]] of shared.entries()) {
    best[index] = 1;
    before[index] = -1;
    for (let earlier = 0; earlier < index; earlier += 1) {
      if (shared[earlier]![1] < place && best[earlier]! + 1 > best[index]!) {
        best[index] = best[earlier]! + 1;
        before[index] = earlier;
      }
    }
    if (last < 0 || best[index]! > best[last]!) last = index;
  }
  const run: [number, number][] = [];
  for (let index = last; index >= 0; index = before[index]!) run.push(shared[index]!);
  return run.reverse();
}
