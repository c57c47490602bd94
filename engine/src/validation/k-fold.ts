import type { CounterRandom } from "../compute/random.ts";

/**
 * Plain K-fold: rows in random order, dealt one to each fold in turn. Fold sizes differ by at
 * most one.
 *
 * @returns the fold of each row
 */
export function kFold(rows: number, folds: number, random: CounterRandom): Int32Array {
  const order = random.shuffle(Uint32Array.from({ length: rows }, (_, i) => i));
  const foldOf = new Int32Array(rows);
  for (let i = 0; i < rows; i++) foldOf[order[i]] = i % folds;
  return foldOf;
}
