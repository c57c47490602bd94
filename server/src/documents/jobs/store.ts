/** The SQL of document jobs, and the only place of it. */

import type { Database, Sql } from "../../db/database.ts";
import type { PageEnd } from "../../http/page-end.ts";
import type { OwnerKind } from "../../objects/holds.ts";
import type { JobProgress } from "./progress.ts";
import type { ExtractionRequest, InductionRequestRecord } from "./request.ts";

export const JOB_KINDS = ["induction", "extraction"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export const JOB_STATUSES = ["pending", "running", "completed", "failed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a job made, but for rows. */
export interface JobOutcome {
  readonly warnings: readonly string[];
  /** Of an induction. */
  readonly questions?: number;
  readonly hash?: string;
  /** Of an extraction. */
  readonly rows?: number;
  readonly dataset_id?: string;
}

interface JobBase {
  readonly id: string;
  readonly organization_id: string;
  readonly status: JobStatus;
  /** Of the schema's row. */
  readonly schema_id: string;
  /** As callers name the schema. */
  readonly model_id: string;
  readonly document_ids: readonly string[];
  readonly progress: JobProgress | null;
  readonly result: JobOutcome | null;
  readonly error_message: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export interface InductionJobRow extends JobBase {
  readonly kind: "induction";
  readonly request: InductionRequestRecord;
}

export interface ExtractionJobRow extends JobBase {
  readonly kind: "extraction";
  readonly request: ExtractionRequest;
}

export type JobRow = InductionJobRow | ExtractionJobRow;

export type NewJob = Pick<JobBase, "id" | "schema_id" | "model_id" | "document_ids"> &
  (Pick<InductionJobRow, "kind" | "request"> | Pick<ExtractionJobRow, "kind" | "request">);

const COLUMNS = `id, organization_id, kind, status, schema_id, model_id, document_ids, request,
  progress, result, error_message, created_at, updated_at, started_at, finished_at`;

/** False where a job of this id is there already: a repeated request. */
export async function insertJob(sql: Sql, organizationId: string, job: NewJob): Promise<boolean> {
  const rows = await sql`
    insert into document_jobs (id, organization_id, kind, status, schema_id, model_id, document_ids,
                               request)
    values (${job.id}, ${organizationId}, ${job.kind}, 'pending', ${job.schema_id},
            ${job.model_id}, ${[...job.document_ids]}::uuid[],
            ${JSON.stringify(job.request)}::text::json)
    on conflict (id) do nothing
    returning id`;
  return rows.length > 0;
}

export async function findJob(
  db: Database,
  organizationId: string,
  id: string,
): Promise<JobRow | null> {
  const rows = await db.read<JobRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from document_jobs
      where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listJobs(
  db: Database,
  organizationId: string,
  page: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly status: JobStatus | null;
    readonly kind: JobKind | null;
  },
): Promise<readonly JobRow[]> {
  const { after, status, kind, limit } = page;
  return db.read<JobRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from document_jobs
      where organization_id = ${organizationId}
        ${status ? sql`and status = ${status}` : sql``}
        ${kind ? sql`and kind = ${kind}` : sql``}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** For the worker, which acts for the organization that the job names. */
export async function findJobAsSystem(db: Database, id: string): Promise<JobRow | null> {
  const rows = await db.systemQuery(
    (sql) => sql<JobRow[]>`
      select ${sql.unsafe(COLUMNS)} from document_jobs where id = ${id}`,
  );
  return rows[0] ?? null;
}

/** A job that ended stays as it ended. */
export async function markRunning(sql: Sql, id: string): Promise<void> {
  await sql`
    update document_jobs
    set status = 'running', started_at = coalesce(started_at, now()), updated_at = now()
    where id = ${id} and status in ('pending', 'running')`;
}

export async function markCompleted(sql: Sql, id: string, result: JobOutcome): Promise<boolean> {
  const rows = await sql`
    update document_jobs
    set status = 'completed', result = ${JSON.stringify(result)}::text::json,
        finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running')
    returning id`;
  return rows.length > 0;
}

/** False where the job had ended before. */
export async function markFailed(sql: Sql, id: string, message: string): Promise<boolean> {
  const rows = await sql`
    update document_jobs
    set status = 'failed', error_message = ${message}, finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running')
    returning id`;
  return rows.length > 0;
}

/** Whether the job was still open, and whether nobody works it yet. */
export async function requestCancel(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<{ readonly accepted: boolean; readonly pending: boolean }> {
  const [row] = await sql<{ status: JobStatus }[]>`
    update document_jobs set cancel_requested_at = coalesce(cancel_requested_at, now()),
                             updated_at = now()
    where organization_id = ${organizationId} and id = ${id} and status in ('pending', 'running')
    returning status`;
  return { accepted: row !== undefined, pending: row?.status === "pending" };
}

export async function cancelIsRequested(db: Database, id: string): Promise<boolean> {
  const rows = await db.systemQuery(
    (sql) => sql`
      select 1 from document_jobs where id = ${id}
        and (cancel_requested_at is not null or status = 'failed')`,
  );
  return rows.length > 0;
}

export async function saveProgress(sql: Sql, id: string, progress: JobProgress): Promise<void> {
  await sql`
    update document_jobs
    set progress = ${JSON.stringify(progress)}::text::json, updated_at = now()
    where id = ${id}`;
}

/** Open jobs that read the document. */
export async function countOpenJobsOf(
  sql: Sql,
  organizationId: string,
  documentId: string,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*) as count from document_jobs
    where organization_id = ${organizationId} and document_ids @> array[${documentId}::uuid]
      and status in ('pending', 'running')`;
  return rows[0]?.count ?? 0;
}

/** Open extractions that follow the schema. */
export async function countOpenJobsWith(
  sql: Sql,
  organizationId: string,
  schemaId: string,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*) as count from document_jobs
    where organization_id = ${organizationId} and schema_id = ${schemaId}
      and status in ('pending', 'running')`;
  return rows[0]?.count ?? 0;
}

export async function deleteJob(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from document_jobs where organization_id = ${organizationId} and id = ${id}
      and status in ('completed', 'failed') returning id`;
  return rows.length > 0;
}

/** Of the rows that an extraction made. */
export const documentJobOwners: OwnerKind = {
  folder: "document_jobs",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from document_jobs where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};
