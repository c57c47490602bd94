/**
 * Dynamic time warping of series whose steps are vectors of channels, f64, steps one after another
 * (channels of a step beside each other): the least sum of squared distances of steps along a path
 * that moves forward in both and keeps within a band (Sakoe & Chiba 1978), and lower bounds of it
 * (Kim, Park & Chu 2001, from the ends; Keogh & Ratanamahatana 2005, from an envelope).
 */

/** Squared distance of two steps. */
function squares(a: usize, b: usize, channels: i32): f64 {
  let sum: f64 = 0;
  for (let c = 0; c < channels; c++) {
    const difference = load<f64>(a) - load<f64>(b);
    sum += difference * difference;
    a += 8;
    b += 8;
  }
  return sum;
}

/**
 * @param window most steps between the places of a path in the two; at least the difference in length
 * @param cutoff ends with Infinity as soon as no path can be within it
 * @param scratch f64 × steps of b
 */
export function dtwDistance(
  a: usize,
  aSteps: i32,
  b: usize,
  bSteps: i32,
  channels: i32,
  window: i32,
  cutoff: f64,
  scratch: usize,
): f64 {
  const step = (<usize>channels) << 3;
  for (let j = 0; j < bSteps; j++) store<f64>(scratch + ((<usize>j) << 3), Infinity);
  for (let i = 0; i < aSteps; i++) {
    const from = max(0, i - window);
    const to = min(bSteps - 1, i + window);
    const x = a + <usize>i * step;
    // What lies diagonally before, and beside.
    let before: f64 =
      i === 0 ? 0 : from > 0 ? load<f64>(scratch + ((<usize>(from - 1)) << 3)) : Infinity;
    let beside: f64 = Infinity;
    let least: f64 = Infinity;
    let at = scratch + ((<usize>from) << 3);
    if (channels === 1) {
      const value = load<f64>(x);
      let y = b + ((<usize>from) << 3);
      for (let j = from; j <= to; j++) {
        const above = load<f64>(at);
        const difference = value - load<f64>(y);
        beside = min(min(above, before), beside) + difference * difference;
        before = above;
        store<f64>(at, beside);
        least = min(least, beside);
        at += 8;
        y += 8;
      }
    } else {
      let y = b + <usize>from * step;
      for (let j = from; j <= to; j++) {
        const above = load<f64>(at);
        beside = min(min(above, before), beside) + squares(x, y, channels);
        before = above;
        store<f64>(at, beside);
        least = min(least, beside);
        at += 8;
        y += step;
      }
    }
    if (least > cutoff) return Infinity;
  }
  return load<f64>(scratch + ((<usize>(bSteps - 1)) << 3));
}

/** The least and the largest value of each channel within `window` steps of each step. */
export function dtwEnvelope(
  a: usize,
  steps: i32,
  channels: i32,
  window: i32,
  lower: usize,
  upper: usize,
): void {
  for (let c = 0; c < channels; c++) {
    for (let i = 0; i < steps; i++) {
      const from = max(0, i - window);
      const to = min(steps - 1, i + window);
      const place = (<usize>(i * channels + c)) << 3;
      let low: f64 = Infinity;
      let high: f64 = -Infinity;
      // Where the last step's extremes are still within, only the newest value is looked at.
      if (i > 0) {
        const previous = (<usize>((i - 1) * channels + c)) << 3;
        const low0 = load<f64>(lower + previous);
        const high0 = load<f64>(upper + previous);
        const left = from > 0 ? load<f64>(a + ((<usize>((from - 1) * channels + c)) << 3)) : NaN;
        const newest = load<f64>(a + ((<usize>(to * channels + c)) << 3));
        if (from === 0 || left > low0) low = min(low0, newest);
        if (from === 0 || left < high0) high = max(high0, newest);
      }
      if (low === Infinity || high === -Infinity) {
        let least: f64 = Infinity;
        let most: f64 = -Infinity;
        for (let j = from; j <= to; j++) {
          const value = load<f64>(a + ((<usize>(j * channels + c)) << 3));
          least = min(least, value);
          most = max(most, value);
        }
        low = least;
        high = most;
      }
      store<f64>(lower + place, low);
      store<f64>(upper + place, high);
    }
  }
}

/**
 * At most the distance of a and b: that of their ends, and of b from the envelope of a where there is
 * one for every step of b within its window (`enveloped` = 1, which needs steps of b that reach no
 * further than the window beyond a's).
 */
export function dtwBound(
  a: usize,
  aSteps: i32,
  b: usize,
  bSteps: i32,
  channels: i32,
  enveloped: i32,
  lower: usize,
  upper: usize,
): f64 {
  const step = (<usize>channels) << 3;
  let ends = squares(a, b, channels);
  if (aSteps > 1 || bSteps > 1) {
    ends += squares(a + <usize>(aSteps - 1) * step, b + <usize>(bSteps - 1) * step, channels);
  }
  if (enveloped === 0) return ends;
  let sum: f64 = 0;
  for (let i: usize = 0; i < (<usize>(bSteps * channels)) << 3; i += 8) {
    const value = load<f64>(b + i);
    const over = value - load<f64>(upper + i);
    const under = load<f64>(lower + i) - value;
    const out = max(max(over, under), 0);
    sum += out * out;
  }
  return max(ends, sum);
}
