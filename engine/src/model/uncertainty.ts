/** The intervals, sets or quantiles around predictions, by the conformal part of their model. */

import {
  type ConformalPart,
  forecastIntervals,
  forecastQuantiles,
  intervalsOf,
  setsOf,
  stretchedFrom,
  tooFewRows,
} from "../conformal/index.ts";
import type { Frame } from "../data/frame.ts";
import {
  boundsBefore,
  forecastBlocks,
  historyBefore,
  levelledBefore,
  recentScaleOf,
  scaleOf,
  stepsOf,
  type ValueBounds,
} from "../data/series-history.ts";
import { outputCount, type Task, typeOf } from "../tasks/index.ts";
import type { ModelDocument } from "./document.ts";
import type { Uncertainty } from "./predictions.ts";

/** Predictions, and what their uncertainty depends on. */
export interface Predicted {
  /** Row-major, rows × outputs. */
  readonly values: Float64Array;
  /** How far the folds' members disagree, a number per row; null where there are not several. */
  readonly ambiguity: Float64Array | null;
  /** What framing made beside the rows; null where the rows of the table are predicted. */
  readonly frame: Frame | null;
  /** Rows of the frame that are predicted; null = all. */
  readonly rows: Uint32Array | null;
}

/**
 * @param coverage the share of rows whose interval or set should contain the truth; default that of the run
 * @throws {RangeError} when the coverage is one that the model cannot answer for
 */
export function uncertaintyOf(
  { task, conformal, threshold }: Pick<ModelDocument, "conformal" | "task" | "threshold">,
  predicted: Predicted,
  coverage: number | undefined,
): Uncertainty {
  if (conformal === null || typeOf(task).conformal === null) return without(task, coverage);
  const { values, ambiguity } = predicted;
  switch (conformal.kind) {
    case "forecast":
      return ofForecasts(task, conformal, predicted, coverage);
    case "interval": {
      const intervals = intervalsOf(conformal, values, ambiguity, coverage);
      const warnings = intervals.bounds ? [] : [tooFewRows(conformal, intervals.level)];
      return { intervals, sets: null, warnings };
    }
    case "set": {
      const labelling = { classes: task.classes, threshold };
      const sets = setsOf(conformal, values, outputCount(task), labelling, coverage);
      const warnings = sets.unlimited ? [tooFewRows(conformal, sets.level)] : [];
      return { intervals: null, sets, warnings };
    }
  }
}

function without(task: Task, coverage: number | undefined): Uncertainty {
  const warning =
    typeOf(task).conformal === null
      ? "Predictions of this kind have no intervals or sets; `coverage` does not apply to them."
      : "This model was trained by a version without intervals and sets; its predictions have none.";
  return { intervals: null, sets: null, warnings: coverage === undefined ? [] : [warning] };
}

/** In the scale that the past of each series has now. */
function ofForecasts(
  task: Task,
  part: Extract<ConformalPart, { kind: "forecast" }>,
  { values, frame, rows }: Predicted,
  coverage: number | undefined,
): Uncertainty {
  if (frame?.kind !== "series" || rows === null) throw new RangeError("Forecasts are of series.");
  const places = {
    scale: new Float64Array(rows.length),
    step: stepsOf(frame, rows),
    bounds: new Array<ValueBounds>(rows.length),
  };
  for (const { series, from, to, origin } of forecastBlocks(frame, rows)) {
    const season = frame.seasons[0] ?? 1;
    const scale =
      part.scale === "recent"
        ? recentScaleOf(levelledBefore(frame, series, origin), season, frame.horizon)
        : scaleOf(historyBefore(frame, series, origin), season).absolute;
    places.scale.fill(scale, from, to);
    places.bounds.fill(boundsBefore(frame, series, origin), from, to);
  }
  const intervals = forecastIntervals(part, values, places, coverage);
  return {
    intervals,
    quantiles: forecastQuantiles(part, values, places, task.quantiles ?? []),
    sets: null,
    warnings:
      intervals.bounds && stretchedFrom(part, intervals.level) === null
        ? []
        : [tooFewRows(part, intervals.level)],
  };
}
