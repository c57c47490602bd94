/**
 * How sure a selected model is: intervals or sets from its cross-fitted out-of-fold predictions (see
 * `conformal/`). A task for a worker, since it sorts every residual many times.
 */

import { numbersAt, valuesAt } from "../../compute/row-lists.ts";
import {
  type ConformalPart,
  fitConformal,
  partsOf,
  type UncertaintyCard,
} from "../../conformal/index.ts";
import { stepsOf } from "../../data/series-history.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";
import type { Selection } from "../log/events.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { outOfFoldRows } from "./select.ts";

export interface ConformalInput {
  readonly run: PreparedRun;
  readonly config: Pick<RunConfig, "coverage" | "coverageByClass" | "task">;
  readonly selection: Pick<Selection, "threshold">;
  /** Whether the members are fitted on all rows, and not the fits of folds. */
  readonly refitted: boolean;
  /** Row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
  /** Of two classes: the labels of the rows, likewise cross-fitted; null for other tasks. */
  readonly labels: Float64Array | null;
}

export interface ConformalOutput {
  readonly part: ConformalPart;
  readonly card: UncertaintyCard;
}

/** Null for a task whose predictions come with neither. */
export function conformal({
  run,
  config,
  selection,
  refitted,
  predictions,
  labels,
}: ConformalInput): ConformalOutput | null {
  if (typeOf(run.task).conformal === null) return null;
  const rows = outOfFoldRows(run);
  const { series, data } = run;
  const frame = data.frame?.kind === "series" ? data.frame : null;
  return fitConformal({
    task: run.task,
    rows: {
      target: valuesAt(run.target, rows),
      predictions,
      outputs: outputCount(run.task),
      labels,
      weights: run.weights && valuesAt(run.weights, rows),
      groups: run.groups && numbersAt(run.groups, rows),
      parts: partsOf(run.folds.map(({ valid }) => valid.length)),
      ...(frame && series
        ? {
            places: {
              scale: valuesAt(series.recentScale, rows),
              bounds: Array.from(rows, (row) => ({
                least: series.least[row],
                most: series.most[row],
              })),
              window: numbersAt(series.window, rows),
              step: Uint32Array.from(run.folds.flatMap(({ valid }) => [...stepsOf(frame, valid)])),
            },
          }
        : {}),
    },
    coverage: config.coverage,
    byClass: config.coverageByClass,
    threshold: selection.threshold,
    averagesFolds: !refitted && run.folds.length > 1,
    ordered: config.task.timeColumn != null,
    grouped: config.task.groupColumn != null,
    taught: run.taught !== null,
    ...(frame && { scope: { horizon: frame.horizon, season: frame.seasons[0] ?? 1 } }),
  });
}
