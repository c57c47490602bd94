/** The SQL of what ended jobs keep, how much that is, and until when things were used by jobs. */

import type { Database, Sql } from "../../platform/db/database.ts";
import type { JobRow, Resource } from "./job.ts";

export interface EndedRow extends Pick<JobRow, "id" | "kind" | "name" | "pruned_at"> {
  readonly status: "completed" | "failed";
  readonly finished_at: Date;
  /** Of its objects; 0 until they are measured. */
  readonly bytes: number;
}

export async function listEnded(sql: Sql, organizationId: string): Promise<readonly EndedRow[]> {
  return await sql<EndedRow[]>`
    select id, kind, name, status, coalesce(finished_at, updated_at) as finished_at, pruned_at,
           coalesce(kept_bytes, 0) as bytes
    from jobs where organization_id = ${organizationId} and status in ('completed', 'failed')`;
}

/** When a job that refers to one of the resource last ended, by id. */
export async function lastUses(
  sql: Sql,
  organizationId: string,
  resource: Resource,
): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql<{ id: string; at: Date }[]>`
    select used.id, max(coalesce(finished_at, jobs.updated_at)) as at
    from jobs, unnest(${sql.unsafe(resource)}) as used(id)
    where organization_id = ${organizationId}
    group by used.id`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Ids that open jobs refer to. */
export async function openReferences(
  sql: Sql,
  organizationId: string,
  resource: Resource,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select distinct used.id from jobs, unnest(${sql.unsafe(resource)}) as used(id)
    where organization_id = ${organizationId} and status in ('pending', 'running')`;
  return new Set(rows.map(({ id }) => id));
}

/** False where it is open, or was pruned before. */
export async function pruneEnded(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  const rows = await sql`
    update jobs set pruned_at = now(), kept_bytes = 0
    where organization_id = ${organizationId} and id = ${id}
      and status in ('completed', 'failed') and pruned_at is null
    returning id`;
  if (rows.length === 0) return false;
  await sql`delete from job_events where job_id = ${id}`;
  return true;
}

/** Of a job that was not pruned meanwhile. */
export async function saveKeptBytes(db: Database, id: string, bytes: number): Promise<void> {
  await db.systemQuery(
    (sql) => sql`update jobs set kept_bytes = ${bytes} where id = ${id} and pruned_at is null`,
  );
}

/** Ended ones whose objects nobody has measured, of any organization. */
export async function listUnmeasured(
  db: Database,
  limit: number,
): Promise<readonly Pick<JobRow, "id" | "organization_id" | "kind">[]> {
  return db.systemQuery(
    (sql) => sql<Pick<JobRow, "id" | "organization_id" | "kind">[]>`
      select id, organization_id, kind from jobs
      where kept_bytes is null and status in ('completed', 'failed')
      order by finished_at limit ${limit}`,
  );
}
