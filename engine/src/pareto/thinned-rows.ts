/** Fewer rows that stand for all, where every bag of a sweep is scored on them. */

import { ascendingOrder } from "../compute/ascending-order.ts";
import type { BagRows } from "./bag-table.ts";

/** At most `most` rows: evenly spaced in the order of the target, so each class keeps its share. */
export function evenlyThinned(rows: BagRows, most: number): BagRows {
  const { target, weights, outputs } = rows;
  if (target.length <= most) return rows;
  const order = ascendingOrder(target);
  const kept = Uint32Array.from(
    { length: most },
    (_, i) => order[Math.floor(((i + 0.5) * target.length) / most)],
  ).sort();
  return {
    ...rows,
    target: Float64Array.from(kept, (row) => target[row]),
    weights: weights && Float64Array.from(kept, (row) => weights[row]),
    candidates: rows.candidates.map((candidate) => {
      const thinned = new Float64Array(kept.length * outputs);
      for (let i = 0; i < kept.length; i++) {
        for (let k = 0; k < outputs; k++) {
          thinned[i * outputs + k] = candidate[kept[i] * outputs + k];
        }
      }
      return thinned;
    }),
  };
}
