/**
 * Clusters whose members are all alike: agglomeration by complete linkage (Defays, 1977), the most
 * alike first, stopped where a merger would put two together that are not. The same for any order of
 * the items as long as `likeness` is symmetric and `items` come in one order.
 */

/** @returns indices of the items, each once; clusters by their first item, members in order */
export function completeLinkage<Item>(
  items: readonly Item[],
  likeness: (a: Item, b: Item) => number,
  threshold: number,
): number[][] {
  const alike = new Map<number, number>();
  const size = items.length;
  const pairs: (readonly [number, number, number])[] = [];
  for (let a = 0; a < size; a++) {
    for (let b = a + 1; b < size; b++) {
      const value = likeness(items[a]!, items[b]!);
      if (value < threshold) continue;
      alike.set(a * size + b, value);
      pairs.push([a, b, value]);
    }
  }
  pairs.sort(([a, b, x], [c, d, y]) => y - x || a - c || b - d);
  const clusterOf = items.map((_, index) => index);
  const members = items.map((_, index) => [index]);
  for (const [a, b] of pairs) {
    const [left, right] = [clusterOf[a]!, clusterOf[b]!];
    if (left === right) continue;
    const fits = members[left]!.every((x) =>
      members[right]!.every((y) => alike.has(Math.min(x, y) * size + Math.max(x, y))),
    );
    if (!fits) continue;
    const [into, from] = left < right ? [left, right] : [right, left];
    for (const member of members[from]!) clusterOf[member] = into;
    members[into]!.push(...members[from]!);
    members[from] = [];
  }
  return members.filter((each) => each.length > 0).map((each) => each.sort((a, b) => a - b));
}
