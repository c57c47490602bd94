/** Where scores of one class against the rest can be cut in two, and what lies above each cut. */

import { ascendingOrder } from "../../compute/ascending-order.ts";
import type { BinaryScores } from "../../metrics/one-vs-rest.ts";

/** Rows of a class and of all others, by their weights. */
export interface Counted {
  readonly positives: number;
  readonly negatives: number;
}

/** The rows that score at least a threshold. */
export interface Cut extends Counted {
  /** The shortest decimal that cuts there: above it lie these rows and no others. */
  readonly threshold: number;
  /** Their number. */
  readonly rows: number;
}

export interface ScoreCuts {
  /** Between distinct scores, the highest first; the last has all rows. */
  readonly cuts: readonly Cut[];
  /** All rows. */
  readonly total: Counted;
  /** By part of the rows, of which each is every so manieth: what of it lies above each cut. */
  readonly parts: readonly (readonly Counted[])[];
}

/** So many are tried at most, about evenly spread over the rows. */
const MOST_CUTS = 2000;
/** A threshold is chosen by all parts but one, and measured on that. */
const PARTS = 5;

/**
 * @param binary scores between 0 and 1
 * @returns null where the rows are all of the class, or none is
 */
export function scoreCuts({ positive, scores, weights }: BinaryScores): ScoreCuts | null {
  const order = ascendingOrder(scores);
  const parts = Array.from({ length: PARTS }, (): Counted[] => []);
  const sums = Array.from({ length: PARTS }, () => ({ positives: 0, negatives: 0 }));
  const all = { positives: 0, negatives: 0 };
  const cuts: Cut[] = [];
  const stride = Math.max(1, Math.floor(order.length / MOST_CUTS));
  let latest = order.length;
  for (let at = order.length - 1; at >= 0; at--) {
    const row = order[at];
    const weight = weights === null ? 1 : weights[row];
    const side = positive[row] === 1 ? "positives" : "negatives";
    all[side] += weight;
    sums[row % PARTS][side] += weight;
    const [score, next] = [scores[row], at === 0 ? null : scores[order[at - 1]]];
    if (score === next || (at > 0 && latest - at < stride)) continue;
    latest = at;
    const threshold = next === null ? 0 : shortestBetween(next, score);
    cuts.push({ threshold, rows: order.length - at, ...all });
    for (const [part, sum] of sums.entries()) parts[part].push({ ...sum });
  }
  return all.positives > 0 && all.negatives > 0 ? { cuts, total: { ...all }, parts } : null;
}

/**
 * The number of fewest decimals in (low, high], which tells both apart and can be read and typed.
 *
 * @param low at least 0, less than `high`
 */
export function shortestBetween(low: number, high: number): number {
  for (let digits = 1; digits <= 17; digits++) {
    const power = 10 ** digits;
    // The least such number above `low`, whatever the multiplication rounded.
    for (const whole of [Math.floor(low * power) + 1, Math.floor(low * power) + 2]) {
      const decimal = Number(`${whole}e-${digits}`);
      if (decimal > low && decimal <= high) return decimal;
    }
  }
  return high;
}

/** What a threshold of a number leaves above it, of all rows; equal scores lie above. */
export function countedFrom(
  { positive, scores, weights }: BinaryScores,
  threshold: number,
): Counted & { readonly rows: number } {
  const counted = { positives: 0, negatives: 0, rows: 0 };
  for (const [row, score] of scores.entries()) {
    if (score < threshold) continue;
    counted[positive[row] === 1 ? "positives" : "negatives"] += weights === null ? 1 : weights[row];
    counted.rows++;
  }
  return counted;
}

export interface BestCut {
  /** Of all rows; null: no row lies above. */
  readonly cut: Cut | null;
  /** What lies above where each row was cut by what is best for the other parts. */
  readonly apart: Counted;
}

/** Above the highest score. */
const NOTHING: Counted = { positives: 0, negatives: 0 };

/**
 * The cut of the highest value, the highest cut of equals; cutting off nothing is one as well.
 *
 * @param value of what lies above, and of all
 */
export function bestCut(
  { cuts, total, parts }: ScoreCuts,
  value: (above: Counted, total: Counted) => number,
): BestCut {
  const best = highest(cuts.length, (at) => value(cuts[at], total), value(NOTHING, total));
  const apart = { positives: 0, negatives: 0 };
  for (const part of parts) {
    const whole = part[part.length - 1];
    const others = less(total, whole);
    const chosen = highest(
      cuts.length,
      (at) => value(less(cuts[at], part[at]), others),
      value(NOTHING, others),
    );
    const above = chosen < 0 ? NOTHING : part[chosen];
    apart.positives += above.positives;
    apart.negatives += above.negatives;
  }
  return { cut: best < 0 ? null : cuts[best], apart };
}

const less = (a: Counted, b: Counted): Counted => ({
  positives: Math.max(0, a.positives - b.positives),
  negatives: Math.max(0, a.negatives - b.negatives),
});

/** The place of the highest value; -1 where none is higher than that of nothing. */
function highest(count: number, valueAt: (at: number) => number, ofNothing: number): number {
  let best = -1;
  let most = ofNothing;
  for (let at = 0; at < count; at++) {
    const value = valueAt(at);
    if (value > most || (Number.isNaN(most) && !Number.isNaN(value))) {
      most = value;
      best = at;
    }
  }
  return best;
}
