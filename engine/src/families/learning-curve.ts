/** How a fit's loss on held-out rows went, iteration by iteration; for people who look. */

/** At most `CURVE_POINTS` of the iterations, ascending; the first, the last and the best are there. */
export interface LearningCurve {
  /** What `values` are means of, over the validation rows, in the label's units: `squared_error`, `pinball` or `log_loss`. */
  readonly loss: string;
  /** Counted from 1. */
  readonly iterations: readonly number[];
  readonly values: readonly number[];
}

export const CURVE_POINTS = 60;
const DIGITS = 6;

/** The same where losses are so many times as much. */
export function curveTimes(curve: LearningCurve, times: number): LearningCurve {
  const values = curve.values.map((value) => Number((times * value).toPrecision(DIGITS)));
  return { ...curve, values };
}

/** @param losses one an iteration, from the first on; not empty */
export function learningCurve(loss: string, losses: ArrayLike<number>): LearningCurve {
  const last = losses.length - 1;
  let best = 0;
  for (let i = 1; i <= last; i++) if (losses[i] < losses[best]) best = i;
  const kept = new Set([best, last]);
  const spaced = Math.min(losses.length, CURVE_POINTS - 2);
  for (let i = 0; i < spaced; i++) {
    kept.add(spaced === 1 ? 0 : Math.round((i * last) / (spaced - 1)));
  }
  const places = [...kept].sort((a, b) => a - b);
  return {
    loss,
    iterations: places.map((place) => place + 1),
    values: places.map((place) => Number(losses[place].toPrecision(DIGITS))),
  };
}
