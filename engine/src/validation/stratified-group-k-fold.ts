import type { CounterRandom } from "../compute/random.ts";
import { type GroupIndex, largestFirst } from "./group-k-fold.ts";

/**
 * Stratified group K-fold: groups stay whole, and classes are spread as evenly as greed allows.
 * The largest group first, each to the fold where it adds least to the sum over classes of
 * (share of the class in the fold)², which is smallest where every fold holds an equal share.
 * Equal costs go to the fold with fewer rows, so no fold stays empty.
 *
 * @param classOf the class of each row
 * @returns the fold of each row
 */
export function stratifiedGroupKFold(
  groups: GroupIndex,
  classOf: Float64Array,
  classes: number,
  folds: number,
  random: CounterRandom,
): Int32Array {
  const sizes = new Uint32Array(groups.count);
  const classTotals = new Float64Array(classes);
  const inGroup = Array.from({ length: groups.count }, () => new Map<number, number>());
  groups.groupOf.forEach((group, i) => {
    sizes[group]++;
    classTotals[classOf[i]]++;
    inGroup[group].set(classOf[i], (inGroup[group].get(classOf[i]) ?? 0) + 1);
  });
  const inFold = Array.from({ length: folds }, () => new Float64Array(classes));
  const foldSizes = new Float64Array(folds);
  const foldOfGroup = new Int32Array(groups.count);
  for (const group of largestFirst(sizes, random)) {
    let best = 0;
    let bestCost = Number.POSITIVE_INFINITY;
    for (let fold = 0; fold < folds; fold++) {
      let cost = 0;
      for (const [k, count] of inGroup[group])
        cost += (inFold[fold][k] * count) / classTotals[k] ** 2;
      if (cost < bestCost || (cost === bestCost && foldSizes[fold] < foldSizes[best])) {
        best = fold;
        bestCost = cost;
      }
    }
    foldOfGroup[group] = best;
    foldSizes[best] += sizes[group];
    for (const [k, count] of inGroup[group]) inFold[best][k] += count;
  }
  return Int32Array.from(groups.groupOf, (group) => foldOfGroup[group]);
}
