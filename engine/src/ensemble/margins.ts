/** Between probabilities and the margins (log-odds, log-probabilities) that models add up. */

/**
 * Probabilities are kept this far from 0 and 1 on their way to a margin: a forest says 0 where its
 * hundred trees agree, which is no certainty.
 */
export const MARGIN_EPSILON = 1e-6;

export function clippedProbability(probability: number): number {
  return Math.min(1 - MARGIN_EPSILON, Math.max(MARGIN_EPSILON, probability));
}

export function logistic(margin: number): number {
  return 1 / (1 + Math.exp(-margin));
}

/** Log-odds of a probability, which is clipped first. */
export function logOdds(probability: number): number {
  const clipped = clippedProbability(probability);
  return Math.log(clipped / (1 - clipped));
}

/** Softmax of `margins[offset…offset + count)` into the same places of `out`. */
export function softmaxInto(
  margins: Float64Array,
  offset: number,
  count: number,
  out: Float64Array,
): void {
  let highest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < count; k++) highest = Math.max(highest, margins[offset + k]);
  let sum = 0;
  for (let k = 0; k < count; k++) {
    const power = Math.exp(margins[offset + k] - highest);
    out[offset + k] = power;
    sum += power;
  }
  for (let k = 0; k < count; k++) out[offset + k] /= sum;
}

/** The margin of a probability: its log-odds with one output, its logarithm with more. */
export function marginOf(probability: number, outputs: number): number {
  return outputs === 1 ? logOdds(probability) : Math.log(clippedProbability(probability));
}

/** The margin of each probability. */
export function marginsOf(probabilities: Float64Array, outputs: number): Float64Array {
  const margins = new Float64Array(probabilities.length);
  for (let i = 0; i < margins.length; i++) margins[i] = marginOf(probabilities[i], outputs);
  return margins;
}

/** The inverse: logistic with one output, softmax by row with more. */
export function probabilitiesOf(margins: Float64Array, outputs: number): Float64Array {
  const out = new Float64Array(margins.length);
  if (outputs === 1) {
    for (let i = 0; i < out.length; i++) out[i] = logistic(margins[i]);
    return out;
  }
  for (let at = 0; at < margins.length; at += outputs) softmaxInto(margins, at, outputs, out);
  return out;
}
