/** Whether quantiles are what their levels say: the share of rows that is not above each. */

import type { ScoredRows } from "../../metrics/metric.ts";
import { pinballOfLevel, shareBelow, shareWithin } from "../../metrics/quantile-rows.ts";
import { wilson } from "../../metrics/wilson.ts";

export interface LevelCalibration {
  readonly level: number;
  /** Share of the rows at or below their quantile, by their weights. */
  readonly observed: number;
  /** Wilson's 95 % interval of `observed`. */
  readonly low: number;
  readonly high: number;
  /** Mean pinball loss of the level. */
  readonly pinball: number;
}

export interface QuantileCalibration {
  readonly rows: number;
  readonly levels: readonly LevelCalibration[];
  /** Between the outermost levels; null where there is one level. */
  readonly outer: {
    readonly nominal: number;
    readonly measured: number;
    /** Mean over the rows, in units of the label. */
    readonly meanWidth: number;
  } | null;
}

/** @param levels ascending, one an output */
export function quantileCalibration(
  rows: ScoredRows,
  levels: readonly number[],
): QuantileCalibration {
  const { target, predictions, outputs } = rows;
  const count = target.length;
  let width = 0;
  for (let at = 0; at < predictions.length; at += outputs) {
    width += predictions[at + outputs - 1] - predictions[at];
  }
  return {
    rows: count,
    levels: levels.map((level, place) => {
      const observed = shareBelow(rows, place);
      const pinball = pinballOfLevel(rows, place, level);
      return { level, observed, ...wilson(observed, count), pinball };
    }),
    outer:
      levels.length < 2
        ? null
        : {
            nominal: levels[levels.length - 1] - levels[0],
            measured: shareWithin(rows),
            meanWidth: width / count,
          },
  };
}
