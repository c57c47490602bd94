/** How large out-of-fold errors of forecasts are: by step of the horizon, by window and by series. */

import type { SeriesFrame } from "../../data/frame.ts";
import { forecastBlocks } from "../../data/series-history.ts";
import type { SeriesRows } from "../../metrics/metric.ts";

export interface ForecastErrors {
  /** Of rows that were forecast: the row of the frame, and the value less the forecast. */
  readonly rows: Uint32Array;
  readonly residuals: Float64Array;
  /** By how much each residual is divided so that series can be compared. */
  readonly scale: Float64Array;
  readonly series: Uint32Array;
  /** From 0. */
  readonly step: Uint32Array;
  readonly window: Uint32Array;
}

export interface ErrorFigures {
  /** Mean absolute error, in units of the value. */
  readonly mae: number;
  /** Mean absolute error over the scale of each series' past. */
  readonly mase: number;
  /** Forecasts of values that were observed. */
  readonly count: number;
}

/**
 * @param folds rows that each fit forecasts, one after the other as `predictions` are
 * @param places of each row of the frame: what errors are scaled by, and the number of its window
 */
export function forecastErrors(
  frame: SeriesFrame,
  folds: readonly Uint32Array[],
  predictions: Float64Array,
  { scale, window }: Pick<SeriesRows, "scale" | "window">,
): ForecastErrors {
  const kept: { row: number; at: number; series: number; step: number }[] = [];
  let first = 0;
  for (const rows of folds) {
    for (const { series, from, to } of forecastBlocks(frame, rows)) {
      for (let i = from; i < to; i++) {
        const row = rows[i];
        if (Number.isNaN(frame.target[row])) continue;
        kept.push({ row, at: first + i, series, step: row - rows[from] });
      }
    }
    first += rows.length;
  }
  return {
    rows: Uint32Array.from(kept, ({ row }) => row),
    residuals: Float64Array.from(kept, ({ row, at }) => frame.target[row] - predictions[at]),
    scale: Float64Array.from(kept, ({ row }) => scale[row]),
    series: Uint32Array.from(kept, ({ series }) => series),
    step: Uint32Array.from(kept, ({ step }) => step),
    window: Uint32Array.from(kept, ({ row }) => window[row]),
  };
}

/** One a part; null where a part has no error. */
export function errorsBy(
  { residuals, scale }: ForecastErrors,
  parts: Uint32Array,
  count: number,
): (ErrorFigures | null)[] {
  const sums = Array.from({ length: count }, () => ({ mae: 0, mase: 0, count: 0 }));
  for (const [i, part] of parts.entries()) {
    const size = Math.abs(residuals[i]);
    sums[part].mae += size;
    sums[part].mase += size / scale[i];
    sums[part].count++;
  }
  return sums.map((sum) =>
    sum.count === 0
      ? null
      : { mae: sum.mae / sum.count, mase: sum.mase / sum.count, count: sum.count },
  );
}
