/**
 * A minimum of a function of one number on an interval: a walk downhill over an even grid, then a search
 * with parabolic steps between the neighbours of where it ended. Brent, "Algorithms for minimization
 * without derivatives", 1973, ch. 5.
 */

const GOLDEN = (3 - Math.sqrt(5)) / 2;

export interface ScalarSearch {
  readonly low: number;
  readonly high: number;
  /** Where the walk begins: of several minima, the one that it comes to is found. */
  readonly start: number;
  /** Between points of the grid. */
  readonly step: number;
  /** Width at which the search ends. */
  readonly tolerance: number;
}

/** @returns where the function is least; non-finite values count as larger than all others */
export function minimiseScalar(of: (x: number) => number, search: ScalarSearch): number {
  const { low, high, step, tolerance } = search;
  const at = (x: number): number => {
    const value = of(x);
    return Number.isFinite(value) ? value : Number.POSITIVE_INFINITY;
  };
  const within = (x: number): number => Math.min(high, Math.max(low, x));
  let x = within(search.start);
  let value = at(x);
  for (const direction of [-step, step]) {
    let moved = false;
    while (x !== within(x + direction)) {
      const next = at(within(x + direction));
      if (next >= value) break;
      x = within(x + direction);
      value = next;
      moved = true;
    }
    if (moved) break;
  }
  return brent(at, within(x - step), within(x + step), x, value, tolerance);
}

function brent(
  of: (x: number) => number,
  low: number,
  high: number,
  start: number,
  startValue: number,
  tolerance: number,
): number {
  let [a, b] = [low, high];
  // The best three points so far, the best first.
  let [x, w, v] = [start, start, start];
  let [fx, fw, fv] = [startValue, startValue, startValue];
  let step = 0;
  let before = 0;
  for (let round = 0; round < 60; round++) {
    const middle = (a + b) / 2;
    if (Math.abs(x - middle) <= 2 * tolerance - (b - a) / 2) break;
    let golden = true;
    if (Math.abs(before) > tolerance) {
      const r = (x - w) * (fx - fv);
      const q = (x - v) * (fx - fw);
      let p = (x - v) * q - (x - w) * r;
      let d = 2 * (q - r);
      if (d > 0) p = -p;
      d = Math.abs(d);
      const older = before;
      before = step;
      if (Math.abs(p) < Math.abs(0.5 * d * older) && p > d * (a - x) && p < d * (b - x)) {
        step = p / d;
        const at = x + step;
        if (at - a < 2 * tolerance || b - at < 2 * tolerance) {
          step = x < middle ? tolerance : -tolerance;
        }
        golden = false;
      }
    }
    if (golden) {
      before = x < middle ? b - x : a - x;
      step = GOLDEN * before;
    }
    const u = x + (Math.abs(step) >= tolerance ? step : step > 0 ? tolerance : -tolerance);
    const fu = of(u);
    if (fu <= fx) {
      if (u < x) b = x;
      else a = x;
      [v, w, x] = [w, x, u];
      [fv, fw, fx] = [fw, fx, fu];
    } else {
      if (u < x) a = u;
      else b = u;
      if (fu <= fw || w === x) {
        [v, w] = [w, u];
        [fv, fw] = [fw, fu];
      } else if (fu <= fv || v === x || v === w) {
        v = u;
        fv = fu;
      }
    }
  }
  return x;
}
