/** What the fits of a run's folds found, on average. */

import type { FittedModel } from "./family.ts";

/** The mean of a number that the fits reported; null where none did. */
export function meanFact(foldFacts: readonly FittedModel["facts"][], name: string): number | null {
  const values = foldFacts.map((facts) => facts[name]).filter((each) => typeof each === "number");
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
