/**
 * Weights of observations by age: the newest 25 count fully, older ones ramp linearly from 1/n for
 * the oldest, so that an estimator follows the search (Bergstra, Yamins, Cox, "Making a science of
 * model search", ICML 2013, as in Hyperopt's linear forgetting).
 */

const FLAT = 25;

/** The weight of observation `index` of `count`, the oldest being 0; not normalised. */
export function ageWeight(index: number, count: number): number {
  const ramp = count - FLAT;
  if (index >= ramp) return 1;
  if (ramp === 1) return 1 / count;
  return 1 / count + ((1 - 1 / count) * index) / (ramp - 1);
}
