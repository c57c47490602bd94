/**
 * What is special of one kind of jobs. All else (registering, claiming, taking up again, progress,
 * events, cancelling, results, deleting) is the same for every kind and is in this room, which knows no
 * kind: the list of them is handed to it where the service is assembled (`kinds.ts`).
 */

import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Scope } from "../../api/context/scopes.ts";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { defineQueue, type QueueDefinition } from "../../platform/queue/definition.ts";
import type { Task } from "../../platform/queue/queue.ts";
import { JOB_STATUSES, type JobRow, type Resource } from "./job.ts";
import type { ProgressWriter } from "./progress-writer.ts";
import { retryMember } from "./retry.ts";

/** A task says which job is to be run; all that the run needs is in the job's row. */
const taskSchema = z.object({ job_id: z.uuid() });
export type JobTask = z.output<typeof taskSchema>;

/** @param name lasting: renaming a queue loses what it holds */
export const jobQueue = (
  name: string,
  options: { readonly maxAttempts?: number } = {},
): QueueDefinition<JobTask> => defineQueue(name, taskSchema, options);

/** What kinds whose jobs are worked with by the same operations have in common. */
export interface JobArea {
  /** Of who may look at the jobs, and of who may start and end them. */
  readonly read: Scope;
  readonly write: Scope;
  /** For sentences such as `<a training job> needs the scope training:read`. */
  readonly aJob: string;
  /** Where what a job keeps lies: `organizations/<id>/<folder>/<job's id>/`. */
  readonly folder: string;
}

/** What a running job has at hand. */
export interface JobScene<Progress> {
  readonly services: Services;
  readonly task: Task<JobTask>;
  /** Aborts when the run is to end early: cancelled, taken by another process, or shut down. */
  readonly signal: AbortSignal;
  readonly progress: ProgressWriter<Progress>;
  /** Seconds since the job was first begun, by the database's clock: those of machines may differ. */
  readonly elapsed: () => number;
}

export interface JobEnd<Result> {
  /** Kept with the job. */
  readonly result: Result;
  /** Written in the transaction that completes the job. */
  readonly alongside?: (sql: Sql) => Promise<void>;
}

/** See `JobKind.toResult`. */
export interface ShownResult {
  readonly result: object;
  readonly progress?: object;
}

export interface JobKind<Row extends JobRow = JobRow> {
  /** Lasting: rows have it, and results show it. */
  readonly name: Row["kind"];
  readonly area: JobArea;
  /** For the description of results, such as `the models of a training job`. */
  readonly makes: string;
  readonly queue: QueueDefinition<JobTask>;

  /** See `resultRecord`. */
  readonly resultSchema: ReturnType<typeof resultRecord>;
  /** What a job shows besides its status, and what it has made; asked of ended jobs as well. */
  toResult(job: Row, ctx: AuthedContext): ShownResult | Promise<ShownResult>;
  /** Where a result has rows: the objects that hold those of a completed job, and what columns they have. */
  readonly rows?: { readonly json: string; readonly parquet: string; readonly columns: string };
  readonly metricsSchema: z.ZodType;
  /** What metrics have beside the progress, such as `its trials`. */
  readonly measures?: string;
  toMetrics(ctx: AuthedContext, job: Row): object | Promise<object>;
  toProgress(job: Row): object;
  /** What followers see of an entry of the job's log; kinds without it keep no log. */
  toEvent?(entry: unknown): unknown;

  /**
   * What a process should have for a job, such as a device: while one that lives offers it, others leave the job
   * to that one. `all` are those there are; `of` is null of a job that any process is right for.
   */
  readonly needs?: {
    readonly all: readonly string[];
    of(request: Row["request"]): string | null;
  };
  /** Progress to show while what the job needs is not there yet; null = it can begin. */
  waiting?(services: Services, job: Row): Promise<Row["progress"] | null>;
  /** Runs the job to its end. What it throws is tried again, unless it is the job's own fault. */
  run(scene: JobScene<Row["progress"]>, job: Row): Promise<JobEnd<Row["result"]>>;
  /** Faults of the request or the data, which another try would meet again. */
  isOwnFault(error: unknown): error is Error;
  /** Sets the status of what the job makes, in the transaction that sets the job's own. */
  follow?(sql: Sql, jobId: string, status: "running" | "failed", message: string): Promise<void>;
  /** Removes what a job of this kind has kept that failed, or was cancelled. */
  discard?(services: Services, job: Pick<JobRow, "id" | "organization_id">): Promise<void>;
  /** What ended jobs keep that may go before them, by the rule of retention that it goes by. */
  readonly keeps?: "report" | "output";
  /** What is said to who would delete what open jobs of this kind refer to. */
  readonly refusals?: Partial<Record<Resource, (open: number) => string>>;
}

/**
 * The record of `GET /v1/results/{job_id}` for jobs of one kind.
 *
 * @param result what a completed job has made
 * @param more what is shown whatever the status is
 */
export const resultRecord = <
  Name extends string,
  Result extends z.ZodType,
  More extends z.ZodRawShape = Record<never, never>,
>(
  kind: Name,
  result: Result,
  more?: More,
) =>
  z.object({
    job_id: z.uuid(),
    kind: z.literal(kind),
    status: z.enum(JOB_STATUSES),
    ...more,
    result: result.optional(),
    error_message: z.string().optional(),
    ...retryMember,
  });
