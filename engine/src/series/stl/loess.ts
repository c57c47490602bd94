/**
 * Local regression on an even grid (loess): at each point a weighted line, or mean, of its nearest
 * neighbours with the tricube weights of Cleveland, J. Am. Stat. Assoc. 74, 1979.
 */

export interface LoessOptions {
  /** Neighbours of each point; more than there are widens the weights by as much. */
  readonly window: number;
  readonly degree: 0 | 1;
  /** Points between two fits; those between them are interpolated. 1 = all are fitted. */
  readonly jump: number;
}

/**
 * The smoothed values at positions `from` … `from + count - 1` of the grid of `values`, whose first is 0;
 * positions may lie outside.
 *
 * @param robustness weights of the values, or null for equal ones
 */
export function loess(
  values: Float64Array,
  { window, degree, jump }: LoessOptions,
  robustness: Float64Array | null,
  from = 0,
  count = values.length,
): Float64Array {
  const smoothed = new Float64Array(count);
  const weights = new Float64Array(values.length);
  const half = window >> 1;
  const centred = robustness === null && window % 2 === 1 ? centredWeights(half) : null;
  const fit = (i: number): number => {
    const at = from + i;
    if (centred !== null && at >= half && at + half < values.length) {
      let sum = 0;
      for (let k = 0; k < window; k++) sum += centred[k] * values[at - half + k];
      return sum;
    }
    return fitAnywhere(i);
  };
  const fitAnywhere = (i: number): number =>
    fitAt(values, from + i, window, degree, robustness, weights) ??
    values[Math.min(values.length - 1, Math.max(0, from + i))];
  for (let i = 0; i < count; i += jump) smoothed[i] = fit(i);
  if (jump > 1) {
    const last = count - 1;
    smoothed[last] = fit(last);
    for (let start = 0; start < last; start += jump) {
      const end = Math.min(start + jump, last);
      const slope = (smoothed[end] - smoothed[start]) / (end - start);
      for (let i = start + 1; i < end; i++) smoothed[i] = smoothed[start] + slope * (i - start);
    }
  }
  return smoothed;
}

/**
 * Of a point that has all its neighbours, half of them on either side: a line through these has the same
 * value there as their mean.
 */
function centredWeights(half: number): Float64Array {
  const weights = new Float64Array(2 * half + 1);
  let total = 0;
  for (let k = 0; k < weights.length; k++) {
    weights[k] = tricube(Math.abs(k - half), half);
    total += weights[k];
  }
  return weights.map((weight) => weight / total);
}

/** Cleveland et al.'s program: nearly the whole reach counts, and the nearest in full. */
function tricube(distance: number, reach: number): number {
  if (distance > 0.999 * reach) return 0;
  if (distance <= 0.001 * reach) return 1;
  const share = distance / reach;
  const rest = 1 - share * share * share;
  return rest * rest * rest;
}

/** Null where all weights vanish. */
function fitAt(
  values: Float64Array,
  at: number,
  window: number,
  degree: 0 | 1,
  robustness: Float64Array | null,
  weights: Float64Array,
): number | null {
  const n = values.length;
  const span = Math.min(window, n);
  const left = Math.max(0, Math.min(n - span, Math.round(at) - (span >> 1)));
  const right = left + span - 1;
  let reach = Math.max(at - left, right - at);
  if (window > n) reach += (window - n) >> 1;
  let total = 0;
  for (let i = left; i <= right; i++) {
    const weight = tricube(Math.abs(i - at), reach) * (robustness === null ? 1 : robustness[i]);
    weights[i] = weight;
    total += weight;
  }
  if (!(total > 0)) return null;
  for (let i = left; i <= right; i++) weights[i] /= total;
  if (degree === 1) {
    let centre = 0;
    for (let i = left; i <= right; i++) centre += weights[i] * i;
    let spread = 0;
    for (let i = left; i <= right; i++) spread += weights[i] * (i - centre) ** 2;
    if (Math.sqrt(spread) > 0.001 * (n - 1)) {
      const slope = (at - centre) / spread;
      for (let i = left; i <= right; i++) weights[i] *= 1 + slope * (i - centre);
    }
  }
  let sum = 0;
  for (let i = left; i <= right; i++) sum += weights[i] * values[i];
  return sum;
}
