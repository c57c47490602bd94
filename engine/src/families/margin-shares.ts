/** Probabilities of margins, in one order of operations. */

/**
 * The margins of one row become probabilities: one margin that of the second class by the logistic function,
 * several those of the classes by softmax.
 *
 * @param exp of a defined order of operations, so that every machine gives equal bits
 */
export function toShares(margins: Float64Array, exp: (x: number) => number): void {
  if (margins.length === 1) {
    const [margin] = margins;
    const small = exp(-Math.abs(margin));
    margins[0] = margin >= 0 ? 1 / (1 + small) : small / (1 + small);
    return;
  }
  const largest = margins.reduce((most, margin) => Math.max(most, margin), margins[0]);
  let sum = 0;
  for (let k = 0; k < margins.length; k++) {
    margins[k] = exp(margins[k] - largest);
    sum += margins[k];
  }
  for (let k = 0; k < margins.length; k++) margins[k] /= sum;
}
