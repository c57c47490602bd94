/**
 * Whether probabilities mean what they say: bins of equally many rows by the probability given,
 * and the share of each that came true (a reliability diagram; Niculescu-Mizil & Caruana, ICML'05),
 * with Wilson's 95 % interval of that share.
 */

import { ascendingOrder } from "../../compute/ascending-order.ts";
import { wilson } from "../../metrics/wilson.ts";

export interface ReliabilityBin {
  /** Mean probability given. */
  readonly predicted: number;
  /** Share that came true. */
  readonly observed: number;
  /** Wilson's 95 % interval of `observed`. */
  readonly low: number;
  readonly high: number;
  readonly rows: number;
}

export interface Reliability {
  /** By ascending probability; none is empty. */
  readonly bins: readonly ReliabilityBin[];
  /** Mean distance of observed from predicted over the bins, by their weight. */
  readonly calibrationError: number;
}

const RELIABILITY_BINS = 10;

/**
 * @param probabilities one a row
 * @param outcomes 1 where it came true, else 0
 * @param weights non-negative, or null for equal ones
 */
export function reliability(
  probabilities: Float64Array,
  outcomes: Uint8Array,
  weights: Float64Array | null,
): Reliability {
  const order = ascendingOrder(probabilities);
  const edges = innerQuantiles(probabilities, order, RELIABILITY_BINS);
  const sums = Array.from({ length: RELIABILITY_BINS }, () => ({
    weight: 0,
    predicted: 0,
    observed: 0,
    rows: 0,
  }));
  let bin = 0;
  for (const row of order) {
    while (bin < edges.length && probabilities[row] > edges[bin]) bin++;
    const weight = weights === null ? 1 : weights[row];
    sums[bin].weight += weight;
    sums[bin].predicted += weight * probabilities[row];
    sums[bin].observed += weight * outcomes[row];
    sums[bin].rows++;
  }
  const total = sums.reduce((sum, { weight }) => sum + weight, 0);
  const bins: ReliabilityBin[] = [];
  let calibrationError = 0;
  for (const { weight, rows, ...sum } of sums) {
    if (!(weight > 0)) continue;
    const predicted = sum.predicted / weight;
    const observed = sum.observed / weight;
    bins.push({ predicted, observed, ...wilson(observed, rows), rows });
    calibrationError += (weight / total) * Math.abs(observed - predicted);
  }
  return { bins, calibrationError };
}

/** The quantiles 1/n … (n-1)/n, linear between the two nearest values. */
function innerQuantiles(values: Float64Array, order: Uint32Array, parts: number): number[] {
  return Array.from({ length: parts - 1 }, (_, i) => {
    const place = ((i + 1) / parts) * (values.length - 1);
    const low = values[order[Math.floor(place)]];
    const high = values[order[Math.ceil(place)]];
    return low + (place - Math.floor(place)) * (high - low);
  });
}
