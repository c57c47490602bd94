import { CompensatedSum } from "./compensated-sum.ts";
import type { ScoredRows } from "./metric.ts";

/**
 * Σ wᵢ·term(i) / Σ wᵢ over all rows; NaN without rows or with a total weight of 0.
 * Rows of weight 0 are passed over, whatever their term.
 */
export function weightedMean(rows: ScoredRows, term: (row: number) => number): number {
  const { target, weights } = rows;
  const total = new CompensatedSum();
  if (weights === null) {
    for (let i = 0; i < target.length; i++) total.add(term(i));
    return total.value / target.length;
  }
  const weight = new CompensatedSum();
  for (let i = 0; i < target.length; i++) {
    if (weights[i] === 0) continue;
    weight.add(weights[i]);
    total.add(weights[i] * term(i));
  }
  return total.value / weight.value;
}
