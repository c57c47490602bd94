/** The SQL of jobs of every kind and of their event logs, and the only place of it. */

import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { JobRow, JobStatus, NewJob, Resource } from "./job.ts";
import type { JobRetry } from "./retry.ts";

const COLUMNS = `id, organization_id, kind, status, name, tags, datasets, models, documents, request,
  details, progress, result, error_message, retry, created_at, updated_at, started_at, finished_at,
  pruned_at`;

const json = (value: unknown): string => JSON.stringify(value);

/** False where a job of this id is there already: a repeated request. */
export async function insertJob<Row extends JobRow>(
  sql: Sql,
  organizationId: string,
  kind: Row["kind"],
  job: NewJob<Row>,
): Promise<boolean> {
  const { name = "", tags = {}, datasets = [], models = [], documents = [] } = job;
  const { inputs = {}, sealed = null } = job;
  const rows = await sql`
    insert into jobs (id, organization_id, kind, status, name, tags, datasets, models, documents,
                      request, details, inputs, sealed)
    values (${job.id}, ${organizationId}, ${kind}, 'pending', ${name}, ${json(tags)}::text::json,
            ${[...datasets]}::uuid[], ${[...models]}::uuid[], ${[...documents]}::uuid[],
            ${json(job.request)}::text::json, ${json(job.details)}::text::json,
            ${json(inputs)}::text::json, ${sealed})
    on conflict (id) do nothing
    returning id`;
  return rows.length > 0;
}

