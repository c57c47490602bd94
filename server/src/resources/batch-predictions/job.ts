/** The batch prediction as its job's row has it. */

import type { OutputFormatName } from "../../platform/compute/scoring/formats/index.ts";
import type { OutputField } from "../../platform/compute/scoring/output-column.ts";
import type { JobRow } from "../jobs/job.ts";
import type { JobArea } from "../jobs/kind.ts";
import type { RecordedParameters } from "../queries/request.ts";

export const batchArea: JobArea = {
  read: "serving:read",
  write: "serving:write",
  aJob: "a batch prediction",
  folder: "batch_predictions",
};

/** Where the rows are. */
export type BatchSource =
  | { readonly kind: "dataset"; readonly dataset_id: string }
  | {
      readonly kind: "query";
      readonly sql: string;
      readonly parameters: RecordedParameters;
      /** Where it is all of one table: the table, as it was named. */
      readonly table: string | null;
    }
  /** Kept with the job until it ends. */
  | { readonly kind: "upload"; readonly file_name: string | null }
  /** Every series of a forecasting model, from where its training data end. */
  | { readonly kind: "series" };

export interface BatchRequest {
  readonly source: BatchSource;
  /**
   * What who asked may do, by which names of the statement are looked up when it is run: they may mean
   * something else by then. Absent of jobs that are older than this.
   */
  readonly scopes?: readonly string[];
  readonly format: OutputFormatName;
  readonly columns: readonly string[] | null;
  readonly prefix: string;
  readonly intervals: boolean;
  readonly coverage: number | null;
  readonly contributions: boolean;
  readonly on_error: "fail" | "null";
  /** The id is drawn when the job is registered, so that a run that is repeated meets it. */
  readonly dataset: { readonly id: string; readonly name: string } | null;
}

export const BATCH_PHASES = [
  "new",
  "reading",
  "predicting",
  "writing",
  "registering",
  "done",
] as const;

export interface BatchProgress {
  readonly phase: (typeof BATCH_PHASES)[number];
  readonly rows_done: number;
  readonly rows_total: number;
  readonly rows_per_second: number | null;
  readonly seconds: number;
  readonly estimate: number | null;
}

export interface BatchResult {
  readonly rows: number;
  readonly rows_read: number;
  readonly rows_failed: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly fields: readonly OutputField[];
  readonly warnings: readonly string[];
}

export interface BatchJobRow extends JobRow {
  readonly kind: "batch_prediction";
  readonly request: BatchRequest;
  readonly details: {
    readonly model_id: string;
    /** As the request names it. */
    readonly model: string;
    readonly model_name: string;
  };
  readonly progress: BatchProgress | null;
  readonly result: BatchResult | null;
}
