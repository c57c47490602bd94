/** Forecasts as they are answered, within what values of their series can be. */

import { within } from "../data/series-history.ts";
import type { Metric, ScoredRows, SeriesRows } from "./metric.ts";

/** The very predictions where all are within the bounds, else others; one a row. */
export function heldPredictions(
  predictions: Float64Array,
  { least, most }: Pick<SeriesRows, "least" | "most">,
): Float64Array {
  const isWithin = predictions.every((value, i) => !(value < least[i] || value > most[i]));
  if (isWithin) return predictions;
  return predictions.map((value, i) => within(value, { least: least[i], most: most[i] }));
}

/**
 * The metric of rows that are steps of series as their forecasts are answered; of others as it is. What is averaged are the
 * members' own forecasts: one that is below what can be makes up for another that is as much above the truth.
 */
export function ofHeldForecasts(metric: Metric): Metric {
  const { score, scoreParts } = metric;
  return {
    ...metric,
    score: (rows) => score(held(rows)),
    ...(scoreParts && {
      scoreParts: (rows, parts, picked) => scoreParts(held(rows), parts, picked.map(held)),
    }),
  };
}

/** The very rows where nothing changes, since those that many metrics score are known by what they are. */
function held(rows: ScoredRows): ScoredRows {
  if (!rows.series) return rows;
  const predictions = heldPredictions(rows.predictions, rows.series);
  return predictions === rows.predictions ? rows : { ...rows, predictions };
}
