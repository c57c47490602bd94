/**
 * Which seasons a series has: those of the candidates at whose lag the autocorrelation of the series
 * without trend stands out. The test is that of `autocorrelation.ts`; that the lag must also be a peak
 * keeps smooth series, whose autocorrelations all are high, from having any season.
 */

import { checkHistory } from "../series-model.ts";
import { autocorrelations, isSeasonal } from "./autocorrelation.ts";
import { difference } from "./differences.ts";

/** Of a candidate's season that its own part must explain, to be more than another's multiple. */
const LEAST_AUTOCORRELATION = 0.2;

/**
 * @param candidates lengths in steps, each at least 2
 * @returns those that were found, the strongest first; a multiple of a found length only where it is
 *   clearly stronger than that
 */
export function seasonLengths(history: Float64Array, candidates: readonly number[]): number[] {
  checkHistory(history);
  const changes = difference(history, 1, 1);
  const found: { length: number; strength: number }[] = [];
  for (const length of [...new Set(candidates)].sort((a, b) => a - b)) {
    if (length < 2 || !isSeasonal(changes, length, 2)) continue;
    const r = autocorrelations(changes, length + 1);
    const strength = r[length - 1];
    if (strength < LEAST_AUTOCORRELATION) continue;
    if (length > 2 && (strength < r[length - 2] || strength < r[length])) continue;
    const part = found.filter((other) => length % other.length === 0);
    if (part.some((other) => strength < other.strength + LEAST_AUTOCORRELATION / 2)) continue;
    found.push({ length, strength });
  }
  return found.sort((a, b) => b.strength - a.strength).map(({ length }) => length);
}
