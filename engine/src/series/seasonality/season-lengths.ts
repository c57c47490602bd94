/**
 * Which seasons a series has: those of the candidates at whose lag the autocorrelation of the series
 * without trend stands out. The test is that of `autocorrelation.ts`; that the lag must also be a peak
 * keeps smooth series, whose autocorrelations all are high, from having any season.
 */

import { checkHistory } from "../series-model.ts";
import { autocorrelations, isSeasonal } from "./autocorrelation.ts";
import { difference } from "./differences.ts";

const LEAST_AUTOCORRELATION = 0.2;
/** Of what the multiples before and after a season's leave unexplained, that it must explain to be more than one. */
const STANDS_OUT = 0.2;

/**
 * @param candidates lengths in steps, each at least 2
 * @returns those that were found, the strongest first; a multiple of a found length only where values that
 *   far apart are clearly more alike than those apart by the multiples before and after it
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
    const parts = found.filter((other) => length % other.length === 0);
    if (parts.some((part) => !isMore(changes, length, part.length))) continue;
    found.push({ length, strength });
  }
  return found.sort((a, b) => b.strength - a.strength).map(({ length }) => length);
}

/** Is the season of this length more than so many of the shorter one (a week more than seven days)? */
function isMore(changes: Float64Array, length: number, part: number): boolean {
  const n = changes.length;
  const r = autocorrelations(changes, Math.min(n - 1, length + part));
  // Of the pairs that there are: estimates of long lags lack more of them.
  const at = (lag: number): number => (r[lag - 1] * n) / (n - lag);
  const before = length > part ? at(length - part) : Number.NEGATIVE_INFINITY;
  const after = length + part <= r.length ? at(length + part) : Number.NEGATIVE_INFINITY;
  const others = Math.max(before, after);
  return at(length) >= others + STANDS_OUT * (1 - others);
}
