/**
 * How much the errors of forecasts grow with the step: their mean size by steps, made to rise (isotonic
 * regression). Of few errors a step the first mean is mostly too small and the last too large, since the
 * luckiest steps end up first; so each is drawn towards a power of the step, of which a lone exponent is asked.
 */

/** Growth is measured over so many stretches of a long horizon. */
const MOST_STRETCHES = 60;
/** Errors of the power's size that each stretch is thought to have besides its own. */
const PRIOR_ROWS = 20;
/** An error counts as at most so many times the median of all. */
const MOST_MEDIANS = 10;
/** 0 = errors that do not grow, 1/2 = those of a random walk. */
const EXPONENTS: readonly number[] = Array.from({ length: 11 }, (_, i) => i / 10);
/** An exponent's logarithm of prior probability is, but for a constant, -20 (exponent - 0.7 / √season)². */
const LIKELY_EXPONENT = 0.7;
const EXPONENT_PRECISION = 20;

/** Where errors are, one a row. */
interface ErrorPlaces {
  /** From 0 on, below the horizon. */
  readonly step: Uint32Array;
  /** Non-negative; null = all 1. */
  readonly weights: Float64Array | null;
}

interface Stretches {
  /** Of each: weighted sum of errors' sizes. */
  readonly sums: Float64Array;
  /** Of each: weight of its errors, as many in all as rows of equal weight would say as much. */
  readonly counts: Float64Array;
}

/** @returns the mean size of errors at a step, from 0 on */
export function growthAt(growth: readonly number[], step: number, horizon: number): number {
  return growth[Math.min(growth.length - 1, Math.floor((step * growth.length) / horizon))];
}

/**
 * @param scaled errors over the scale of their series, one a row
 * @param season steps of the shortest one: within it errors grow less; 1: none
 * @returns of stretches of the horizon, equally long: mean size of errors, rising and positive; 1 without errors
 */
export function growthOf(
  scaled: Float64Array,
  rows: ErrorPlaces,
  horizon: number,
  season = 1,
): number[] {
  const own = stretchesOf(scaled, rows, horizon);
  const length = own.sums.length;
  const sum = own.sums.reduce((a, b) => a + b, 0);
  const total = sum / own.counts.reduce((a, b) => a + b, 0);
  if (!(total > 0)) return new Array<number>(length).fill(1);
  const power = powerOf(own, LIKELY_EXPONENT / Math.sqrt(season));
  const rising = isotonic({
    sums: own.sums.map((each, s) => each + PRIOR_ROWS * power[s]),
    counts: own.counts.map((each) => each + PRIOR_ROWS),
  });
  return rising.map((each) => Math.max(each, 1e-3 * total));
}

function stretchesOf(
  scaled: Float64Array,
  { step, weights }: ErrorPlaces,
  horizon: number,
): Stretches {
  const length = Math.min(horizon, MOST_STRETCHES);
  const sums = new Float64Array(length);
  const counts = new Float64Array(length);
  let [all, squares] = [0, 0];
  const most = mostOf(scaled);
  for (const [i, each] of scaled.entries()) {
    const weight = weights === null ? 1 : weights[i];
    const stretch = Math.floor((step[i] * length) / horizon);
    sums[stretch] += weight * Math.min(most, Math.abs(each));
    counts[stretch] += weight;
    all += weight;
    squares += weight * weight;
  }
  // Kish's effective size: the unit of weights says nothing.
  const unit = squares > 0 ? all / squares : 1;
  return { sums: sums.map((each) => unit * each), counts: counts.map((each) => unit * each) };
}

/** Larger errors, of series that broke off, count as so large; of errors that are mostly 0 none do. */
function mostOf(scaled: Float64Array): number {
  const sizes = scaled.map(Math.abs).sort();
  return MOST_MEDIANS * sizes[Math.floor(sizes.length / 2)] || Number.POSITIVE_INFINITY;
}

/** Sizes that rise by a power of the step: the likeliest one, of errors with Laplace's law. */
function powerOf({ sums, counts }: Stretches, likely: number): Float64Array {
  const all = counts.reduce((a, b) => a + b, 0);
  let best = { likelihood: Number.NEGATIVE_INFINITY, sizes: new Float64Array(sums.length) };
  for (const exponent of EXPONENTS) {
    const shape = sums.map((_, s) => (s + 1) ** exponent);
    let [scale, logarithms] = [0, 0];
    for (const [s, each] of shape.entries()) {
      scale += sums[s] / each / all;
      logarithms += counts[s] * Math.log(each);
    }
    const likelihood =
      -all * Math.log(scale) - logarithms - EXPONENT_PRECISION * (exponent - likely) ** 2;
    if (likelihood > best.likelihood) {
      best = { likelihood, sizes: shape.map((each) => scale * each) };
    }
  }
  return best.sizes;
}

/** Means of stretches, made to rise: pools adjacent violators. */
function isotonic({ sums, counts }: Stretches): number[] {
  const pools: { sum: number; count: number; stretches: number }[] = [];
  for (const [s, sum] of sums.entries()) {
    pools.push({ sum, count: counts[s], stretches: 1 });
    for (;;) {
      const [before, last] = [pools.at(-2), pools.at(-1)];
      if (!before || !last || before.sum / before.count <= last.sum / last.count) break;
      pools.splice(-2, 2, {
        sum: before.sum + last.sum,
        count: before.count + last.count,
        stretches: before.stretches + last.stretches,
      });
    }
  }
  return pools.flatMap(({ sum, count, stretches }) =>
    new Array<number>(stretches).fill(sum / count),
  );
}
