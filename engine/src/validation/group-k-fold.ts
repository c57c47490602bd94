import type { CounterRandom } from "../compute/random.ts";

/** Groups renumbered 0 … count − 1 by first sight. */
export interface GroupIndex {
  readonly count: number;
  readonly groupOf: Uint32Array;
}

/** A negative id means that the group is missing: such a row is a group of its own. */
export function indexGroups(ids: Int32Array): GroupIndex {
  const numbers = new Map<number, number>();
  const groupOf = new Uint32Array(ids.length);
  let count = 0;
  for (let i = 0; i < ids.length; i++) {
    const known = ids[i] < 0 ? undefined : numbers.get(ids[i]);
    groupOf[i] = known ?? count;
    if (known !== undefined) continue;
    if (ids[i] >= 0) numbers.set(ids[i], count);
    count++;
  }
  return { count, groupOf };
}

/** Group numbers, the one with most rows first; equal ones in random order. */
export function largestFirst(sizes: Uint32Array, random: CounterRandom): Uint32Array {
  const order = random.shuffle(Uint32Array.from(sizes, (_, group) => group));
  return order.sort((a, b) => sizes[b] - sizes[a]);
}

/**
 * Group K-fold: the largest group first, each to the fold with the fewest rows so far (longest
 * processing time first: Graham, "Bounds on multiprocessing timing anomalies", 1969).
 *
 * @returns the fold of each row
 */
export function groupKFold(groups: GroupIndex, folds: number, random: CounterRandom): Int32Array {
  const sizes = new Uint32Array(groups.count);
  for (const group of groups.groupOf) sizes[group]++;
  const foldSizes = new Float64Array(folds);
  const foldOfGroup = new Int32Array(groups.count);
  for (const group of largestFirst(sizes, random)) {
    const smallest = foldSizes.indexOf(Math.min(...foldSizes));
    foldOfGroup[group] = smallest;
    foldSizes[smallest] += sizes[group];
  }
  return Int32Array.from(groups.groupOf, (group) => foldOfGroup[group]);
}
