import type { CounterRandom } from "../compute/random.ts";

/** The positions of each class, ascending: `result[k]` lists the i with `classOf[i] === k`. */
export function rowsByClass(classOf: Float64Array, classes: number): Uint32Array[] {
  const counts = new Uint32Array(classes);
  for (const k of classOf) counts[k]++;
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  for (let i = 0; i < classOf.length; i++) rows[classOf[i]][counts[classOf[i]]++] = i;
  return rows;
}

/**
 * Stratified K-fold: the rows of each class in random order, dealt one to each fold in turn. The
 * next class goes on where the last one ended, so both the count of a class in each fold and the
 * size of the folds differ by at most one.
 *
 * @param classOf the class of each row
 * @returns the fold of each row
 */
export function stratifiedKFold(
  classOf: Float64Array,
  classes: number,
  folds: number,
  random: CounterRandom,
): Int32Array {
  const foldOf = new Int32Array(classOf.length);
  let next = 0;
  for (const rows of rowsByClass(classOf, classes)) {
    for (const i of random.shuffle(rows)) {
      foldOf[i] = next;
      next = (next + 1) % folds;
    }
  }
  return foldOf;
}
