/**
 * Clusters whose members are all alike: agglomeration by complete linkage (Defays, 1977; distances
 * updated by Lance & Williams, 1967), the most alike first, stopped where a merger would put two
 * together that are not. Cubic in the largest set of items that likeness connects.
 */

/**
 * @param likeness symmetric
 * @returns indices of the items, each once; clusters by their first item, members in order
 */
export function completeLinkage<Item>(
  items: readonly Item[],
  likeness: (a: Item, b: Item) => number,
  threshold: number,
): number[][] {
  const near = new Map<number, Map<number, number>>();
  for (const a of items.keys()) near.set(a, new Map());
  for (let a = 0; a < items.length; a++) {
    for (let b = a + 1; b < items.length; b++) {
      const value = likeness(items[a]!, items[b]!);
      if (value < threshold) continue;
      near.get(a)!.set(b, value);
      near.get(b)!.set(a, value);
    }
  }
  // A cluster is named by its first item; clusters that are not all alike have no likeness.
  const members = new Map([...items.keys()].map((index) => [index, [index]]));
  for (;;) {
    const pair = mostAlike(near);
    if (pair === null) break;
    const [into, from] = pair;
    members.get(into)!.push(...members.get(from)!);
    members.delete(from);
    join(near, into, from);
  }
  return [...members.values()].map((each) => each.sort((a, b) => a - b));
}

/** Of equals, the first. */
function mostAlike(
  near: ReadonlyMap<number, ReadonlyMap<number, number>>,
): readonly [number, number] | null {
  let best: readonly [number, number] | null = null;
  let most = -Infinity;
  for (const [a, others] of near) {
    for (const [b, value] of others) {
      if (b < a || value < most) continue;
      if (value === most && best !== null && (best[0] < a || (best[0] === a && best[1] < b))) {
        continue;
      }
      [best, most] = [[a, b], value];
    }
  }
  return best;
}

/** The joined cluster is as near to another as the farther of the two. */
function join(near: Map<number, Map<number, number>>, into: number, from: number): void {
  const own = near.get(into)!;
  const gone = near.get(from)!;
  near.delete(from);
  for (const other of gone.keys()) near.get(other)!.delete(from);
  for (const [other, value] of [...own]) {
    const further = gone.get(other);
    const joined = further === undefined ? null : Math.min(value, further);
    if (joined === null) {
      own.delete(other);
      near.get(other)?.delete(into);
    } else {
      own.set(other, joined);
      near.get(other)!.set(into, joined);
    }
  }
}
