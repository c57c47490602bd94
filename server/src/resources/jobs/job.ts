/** A job as its row has it. What is special of a kind is JSON, whose types the kind says. */

import type { JobRetry } from "./retry.ts";

export const JOB_STATUSES = ["pending", "running", "completed", "failed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a job may refer to, and what stays while a job that refers to it is open. */
export type Resource = "datasets" | "models" | "documents";

export interface JobRow {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: string;
  readonly status: JobStatus;
  /** Empty of kinds whose jobs have no names. */
  readonly name: string;
  readonly tags: Readonly<Record<string, unknown>>;
  /** What it reads, in the order of its request; rows of document schemas are among the models. */
  readonly datasets: readonly string[];
  readonly models: readonly string[];
  readonly documents: readonly string[];
  /** As it was asked for, with defaults filled in. */
  readonly request: unknown;
  /** What the kind keeps beside the request. */
  readonly details: unknown;
  /** As of the last look; null before the first. */
  readonly progress: unknown;
  /** What it has made so far; null before that. */
  readonly result: unknown;
  readonly error_message: string;
  /** Null unless it waits to be tried again. */
  readonly retry: JobRetry | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  /** When its log and its objects were removed while it stayed; null = they were not. */
  readonly pruned_at: Date | null;
}

export interface NewJob<Row extends JobRow> extends Pick<Row, "id" | "request" | "details"> {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, unknown>>;
  readonly datasets?: readonly string[];
  readonly models?: readonly string[];
  readonly documents?: readonly string[];
  /** What the run needs and nobody is shown. */
  readonly inputs?: object;
  /** Secrets that the run needs, sealed; they are dropped when the job ends. */
  readonly sealed?: string | null;
}

export const isOpen = ({ status }: Pick<JobRow, "status">): boolean =>
  status === "pending" || status === "running";
