/** From what the weights of a sweep chose to the front of models that is kept. */

import {
  dominates,
  hypervolume,
  type Losses,
  selectByHypervolume,
} from "../search/dominance/index.ts";
import { type LossRange, normalised } from "./loss-range.ts";

/**
 * The reference point of the hypervolume on the scale of the front: a little beyond the nadir, so
 * that the ends of the front count (Ishibuchi, Imada, Setoguchi, Nojima, "How to specify a reference
 * point in hypervolume calculation for fair performance comparison", 2018).
 */
export const REFERENCE = 1.1;

export interface Front {
  /** Places of the points that are kept: ascending in the first loss, ties by the next. */
  readonly kept: readonly number[];
  /** How many were left out because another point dominates or equals them. */
  readonly dominated: number;
  /** How many of the front were left out to keep to `most`. */
  readonly bounded: number;
  /**
   * The share of the box between the ideal and the reference point that the kept points dominate;
   * 1 would be the ideal in every metric at once.
   */
  readonly hypervolume: number;
}

/**
 * Keeps what no other point dominates; of equal points the first. Where that is more than `most`,
 * the best of each metric and then those that add most hypervolume.
 *
 * @param points finite, at least one
 * @param most at least the number of metrics
 */
export function keepFront(points: readonly Losses[], range: LossRange, most: number): Front {
  const front = [...points.keys()].filter((place) => isOnFront(points, place));
  const scaled = points.map((losses) => normalised(losses, range));
  const reference = points[0].map(() => REFERENCE);
  const kept = front.length > most ? spread(front, scaled, reference, most) : front;
  kept.sort((a, b) => lexicographic(points[a], points[b]) || a - b);
  const box = REFERENCE ** reference.length;
  return {
    kept,
    dominated: points.length - front.length,
    bounded: front.length - kept.length,
    hypervolume:
      hypervolume(
        kept.map((place) => scaled[place]),
        reference,
      ) / box,
  };
}

function isOnFront(points: readonly Losses[], place: number): boolean {
  return points.every(
    (other, at) =>
      !dominates(other, points[place]) &&
      !(at < place && other.every((loss, metric) => loss === points[place][metric])),
  );
}

function spread(
  front: readonly number[],
  scaled: readonly Losses[],
  reference: Losses,
  most: number,
): number[] {
  const kept = new Set(
    reference.map((_, metric) =>
      front.reduce((best, place) => (scaled[place][metric] < scaled[best][metric] ? place : best)),
    ),
  );
  const points = front.map((place) => scaled[place]);
  for (const place of selectByHypervolume(points, most, reference)) {
    if (kept.size < most) kept.add(front[place]);
  }
  return [...kept];
}

function lexicographic(a: Losses, b: Losses): number {
  const metric = a.findIndex((loss, at) => loss !== b[at]);
  return metric < 0 ? 0 : a[metric] - b[metric];
}
