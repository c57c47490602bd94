/** Losses as the notes of a blend give them. */

import type { Metric } from "../metrics/index.ts";

/** The score of a metric that a loss is of: six digits, without an exponent for large ones. */
export function shownScore({ direction }: Pick<Metric, "direction">, loss: number): string {
  const score = (direction === "minimize" ? loss : -loss).toPrecision(6);
  return score.includes("e+") ? String(Number(score)) : score;
}
