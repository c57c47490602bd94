/** Whether intervals or sets held fewer rows than they were asked to, by more than chance explains. */

import { wilson } from "../metrics/wilson.ts";

/** Standard deviations that chance passes, on one side, in one of a thousand cases. */
const Z_ONE_IN_1000 = 3.090232306167813;

/**
 * @param measured the share of rows that was held; null = not measured
 * @param rows independent ones that were looked at, see `effectiveRows`
 */
export function isShort(measured: number | null, asked: number, rows: number): boolean {
  return measured !== null && rows > 0 && wilson(measured, rows, Z_ONE_IN_1000).high < asked;
}

/** As many rows of equal weights have a share of the same variance (Kish, "Survey sampling", 1965). */
export function effectiveRows(weights: Float64Array | null, rows: number): number {
  if (weights === null) return rows;
  // By the largest, since squares of large weights are not finite.
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  if (largest === 0) return 0;
  let [sum, squares] = [0, 0];
  for (const weight of weights) {
    sum += weight / largest;
    squares += (weight / largest) ** 2;
  }
  return sum ** 2 / squares;
}

/** A share in percent, with a digit more than the whole number. */
export const percentOf = (share: number): string => `${Number((100 * share).toFixed(1))} %`;
