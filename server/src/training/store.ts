/** The SQL of training jobs and their event logs, and the only place of it. */

import type { LoggedEvent, PriorRun, RunEvent, RunProgress } from "@distillery/engine";
import type { Database, Sql } from "../db/database.ts";
import type { PageEnd } from "../http/page-end.ts";
import type { OwnerKind } from "../objects/holds.ts";
import type { JobRecordConfig } from "./record.ts";
import type { TrainerRunRequest } from "./request.ts";

export const JOB_STATUSES = ["pending", "running", "completed", "failed"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export interface FurtherModel {
  readonly id: string;
  readonly name: string;
  readonly scores: readonly (number | null)[];
}

export interface JobRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly status: JobStatus;
  readonly dataset_id: string;
  readonly model_id: string;
  readonly model_name: string;
  readonly tags: Readonly<Record<string, unknown>>;
  /** The request, with its defaults filled in. */
  readonly config: TrainerRunRequest;
  /** The interface's `config`. */
  readonly record: JobRecordConfig;
  readonly progress: RunProgress | null;
  readonly scores: readonly (number | null)[];
  /** The models after the first; empty until they are selected, and without a sweep. */
  readonly further_models: readonly FurtherModel[];
  readonly error_message: string;
  readonly cancel_requested_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** What a job learns from beside its dataset; lists do without it. */
export interface JobInputs {
  readonly teacher_model_id: string | null;
  /** What the teacher's URL is asked with; see `teachers/sealed-access.ts`. */
  readonly sealed_headers: string | null;
  readonly warm_start: readonly PriorRun[];
}

export type NewJob = JobInputs &
  Pick<
    JobRow,
    "id" | "name" | "dataset_id" | "model_id" | "model_name" | "tags" | "config" | "record"
  >;

const COLUMNS = `id, organization_id, name, status, dataset_id, model_id, model_name, tags, config,
  record, progress, scores, further_models, error_message, cancel_requested_at, created_at, updated_at, started_at,
  finished_at`;

/** False where a job of this id is there already: a repeated request. */
export async function insertJob(sql: Sql, organizationId: string, job: NewJob): Promise<boolean> {
  const rows = await sql`
    insert into training_jobs (id, organization_id, name, status, dataset_id, model_id, model_name,
                               tags, config, record, teacher_model_id, sealed_headers, warm_start)
    values (${job.id}, ${organizationId}, ${job.name}, 'pending', ${job.dataset_id},
            ${job.model_id}, ${job.model_name}, ${JSON.stringify(job.tags)}::text::json,
            ${JSON.stringify(job.config)}::text::json, ${JSON.stringify(job.record)}::text::json,
            ${job.teacher_model_id}, ${job.sealed_headers},
            ${JSON.stringify(job.warm_start)}::text::json)
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
      select ${sql.unsafe(COLUMNS)} from training_jobs
      where organization_id = ${organizationId} and id = ${id}`,
  );
  return rows[0] ?? null;
}

/** A tag that a job must have, with any value or with one. */
export interface TagFilter {
  readonly key: string;
  readonly value: string | null;
}

