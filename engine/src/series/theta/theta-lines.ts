/**
 * The theta models as one linear regression. With l0 the initial level, omega = 1 - 1/theta and alpha the
 * smoothing of the level, Fiorucci et al. 2016 (eq. 8 to 11 for the static, 13 to 18 for the dynamic
 * models) forecast step t by
 *
 *     mu(t) = l(t-1) + omega * line(t),   line(t) = (1-alpha)^(t-1) A + (1 - (1-alpha)^t) / alpha B
 *     l(t)  = alpha y(t) + (1-alpha) l(t-1)
 *
 * where A and B are the least-squares line of all values (static) or of those before t (dynamic). Given
 * alpha, both l0 and omega enter linearly, so that their best values are those of a least-squares problem
 * of two unknowns and the search is over alpha alone (variable projection: Golub & Pereyra, SIAM J. Numer.
 * Anal. 10(2), 1973).
 */

export interface ThetaKind {
  /** Is the line fitted to all values before each step, and not once to all? */
  readonly dynamic: boolean;
  /** 1 - 1/theta: a number where it is fixed, null where it is fitted, from 0 to 1. */
  readonly omega: number | null;
}

/** The least-squares line of values over t = 1 … n. */
interface Line {
  readonly intercept: number;
  readonly slope: number;
}

/** Errors of the first steps are not counted: before three values there is no line to speak of. */
export const SKIPPED = 3;

function staticLine(values: Float64Array): Line {
  const n = values.length;
  let mean = 0;
  let moment = 0;
  for (let t = 0; t < n; t++) {
    mean += values[t] / n;
    moment += (values[t] * (t + 1)) / n;
  }
  const slope = n > 1 ? (6 * (2 * moment - (n + 1) * mean)) / (n * n - 1) : 0;
  return { intercept: mean - (slope * (n + 1)) / 2, slope };
}

/** Lines of growing histories, one value after another. */
class GrowingLine {
  intercept = 0;
  slope = 0;
  #mean = 0;
  #count = 0;

  add(value: number): void {
    const t = ++this.#count;
    // Eq. 16 to 18: the least-squares line of t values from that of t - 1.
    this.slope = ((t - 2) * this.slope + (6 * (value - this.#mean)) / t) / (t + 1);
    if (t === 1) this.slope = 0;
    this.#mean += (value - this.#mean) / t;
    this.intercept = this.#mean - (this.slope * (t + 1)) / 2;
  }
}

/** A, B at each step of a history: what the line is before that value comes. */
export interface LineHistory {
  readonly intercepts: Float64Array;
  readonly slopes: Float64Array;
}

export function lineHistory(values: Float64Array, dynamic: boolean): LineHistory {
  const n = values.length;
  const intercepts = new Float64Array(n);
  const slopes = new Float64Array(n);
  if (dynamic) {
    const line = new GrowingLine();
    for (let t = 0; t < n; t++) {
      intercepts[t] = line.intercept;
      slopes[t] = line.slope;
      line.add(values[t]);
    }
  } else {
    const { intercept, slope } = staticLine(values);
    intercepts.fill(intercept);
    slopes.fill(slope);
  }
  return { intercepts, slopes };
}

export interface ThetaFit {
  readonly initialLevel: number;
  readonly omega: number;
  /** Sum of squared one-step errors from step `SKIPPED` on, the prior's among them. */
  readonly error: number;
}

/**
 * The best initial level and omega at one alpha. `prior` such observations more say that
 * l0 + omega y(1) = y(1), a level from which the model's line begins at the first value: errors of the
 * first steps are not counted, and where alpha is large nothing else tells l0.
 *
 * @param values of `SKIPPED` and fewer nothing but that prior tells l0
 * @param omega where it is fixed, else null
 */
export function fitAtAlpha(
  values: Float64Array,
  lines: LineHistory,
  alpha: number,
  omega: number | null,
  prior = 1,
): ThetaFit {
  const { intercepts, slopes } = lines;
  const n = values.length;
  const keep = 1 - alpha;
  // Sums of products of the regression's three columns: that of l0, that of omega, and the rest. The
  // first is scaled to begin with 1, so that alpha near 1 loses no digits.
  const scale = 1 / keep ** SKIPPED;
  const first = values[0];
  let pp = prior * scale * scale;
  let pl = prior * scale * first;
  let pr = pl;
  let ll = prior * first * first;
  let lr = ll;
  let rr = ll;
  let power = 1;
  let level = 0;
  for (let t = 0; t < n; t++) {
    const y = values[t];
    if (t >= SKIPPED) {
      const p = power * scale;
      const line = power * intercepts[t] + ((1 - power * keep) / alpha) * slopes[t];
      const rest = y - level;
      pp += p * p;
      pl += p * line;
      pr += p * rest;
      ll += line * line;
      lr += line * rest;
      rr += rest * rest;
    }
    level = alpha * y + keep * level;
    power *= keep;
  }
  let weight = omega ?? 0.5;
  if (omega === null) {
    const determinant = pp * ll - pl * pl;
    if (determinant > 1e-12 * pp * ll) {
      weight = Math.min(1, Math.max(0, (pp * lr - pl * pr) / determinant));
    }
  }
  const initial = (pr - weight * pl) / pp;
  const error =
    rr -
    2 * (initial * pr + weight * lr) +
    initial * initial * pp +
    2 * initial * weight * pl +
    weight * weight * ll;
  return { initialLevel: initial * scale, omega: weight, error: Math.max(0, error) };
}

export interface ThetaState {
  readonly dynamic: boolean;
  readonly alpha: number;
  readonly omega: number;
  readonly initialLevel: number;
}

/** Runs the model over the values, then on with its own forecasts in place of values. */
export function extendTheta(
  values: Float64Array,
  horizon: number,
  state: ThetaState,
): Float64Array {
  const { dynamic, alpha, omega } = state;
  const keep = 1 - alpha;
  let level = state.initialLevel;
  let power = 1;
  for (const value of values) {
    level = alpha * value + keep * level;
    power *= keep;
  }
  const growing = new GrowingLine();
  if (dynamic) for (const value of values) growing.add(value);
  const line = dynamic ? growing : staticLine(values);
  const forecasts = new Float64Array(horizon);
  for (let h = 0; h < horizon; h++) {
    const trend = power * line.intercept + ((1 - power * keep) / alpha) * line.slope;
    const value = level + omega * trend;
    forecasts[h] = value;
    level = alpha * value + keep * level;
    power *= keep;
    if (dynamic) growing.add(value);
  }
  return forecasts;
}
