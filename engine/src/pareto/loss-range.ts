/** Losses of several metrics made comparable: 0 at the ideal point, 1 at the nadir point. */

import { type Losses, paretoFront } from "../search/dominance/index.ts";

export interface LossRange {
  /** The best of each metric. */
  readonly ideal: Losses;
  /** The worst of each metric among the points that none dominates. */
  readonly nadir: Losses;
}

/**
 * Of a finite set both are known exactly: the front is the points that no other dominates (so the
 * nadir needs none of the estimates that a continuous problem does).
 *
 * @param points finite, at least one
 */
export function rangeOfFront(points: readonly Losses[]): LossRange {
  const front = paretoFront(points).map((place) => points[place]);
  const extreme = (of: (...losses: number[]) => number): number[] =>
    points[0].map((_, metric) => of(...front.map((point) => point[metric])));
  return { ideal: extreme(Math.min), nadir: extreme(Math.max) };
}

/** The width of the range in one metric; 1 where the front has one value. */
export function spanOf({ ideal, nadir }: LossRange, metric: number): number {
  return nadir[metric] > ideal[metric] ? nadir[metric] - ideal[metric] : 1;
}

/** The losses on the scale of the range. */
export function normalised(losses: Losses, range: LossRange): number[] {
  return losses.map((loss, metric) => (loss - range.ideal[metric]) / spanOf(range, metric));
}

/**
 * Undefined losses (NaN, infinite) as worse than any defined loss of that metric; 0 where a metric
 * is defined for no point, so that it decides nothing.
 */
export function withoutUndefined(points: readonly Losses[]): number[][] {
  const worse = points[0].map((_, metric) => {
    const defined = points.map((point) => point[metric]).filter(Number.isFinite);
    if (defined.length === 0) return 0;
    const worst = Math.max(...defined);
    return worst + Math.max(1, worst - Math.min(...defined));
  });
  return points.map((point) =>
    point.map((loss, metric) => (Number.isFinite(loss) ? loss : worse[metric])),
  );
}
