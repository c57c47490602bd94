/** A run's data, ready for every worker: one copy in shared memory, however many read it. */

import type { EncodedData } from "../../data/encoded.ts";
import type { FeatureSchema } from "../../data/feature-schema.ts";
import type { SeriesRows } from "../../metrics/metric.ts";
import type { SavedFrame } from "../../tasks/framing.ts";
import type { Task } from "../../tasks/index.ts";
import type { Fold } from "../../validation/fold.ts";
import type { RunPlan } from "../log/events.ts";

/** Plain data over shared buffers: it crosses threads by reference. */
export interface PreparedRun {
  readonly plan: RunPlan;
  readonly task: Task;
  readonly schema: FeatureSchema;
  /** Of kinds whose rows are made of several of the table's: what models keep of it; else null. */
  readonly savedFrame: SavedFrame | null;
  readonly data: EncodedData;
  /**
   * Of the first `plan.rows` rows of `data`, ascending: their numbers in the table, or, where rows are made of
   * several of the table's, among those that were made; null = all of it.
   */
  readonly tableRows: Uint32Array | null;
  /** With `strictFolds`, the data under each fold's own bin edges; else null. */
  readonly foldData: readonly EncodedData[] | null;
  /**
   * Over a SharedArrayBuffer, one a row of `data`: the value, or the index of the class. Rows from
   * `plan.rows` on are augmented; theirs is the teacher's.
   */
  readonly target: Float64Array;
  /** What fits read in its place: another array where a teacher's values are mixed in. */
  readonly fitTarget: Float64Array;
  /** A student's labels by degrees (see `FitContext`); else null. */
  readonly softTarget: Float64Array | null;
  /** Of metrics and all that is fitted on out-of-fold predictions; null = all 1. */
  readonly weights: Float64Array | null;
  /** Over a SharedArrayBuffer, one a row: which rows belong together; null: each is for itself. */
  readonly groups: Uint32Array | null;
  /** Of fits: times the class weights, where there are any; null = all 1. */
  readonly fitWeights: Float64Array | null;
  /** Of forecasts, one a row of `data`, what metrics scale errors by; of rows that no fold validates it says nothing. */
  readonly series: SeriesRows | null;
  readonly folds: readonly Fold[];
  readonly monotone: Readonly<Record<string, 1 | -1>>;
  /** For the report; see `data-profile.ts`. */
  readonly profile: Uint8Array;
  /** For the models; see `drift-reference.ts`. Null where rows are not predicted one by one. */
  readonly columnReferences: Uint8Array | null;
  /** For the models; see `learned-rows.ts`. */
  readonly rowSketch: Uint8Array | null;
  /** Of a student's run; else null. */
  readonly taught: Taught | null;
  /** While it was prepared (see `contention.ts`): for prices alone, and never in the model. */
  readonly contention: number;
}

/** What the teacher had to say. */
export interface Taught {
  readonly teacher: string;
  readonly teacherBytes: number | null;
  /** Over a SharedArrayBuffer: its answers for the first `plan.rows` rows, row-major. */
  readonly answers: Float64Array;
}

/** The data that fold's fits read. */
export function dataOfFold(run: PreparedRun, fold: number): EncodedData {
  return run.foldData ? run.foldData[fold] : run.data;
}

export function sharedCopy(values: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}

export function sharedRows(rows: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(rows.byteLength));
  copy.set(rows);
  return copy;
}
