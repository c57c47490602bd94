/**
 * Where the scaling of a series' fluctuations changes: the share of timescales in the first of two regimes,
 * by the range or the root mean square of what straight lines leave of the cumulated series in windows of
 * each timescale (SC_FluctAnal of catch22 as the authors' library computes it; Peng et al. 1994, "Mosaic
 * organization of DNA nucleotides", for the windows).
 */

const TIMESCALES = 50;
const SHORTEST = 5;
/** Cumulated steps. */
const LEAST_STEPS = 10;
/** Timescales of a regime. */
const LEAST_OF_REGIME = 8;

/**
 * @param lag every such step is cumulated
 * @returns 1, which is one regime, where the series is too short for two
 */
export function firstRegime(values: Float64Array, lag: number, by: "range" | "square"): number {
  const cumulated = new Float64Array(Math.ceil(values.length / lag));
  for (let i = 0, sum = 0; i < cumulated.length; i++) {
    sum += values[i * lag];
    cumulated[i] = sum;
  }
  if (cumulated.length < LEAST_STEPS) return 1;
  const scales = timescales(cumulated.length >> 1);
  const least = Math.max(LEAST_OF_REGIME, Math.round(0.25 * scales.length));
  if (scales.length < 2 * least) return 1;
  const x = Float64Array.from(scales, Math.log);
  const y = Float64Array.from(scales, (scale) => Math.log(fluctuation(cumulated, scale, by)));
  const errors: number[] = [];
  for (let first = least; first <= scales.length - least; first++) {
    // The regimes share the point where they meet.
    errors.push(
      lineError(x.subarray(0, first), y.subarray(0, first)) +
        lineError(x.subarray(first - 1), y.subarray(first - 1)),
    );
  }
  const best = Math.min(...errors);
  // Of splits that rounding alone tells apart, the first.
  const split = errors.findIndex((error) => error <= best * (1 + 1e-9));
  return (least + Math.max(0, split)) / scales.length;
}

/** On a logarithmic scale, as whole steps, each once. */
function timescales(longest: number): number[] {
  const [low, high] = [Math.log(SHORTEST), Math.log(longest)];
  const all = Array.from({ length: TIMESCALES }, (_, i) =>
    i === TIMESCALES - 1
      ? longest
      : Math.round(Math.exp(low + (i * (high - low)) / (TIMESCALES - 1))),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Root of the mean, over whole windows, of the squared range (or over their steps, of the squares). */
function fluctuation(values: Float64Array, scale: number, by: "range" | "square"): number {
  const windows = Math.floor(values.length / scale);
  const steps = Float64Array.from({ length: scale }, (_, i) => i + 1);
  let sum = 0;
  for (let window = 0; window < windows; window++) {
    const left = lineResiduals(steps, values.subarray(window * scale, (window + 1) * scale));
    if (by === "square") {
      for (const residual of left) sum += residual * residual;
      continue;
    }
    let [least, most] = [Infinity, -Infinity];
    for (const residual of left) {
      least = Math.min(least, residual);
      most = Math.max(most, residual);
    }
    sum += (most - least) ** 2;
  }
  return Math.sqrt(sum / (by === "square" ? windows * scale : windows));
}

function lineError(x: Float64Array, y: Float64Array): number {
  return lineResiduals(x, y).reduce((sum, residual) => sum + residual * residual, 0);
}

/** What the straight line of least squares leaves. */
function lineResiduals(x: Float64Array, y: Float64Array): Float64Array {
  let [meanX, meanY] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    meanX += x[i] / x.length;
    meanY += y[i] / x.length;
  }
  let [product, squares] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    product += (x[i] - meanX) * (y[i] - meanY);
    squares += (x[i] - meanX) ** 2;
  }
  const slope = squares > 0 ? product / squares : 0;
  return y.map((value, i) => value - meanY - slope * (x[i] - meanX));
}
