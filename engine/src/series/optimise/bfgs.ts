/**
 * The BFGS method: minimises a smooth function from its values and gradients. Nocedal & Wright,
 * "Numerical optimization", 2nd ed., ch. 3 (line search) and 6 (algorithm 6.1, the first scaling 6.20).
 */

/** Writes the gradient at `x` into `gradient`, and returns the value; Infinity where there is none. */
export type Objective = (x: Float64Array, gradient: Float64Array) => number;

export interface BfgsOptions {
  readonly maxIterations: number;
  /** Ends where two steps in a row lowered the value by no more than this. */
  readonly tolerance: number;
  /** Longest first step, in the units of x. */
  readonly firstStep: number;
}

export interface BfgsMinimum {
  readonly x: Float64Array;
  readonly value: number;
  readonly iterations: number;
}

/** Share of the promised decrease that a step must keep, and of the slope that it may leave. */
const ARMIJO = 1e-4;
const CURVATURE = 0.9;

/** @param start a point at which the objective is finite; it is not changed */
export function minimiseBfgs(
  objective: Objective,
  start: Float64Array,
  options: BfgsOptions,
): BfgsMinimum {
  const { maxIterations, tolerance, firstStep } = options;
  const n = start.length;
  let x = start.slice();
  let gradient = new Float64Array(n);
  let value = objective(x, gradient);
  let next = new Float64Array(n);
  let nextGradient = new Float64Array(n);
  const inverse = new Float64Array(n * n);
  const direction = new Float64Array(n);
  const image = new Float64Array(n);
  const reset = (diagonal: number): void => {
    inverse.fill(0);
    for (let i = 0; i < n; i++) inverse[i * n + i] = diagonal;
  };
  reset(firstStep / Math.max(norm(gradient), 1e-300));
  let fresh = true;
  let still = 0;
  let iterations = 0;
  while (iterations < maxIterations && still < 2) {
    let slope = 0;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum -= inverse[i * n + j] * gradient[j];
      direction[i] = sum;
      slope += sum * gradient[i];
    }
    if (!(slope < 0)) break;
    iterations++;

    // Bisection between steps that are too long and too short (weak Wolfe conditions).
    let low = 0;
    let high = Number.POSITIVE_INFINITY;
    let step = 1;
    let nextValue = Number.POSITIVE_INFINITY;
    let found = false;
    for (let tries = 0; tries < 30; tries++) {
      for (let i = 0; i < n; i++) next[i] = x[i] + step * direction[i];
      nextValue = objective(next, nextGradient);
      if (!(nextValue <= value + ARMIJO * step * slope)) {
        high = step;
        const bend = nextValue - value - step * slope;
        // The minimum of the parabola through what is known, where that is one.
        const fitted = Number.isFinite(bend) && low === 0 ? (-slope * step * step) / (2 * bend) : 0;
        step = fitted > 0.1 * high && fitted < 0.7 * high ? fitted : (low + high) / 2;
        continue;
      }
      found = true;
      if (dot(direction, nextGradient) >= CURVATURE * slope) break;
      low = step;
      step = high === Number.POSITIVE_INFINITY ? 2 * step : (low + high) / 2;
      if (tries > 8) break;
    }
    if (!found) {
      if (fresh) break;
      // The model of the curvature may be to blame: once more, downhill.
      reset(firstStep / Math.max(norm(gradient), 1e-300));
      fresh = true;
      continue;
    }
    still = value - nextValue <= tolerance ? still + 1 : 0;

    // s = next - x (in `direction`), y = change of the gradient (in `gradient`).
    let sy = 0;
    let yy = 0;
    for (let i = 0; i < n; i++) {
      direction[i] = next[i] - x[i];
      gradient[i] = nextGradient[i] - gradient[i];
      sy += direction[i] * gradient[i];
      yy += gradient[i] * gradient[i];
    }
    if (sy > 1e-12 * yy && sy > 0) {
      if (fresh) reset(sy / yy);
      fresh = false;
      let curve = 0;
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += inverse[i * n + j] * gradient[j];
        image[i] = sum;
        curve += sum * gradient[i];
      }
      const weight = (1 + curve / sy) / sy;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          inverse[i * n + j] +=
            weight * direction[i] * direction[j] -
            (image[i] * direction[j] + direction[i] * image[j]) / sy;
        }
      }
    }
    value = nextValue;
    [x, next] = [next, x];
    [gradient, nextGradient] = [nextGradient, gradient];
  }
  return { x, value, iterations };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const norm = (a: Float64Array): number => Math.sqrt(dot(a, a));
