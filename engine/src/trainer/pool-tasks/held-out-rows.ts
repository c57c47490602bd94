/**
 * Which rows a run's out-of-fold predictions are of, kept beside them: what was predicted of the same rows by
 * another run can be set beside it, whatever folds that had.
 */

import { valuesAt } from "../../compute/row-lists.ts";
import { packModel, unpackModel } from "../../model/packed.ts";
import { hasClasses } from "../../tasks/index.ts";
import type { PreparedRun } from "../plan/prepared.ts";
import { SELECTIONS } from "./fold-artifact.ts";
import { outOfFoldRows } from "./select.ts";

/** The name of the artifact that says which rows the out-of-fold predictions of a run are of. */
export const HELD_OUT_ROWS = `${SELECTIONS}rows`;

/** One after the other as in the out-of-fold predictions. */
export interface HeldOutRows {
  /** Numbers in the table; of sequences, among all that the filter leaves. */
  readonly rows: Uint32Array;
  /** The value, or the index of the class. */
  readonly target: Float64Array;
  /** Non-negative; null = all 1. */
  readonly weights: Float64Array | null;
  /** The fold that each was held out in. */
  readonly fold: Uint32Array;
}

export function packHeldOutRows(run: PreparedRun): Uint8Array {
  const own = outOfFoldRows(run);
  const { tableRows, weights, task } = run;
  const fold = new Uint16Array(own.length);
  let from = 0;
  for (const [number, { valid }] of run.folds.entries()) {
    fold.fill(number, from, from + valid.length);
    from += valid.length;
  }
  return packModel({
    header: { kind: "held-out-rows" },
    tensors: {
      rows: tableRows ? own.map((row) => tableRows[row]) : own,
      target: hasClasses(task) ? classesAt(run.target, own) : valuesAt(run.target, own),
      ...(weights ? { weights: valuesAt(weights, own) } : {}),
      fold,
    },
  });
}

/** Indices of classes (`MAX_CLASSES`). */
function classesAt(target: ArrayLike<number>, rows: Uint32Array): Uint16Array {
  const classes = new Uint16Array(rows.length);
  for (let i = 0; i < classes.length; i++) classes[i] = target[rows[i]];
  return classes;
}

/** Those of runs of before as well, whose numbers had more bytes. */
export function unpackHeldOutRows(bytes: Uint8Array): HeldOutRows {
  const { rows, target, weights, fold } = unpackModel(bytes, HELD_OUT_ROWS).tensors;
  if (!(rows instanceof Uint32Array && target && fold)) {
    throw new Error(`${HELD_OUT_ROWS} holds no rows.`);
  }
  return {
    rows,
    target: target instanceof Float64Array ? target : Float64Array.from(target),
    weights: weights instanceof Float64Array ? weights : null,
    fold: fold instanceof Uint32Array ? fold : Uint32Array.from(fold),
  };
}
