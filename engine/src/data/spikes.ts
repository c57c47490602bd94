/**
 * A series without the one value, or the few, that were far from all others for a moment: an outage, a mistyped digit. They
 * are no example of how the series moves, but smoothing, lags and scales remember them for long (additive outliers: Chen &
 * Liu, "Joint estimation of model parameters and outlier effects in time series", JASA 88(421), 1993). Two spikes may be
 * something that comes again. `docs/decisions/forecasting.md` has what was measured.
 */

/** By how many times the way to the spike, and the way back, are longer than the largest other change. */
const CLEAR = 4;
/** Steps that are a spike at most; beyond, the level has shifted, twice. */
const MOST_STEPS = 3;

/**
 * @param history finite
 * @param changes from each step to the next, beyond what changes each season: one less than values
 * @returns the same where there is no spike that it has come back from, and where it rests at half of its steps or more
 */
export function withoutSpike(history: Float64Array, changes: Float64Array): Float64Array {
  const sizes = changes.map(Math.abs);
  const ascending = sizes.toSorted();
  const count = ascending.length;
  if (count < 3 || ascending[count >> 1] === 0) return history;
  const [other, least] = [ascending[count - 3], ascending[count - 2]];
  if (least < CLEAR * other) return history;
  const there = sizes.findIndex((size) => size >= least);
  const back = sizes.findLastIndex((size) => size >= least);
  const isThereAndBack = changes[there] > 0 !== changes[back] > 0;
  if (!isThereAndBack || back - there > MOST_STEPS) return history;
  // What is left of the longer way is by how much the level has moved beside it.
  const height = Math.sign(changes[there]) * Math.min(sizes[there], sizes[back]);
  return history.map((value, t) => (t > there && t <= back ? value - height : value));
}
