/** Predictions under several metrics, with what resampled rows say of the scores. */

import { type Metric, pickScored, type ScoredRows } from "../metrics/metric.ts";

/** Rows with their truth. */
export interface Scored {
  readonly rows: ScoredRows;
  /** What metrics of labels read; null where labels follow from the predictions themselves. */
  readonly decided: ScoredRows | null;
}

/** One a metric, of the rows at these places. */
export function scoresOf(
  metrics: readonly Metric[],
  scored: Scored,
  places: Uint32Array,
): number[] {
  const isAll = places.length === scored.rows.target.length;
  const rows = isAll && isAscending(places) ? scored.rows : pickScored(scored.rows, places);
  const decided = scored.decided && pickScored(scored.decided, places);
  return metrics.map((metric) => metric.score((metric.needs === "label" && decided) || rows));
}

/** Whether each place is in it once, in order. */
const isAscending = (places: Uint32Array): boolean => places.every((place, i) => place === i);

/** By name, undefined ones null. */
export const named = (
  metrics: readonly Metric[],
  scores: readonly number[],
): Record<string, number | null> =>
  Object.fromEntries(
    metrics.map(({ name }, k) => [name, Number.isFinite(scores[k]) ? scores[k] : null]),
  );