/** @param kinds those that are looked for; null = any */
export async function findJob<Row extends JobRow>(
  db: Database,
  organizationId: string,
  kinds: readonly Row["kind"][] | null,
  id: string,
): Promise<Row | null> {
  const rows = await db.read<Row[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from jobs
      where organization_id = ${organizationId} and id = ${id}
        ${kinds === null ? sql`` : sql`and kind = any(${[...kinds]}::text[])`}`,
  );
  return rows[0] ?? null;
}

/** For the worker, which acts for the organization that the job names. */
export async function findJobAsSystem<Row extends JobRow>(
  db: Database,
  kind: Row["kind"],
  id: string,
): Promise<Row | null> {
  const rows = await db.systemQuery(
    (sql) => sql<Row[]>`
      select ${sql.unsafe(COLUMNS)} from jobs where id = ${id} and kind = ${kind}`,
  );
  return rows[0] ?? null;
}

export type JobLinks = Pick<
  JobRow,
  | "id"
  | "kind"
  | "status"
  | "name"
  | "datasets"
  | "models"
  | "documents"
  | "created_at"
  | "started_at"
  | "finished_at"
>;

/** Of a lineage that is shown. */
const MOST_LINKS = 1000;

export interface JobCount {
  readonly organization_id: string;
  readonly kind: string;
  readonly status: JobStatus;
  readonly count: number;
}

/** Jobs of these ids, and those that read any of these; newest first. */
export async function findLinks(
  db: Database,
  organizationId: string,
  {
    jobs = [],
    datasets = [],
    models = [],
    documents = [],
  }: Partial<Record<Resource | "jobs", readonly string[]>>,
): Promise<readonly JobLinks[]> {
  if (jobs.length + datasets.length + models.length + documents.length === 0) return [];
  return db.read<JobLinks[]>(
    organizationId,
    (sql) => sql`
      select id, kind, status, name, datasets, models, documents, created_at, started_at,
             finished_at
      from jobs
      where organization_id = ${organizationId} and (
        id = any(${[...jobs]}::uuid[]) or datasets && ${[...datasets]}::uuid[]
        or models && ${[...models]}::uuid[] or documents && ${[...documents]}::uuid[])
      order by created_at desc, id desc limit ${MOST_LINKS}`,
  );
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
export async function listJobs<Row extends JobRow>(
  db: Database,
  organizationId: string,
  kinds: readonly Row["kind"][],
  filter: JobFilter,
  page: { readonly limit: number; readonly after: PageEnd | null },
): Promise<readonly Row[]> {
  const { status, name, tags = [], datasetId, createdFrom, createdBefore } = filter;
  const { after } = page;
  // Each kind's newest by its own part of the index, then the newest of these.
  return db.read<Row[]>(
    organizationId,
    (sql) => sql`
      select job.* from unnest(${[...kinds]}::text[]) as listed
      cross join lateral (
        select ${sql.unsafe(COLUMNS)} from jobs
        where organization_id = ${organizationId} and kind = listed
          ${status ? sql`and status = ${status}` : sql``}
          ${name === undefined ? sql`` : name.isPrefix ? sql`and name like ${likePrefix(name.text)}` : sql`and name = ${name.text}`}
          ${tags.length > 0 ? tags.map((tag) => sql`and ${tagCondition(sql, tag)}`) : sql``}
          ${datasetId ? sql`and datasets @> array[${datasetId}::uuid]` : sql``}
          ${createdFrom ? sql`and created_at >= ${createdFrom}::timestamptz` : sql``}
          ${createdBefore ? sql`and created_at < ${createdBefore}::timestamptz` : sql``}
          ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
        order by created_at desc, id desc
        limit ${page.limit + 1}
      ) as job
      order by job.created_at desc, job.id desc
      limit ${page.limit + 1}`,
  );
}

const likePrefix = (text: string): string => `${text.replace(/[\\%_]/g, "\\$&")}%`;

/** A value is compared as a text, and as the number, boolean or null that it spells. */
function tagCondition(sql: Sql, { key, value }: TagFilter) {
  if (value === null) return sql`searchable_tags(tags) ? ${key}`;
  const spelt = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value) ? [value] : [];
  const objects = [JSON.stringify(value), ...spelt].map(
    (text) => `{${JSON.stringify(key)}:${text}}`,
  );
  return sql`searchable_tags(tags) @> any(${objects}::text[]::jsonb[])`;
}

/** What the run needs and nobody is shown, as the kind has registered it. For the worker. */
export async function readInputs<Inputs>(
  db: Database,
  id: string,
): Promise<{ readonly inputs: Inputs; readonly sealed: string | null }> {
  const [row] = await db.systemQuery(
    (sql) => sql<{ inputs: Inputs; sealed: string | null }[]>`
      select inputs, sealed from jobs where id = ${id}`,
  );
  if (!row) throw new Error(`the job ${id} is gone`);
  return row;
}

/** @returns the job as it runs, and seconds since it was first begun; null where it has ended, and stays as it ended */
export async function markRunning<Row extends JobRow>(
  sql: Sql,
  id: string,
): Promise<{ readonly job: Row; readonly seconds: number } | null> {
  const rows = await sql<(Row & { readonly seconds: number })[]>`
    update jobs
    set status = 'running', retry = null, started_at = coalesce(started_at, now()), updated_at = now()
    where id = ${id} and status in ('pending', 'running')
    returning ${sql.unsafe(COLUMNS)}, extract(epoch from now() - started_at)::float8 as seconds`;
  const [job] = rows;
  return job ? { job, seconds: job.seconds } : null;
}

/** False where the job had ended before, or was asked to end: who cancels it is told that it does. */
export async function markCompleted(sql: Sql, id: string, result: unknown): Promise<boolean> {
  const rows = await sql`
    update jobs
    set status = 'completed', result = ${json(result)}::text::json, sealed = null, retry = null,
        finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running') and cancel_requested_at is null
    returning id`;
  return rows.length > 0;
}

/** False where the job had ended before. */
export async function markFailed(sql: Sql, id: string, message: string): Promise<boolean> {
  const rows = await sql`
    update jobs
    set status = 'failed', error_message = ${message}, sealed = null, retry = null,
        finished_at = now(), updated_at = now()
    where id = ${id} and status in ('pending', 'running')
    returning id`;
  return rows.length > 0;
}

/** What the job was when it was asked to end; null where it had ended before. */
export async function requestCancel(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<JobStatus | null> {
  const [row] = await sql<{ status: JobStatus }[]>`
    update jobs set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
    where organization_id = ${organizationId} and id = ${id} and status in ('pending', 'running')
    returning status`;
  return row?.status ?? null;
}

export async function cancelIsRequested(db: Database, id: string): Promise<boolean> {
  const rows = await db.systemQuery(
    (sql) => sql`
      select 1 from jobs where id = ${id}
        and (cancel_requested_at is not null or status = 'failed')`,
  );
  return rows.length > 0;
}

/** Of a job that is open still. */
export async function saveRetry(sql: Sql, id: string, retry: JobRetry): Promise<void> {
  await sql`
    update jobs set retry = ${json(retry)}::text::json, updated_at = now()
    where id = ${id} and status in ('pending', 'running')`;
}

export async function saveProgress(sql: Sql, id: string, progress: unknown): Promise<void> {
  await sql`
    update jobs set progress = ${json(progress)}::text::json, updated_at = now() where id = ${id}`;
}

/** What a job that runs has made so far. */
export async function saveResult(sql: Sql, id: string, result: unknown): Promise<void> {
  await sql`update jobs set result = ${json(result)}::text::json where id = ${id}`;
}

export async function saveDetails(sql: Sql, id: string, details: unknown): Promise<void> {
  await sql`update jobs set details = ${json(details)}::text::json where id = ${id}`;
}

/** How many open jobs refer to the resource, by kind. */
export async function countOpenJobs(
  sql: Sql,
  organizationId: string,
  resource: Resource,
  id: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ kind: string; count: number }[]>`
    select kind, count(*) as count from jobs
    where organization_id = ${organizationId} and ${sql.unsafe(resource)} @> array[${id}::uuid]
      and status in ('pending', 'running')
    group by kind order by kind`;
  return new Map(rows.map(({ kind, count }) => [kind, count]));
}

/** How many jobs there are. @param organizationId null = of every one */
export async function countJobs(
  db: Database,
  organizationId: string | null,
): Promise<readonly JobCount[]> {
  return db.systemQuery(
    (sql) => sql<JobCount[]>`
      select organization_id, kind, status, count(*) as count from jobs
      where ${organizationId}::uuid is null or organization_id = ${organizationId}::uuid
      group by organization_id, kind, status order by organization_id, kind, status`,
  );
}

export async function deleteJob(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    delete from jobs where organization_id = ${organizationId} and id = ${id}
      and status in ('completed', 'failed') returning id`;
  return rows.length > 0;
}

/** Those of the ids whose objects are kept: what a pruned job had is nobody's. */
export async function keepingJobs(sql: Sql, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from jobs where id = any(${[...ids]}::uuid[]) and pruned_at is null`;
  return rows.map(({ id }) => id);
}

/** Entries of a job's log behind the sequence `after`, oldest first. */
export async function readEvents<Event>(
  db: Database,
  jobId: string,
  after = 0,
): Promise<readonly { readonly sequence: number; readonly event: Event }[]> {
  return db.systemQuery(
    (sql) => sql<{ sequence: number; event: Event }[]>`
      select sequence, event from job_events
      where job_id = ${jobId} and sequence > ${after} order by sequence`,
  );
}

/** The sequence follows what the writer has read; a gap or a second writer breaks the key. */
export async function appendEvent(
  sql: Sql,
  job: Pick<JobRow, "id" | "organization_id">,
  sequence: number,
  event: unknown,
): Promise<void> {
  await sql`
    insert into job_events (job_id, sequence, organization_id, event)
    values (${job.id}, ${sequence}, ${job.organization_id}, ${json(event)}::text::json)`;
}