/** All that is given must hold. */
export interface JobFilter {
  readonly status?: JobStatus | undefined;
  readonly name?: { readonly text: string; readonly isPrefix: boolean } | undefined;
  readonly tags?: readonly TagFilter[] | undefined;
  readonly datasetId?: string | undefined;
  /** Created at this time or later. */
  readonly createdFrom?: string | undefined;
  /** Created before this time. */
  readonly createdBefore?: string | undefined;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listJobs(
  db: Database,
  organizationId: string,
  filter: JobFilter,
  page: { readonly limit: number; readonly after: PageEnd | null },
): Promise<readonly JobRow[]> {
  const { status, name, tags = [], datasetId, createdFrom, createdBefore } = filter;
  const { after, limit } = page;
  return db.read<JobRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from training_jobs
      where organization_id = ${organizationId}
        ${status ? sql`and status = ${status}` : sql``}
        ${name === undefined ? sql`` : name.isPrefix ? sql`and name like ${likePrefix(name.text)}` : sql`and name = ${name.text}`}
        ${tags.length > 0 ? tags.map((tag) => sql`and ${tagCondition(sql, tag)}`) : sql``}
        ${datasetId ? sql`and dataset_id = ${datasetId}` : sql``}
        ${createdFrom ? sql`and created_at >= ${createdFrom}::timestamptz` : sql``}
        ${createdBefore ? sql`and created_at < ${createdBefore}::timestamptz` : sql``}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

const likePrefix = (text: string): string => `${text.replace(/[\\%_]/g, "\\$&")}%`;

/** A value is compared as a text, and as the number, boolean or null that it spells. */
function tagCondition(sql: Sql, { key, value }: TagFilter) {
  if (value === null) return sql`searchable_tags(tags) ? ${key}`;
  const spelt = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value) ? [value] : [];
  const objects = [JSON.stringify(value), ...spelt].map(
    (json) => `{${JSON.stringify(key)}:${json}}`,
  );
  return sql`searchable_tags(tags) @> any(${objects}::text[]::jsonb[])`;
}

/** For the worker, which acts for the organization that the job names. */
export async function findJobAsSystem(db: Database, id: string): Promise<JobRow | null> {
  const rows = await db.systemQuery(
    (sql) => sql<JobRow[]>`
      select ${sql.unsafe(COLUMNS)} from training_jobs where id = ${id}`,
  );
  return rows[0] ?? null;
}

/** For the worker. */
export async function readInputs(db: Database, id: string): Promise<JobInputs> {
  const [row] = await db.systemQuery(
    (sql) => sql<JobInputs[]>`
      select teacher_model_id, sealed_headers, warm_start from training_jobs where id = ${id}`,
  );
  return row ?? { teacher_model_id: null, sealed_headers: null, warm_start: [] };
}

/** A job that ended stays as it ended. */
export async function markRunning(sql: Sql, id: string): Promise<void> {
  await sql`
    update training_jobs
    set status = 'running', started_at = coalesce(started_at, now()), updated_at = now()
    where id = ${id} and status in ('pending', 'running')`;
}

export async function markCompleted(
  sql: Sql,
  id: string,
  scores: readonly (number | null)[],
): Promise<void> {
  await sql`
    update training_jobs
    set status = 'completed', scores = ${JSON.stringify(scores)}::text::json,
        sealed_headers = null, finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running')`;
}

/** False where the job had ended before. */
export async function markFailed(sql: Sql, id: string, message: string): Promise<boolean> {
  const rows = await sql`
    update training_jobs
    set status = 'failed', error_message = ${message}, sealed_headers = null,
        finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running')
    returning id`;
  return rows.length > 0;
}

/** Whether the job was still open. */
export async function requestCancel(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await sql`
    update training_jobs set cancel_requested_at = coalesce(cancel_requested_at, now()),
                             updated_at = now()
    where organization_id = ${organizationId} and id = ${id} and status in ('pending', 'running')
    returning id`;
  return rows.length > 0;
}

export async function cancelIsRequested(db: Database, id: string): Promise<boolean> {
  const rows = await db.systemQuery(
    (sql) => sql`
      select 1 from training_jobs where id = ${id}
        and (cancel_requested_at is not null or status = 'failed')`,
  );
  return rows.length > 0;
}

export async function countOpenJobs(
  db: Database,
  organizationId: string,
  datasetId: string,
): Promise<number> {
  const rows = await db.query<{ count: number }[]>(
    organizationId,
    (sql) => sql`
      select count(*) as count from training_jobs
      where organization_id = ${organizationId} and dataset_id = ${datasetId}
        and status in ('pending', 'running')`,
  );
  return rows[0]?.count ?? 0;
}

/** Open jobs that learn from the model. */
export async function countTaughtBy(
  sql: Sql,
  organizationId: string,
  modelId: string,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*) as count from training_jobs
    where organization_id = ${organizationId} and teacher_model_id = ${modelId}
      and status in ('pending', 'running')`;
  return rows[0]?.count ?? 0;
}

export async function readEvents(
  db: Database,
  jobId: string,
  after = 0,
): Promise<readonly { readonly sequence: number; readonly event: LoggedEvent }[]> {
  return db.systemQuery(
    (sql) => sql<{ sequence: number; event: LoggedEvent }[]>`
      select sequence, event from training_events
      where job_id = ${jobId} and sequence > ${after} order by sequence`,
  );
}

/** The sequence follows what the writer has read; a gap or a second writer breaks the key. */
export async function appendEvent(
  sql: Sql,
  job: Pick<JobRow, "id" | "organization_id">,
  sequence: number,
  event: RunEvent,
): Promise<void> {
  await sql`
    insert into training_events (job_id, sequence, organization_id, event)
    values (${job.id}, ${sequence}, ${job.organization_id}, ${JSON.stringify(event)}::text::json)`;
}

export async function saveProgress(sql: Sql, id: string, progress: RunProgress): Promise<void> {
  await sql`
    update training_jobs
    set progress = ${JSON.stringify(progress)}::text::json, updated_at = now()
    where id = ${id}`;
}

export async function saveFurtherModels(
  sql: Sql,
  id: string,
  models: readonly FurtherModel[],
): Promise<void> {
  await sql`
    update training_jobs set further_models = ${JSON.stringify(models)}::text::json
    where id = ${id}`;
}

/** The interface's config, once the plan has filled it in. */
export async function saveRecord(sql: Sql, id: string, record: JobRecordConfig): Promise<void> {
  await sql`
    update training_jobs set record = ${JSON.stringify(record)}::text::json where id = ${id}`;
}

export async function deleteJob(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from training_jobs where organization_id = ${organizationId} and id = ${id}
      and status in ('completed', 'failed') returning id`;
  return rows.length > 0;
}

/** Of what a run keeps beside its models. */
export const trainingJobOwners: OwnerKind = {
  folder: "jobs",
  async existing(sql, ids) {
    const rows = await sql<{ id: string }[]>`
      select id from training_jobs where id = any(${[...ids]}::uuid[])`;
    return rows.map(({ id }) => id);
  },
};
