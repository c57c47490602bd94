/** Document jobs as their rows have them. */

import type { JobRow } from "../../jobs/job.ts";
import type { JobArea } from "../../jobs/kind.ts";
import type { ExtractionRequest } from "../extraction/request.ts";
import type { InductionRequestRecord } from "../induction/request.ts";
import type { JobProgress } from "./progress.ts";

export const DOCUMENT_JOB_KINDS = ["induction", "extraction"] as const;

export const documentArea: JobArea = {
  read: "documents:read",
  write: "documents:write",
  aJob: "one of documents",
  folder: "document_jobs",
};

interface DocumentJobBase extends JobRow {
  readonly details: {
    /** Of the schema's row. */
    readonly schema_id: string;
    /** As callers name the schema. */
    readonly model_id: string;
  };
  readonly progress: JobProgress | null;
}

export interface InductionJobRow extends DocumentJobBase {
  readonly kind: "induction";
  readonly request: InductionRequestRecord;
  readonly result: {
    readonly warnings: readonly string[];
    readonly questions: number;
    readonly hash: string;
  } | null;
}

export interface ExtractionJobRow extends DocumentJobBase {
  readonly kind: "extraction";
  readonly request: ExtractionRequest;
  /** Without its rows, which are objects. */
  readonly result: {
    readonly warnings: readonly string[];
    readonly rows: number;
    readonly dataset_id?: string;
  } | null;
}

export type DocumentJobRow = InductionJobRow | ExtractionJobRow;
