/** What stands in for a model of a series that a fit had no time for: a method that needs none to speak of. */

import type { SeriesModel } from "../../series/series-model.ts";
import { fitTheta } from "../../series/theta/theta-model.ts";

/** @param seasons steps of a season, ascending; empty = none */
export function fitStandIn(history: Float64Array, seasons: readonly number[]): SeriesModel {
  return fitTheta(history, { seasonLength: seasons[0] ?? 1 });
}
