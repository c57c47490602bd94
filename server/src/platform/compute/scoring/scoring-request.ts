/** What the threads that score tables are asked, and what they answer. */

import type { DeviceLoan } from "@distillery/engine";
import type { OutputFormatName } from "./formats/index.ts";
import type { OutputField } from "./output-column.ts";
import type { PredictionOptions } from "./predictions.ts";

export interface ScoringRequest extends PredictionOptions {
  /** A local copy of the model's directory. */
  readonly model: string;
  /** The path of a dataset's own file; null asks for forecasts of every series. */
  readonly table: string | null;
  /** Columns of the table that come out again, in this order; null = all, as they stand. */
  readonly columns: readonly string[] | null;
  readonly format: OutputFormatName;
  /** Whether a row with a cell that cannot be read has no prediction, and says why, or ends it all. */
  readonly onError: "fail" | "null";
}

/** By the names of a model's columns of times. */
export type LearnedDateOrders = Readonly<Record<string, "day-first" | "month-first">>;

export interface ScoringPlan {
  /** Of the table. */
  readonly rows: number;
  /** That the file is made of. */
  readonly parts: number;
  /** Rows × columns that trees read; 0 where the model has none. */
  readonly cells: number;
  /** Of the table's own reading, such as of its encoding. */
  readonly warnings: readonly string[];
}

export interface PartRequest extends ScoringRequest {
  readonly part: number;
  /** Where it is to be written. */
  readonly target: string;
  /** What takes part in predicting; absent: the thread alone. */
  readonly device?: DeviceLoan;
}

export interface ScoredPart {
  /** Of the table, and of the file: fewer where several make one prediction. */
  readonly read: number;
  readonly rows: number;
  readonly bytes: number;
  /** See `WrittenPart`. */
  readonly said: unknown;
  readonly fields: readonly OutputField[];
  readonly warnings: readonly string[];
  /** Rows without a prediction. */
  readonly unreadable: number;
}
