/**
 * What makes a selected model's forecasts of series sum up to those of their sums, from its out-of-fold errors.
 * A task for a worker, since it looks at each pair of series.
 */

import type { FittedReconciliation, SavedFrame } from "../../tasks/framing.ts";
import { typeOf } from "../../tasks/index.ts";
import type { PreparedRun } from "../plan/prepared.ts";

export interface ReconciliationInput {
  readonly run: PreparedRun;
  readonly frame: SavedFrame;
  /** Row-major over `outOfFoldRows`. */
  readonly predictions: Float64Array;
}

/** Null where rows are no series that sum up. */
export function reconciliation({
  run,
  frame,
  predictions,
}: ReconciliationInput): FittedReconciliation | null {
  let offset = 0;
  const windows = run.folds.map(({ valid }) => {
    const from = offset;
    offset += valid.length;
    const errors = Float64Array.from(valid, (row, i) =>
      run.weights?.[row] === 0 ? Number.NaN : run.target[row] - predictions[from + i],
    );
    return { rows: valid, errors };
  });
  return typeOf(run.task).framing?.fitReconciliation?.(frame, windows) ?? null;
}
