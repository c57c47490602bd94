/** What is done with jobs, by the operations of their areas and by those of what they refer to. */

import type { AuthedContext, Principal } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import type { OwnerKind } from "../../platform/objects/holds.ts";
import { removeUnowned } from "../../platform/objects/unowned.ts";
import { keepWithinQuotas } from "../quotas/service.ts";
import { pruneEnded } from "./ended-store.ts";
import type { JobRow, NewJob, Resource } from "./job.ts";
import type { JobKind } from "./kind.ts";
import { jobKey } from "./object-keys.ts";
import { CANCELLED } from "./run-job.ts";
import {
  countJobs,
  countOpenJobs,
  deleteJob,
  findJob,
  insertJob,
  keepingJobs,
  markFailed,
  requestCancel,
} from "./store.ts";

/** For whom something is done with jobs, by a request or by the clock. */
export interface JobScope {
  readonly services: Services;
  readonly auth: Pick<Principal, "organizationId">;
}

/**
 * The job and its task, in the caller's transaction: neither is there without the other.
 *
 * @throws QuotaExceeded where the organization may have no further open job, or store nothing more
 * @returns false where a job of this id is there already: a repeated request
 */
export async function registerJob<Row extends JobRow>(
  { queue }: Pick<Services, "queue">,
  sql: Sql,
  organizationId: string,
  kind: Pick<JobKind<Row>, "name" | "queue" | "needs">,
  job: NewJob<Row>,
): Promise<boolean> {
  if (!(await insertJob(sql, organizationId, kind.name, job))) return false;
  await keepWithinQuotas(sql, organizationId, { open_jobs: 0, total_bytes: 1 });
  const need = kind.needs?.of(job.request) ?? null;
  await queue.send(sql, kind.queue, { job_id: job.id }, { need });
  return true;
}

/**
 * A job of one of these kinds.
 *
 * @param called what a 404 calls it
 * @throws 404
 */
export async function requireJob<Row extends JobRow>(
  { services, auth }: JobScope,
  kinds: readonly JobKind<Row>[],
  id: string,
  called = "job",
): Promise<Row> {
  const names = kinds.map(({ name }) => name);
  const job = await findJob<Row>(services.db, auth.organizationId, names, id);
  if (!job) throw notFound(called);
  return job;
}

/** By kind and status. @param organizationId null = of every organization */
export const jobCounts = ({ db }: Pick<Services, "db">, organizationId: string | null) =>
  countJobs(db, organizationId);

/** As it is then; a job that ended cannot be cancelled. @throws 404, 409 */
export async function cancelJob<Row extends JobRow>(
  ctx: AuthedContext,
  kinds: readonly JobKind<Row>[],
  id: string,
  called?: string,
): Promise<Row> {
  const { services, auth } = ctx;
  const job = await requireJob(ctx, kinds, id, called);
  const kind = kinds.find(({ name }) => name === job.kind);
  let ended = false;
  const was = await services.db.forOrganization(auth.organizationId, async (sql) => {
    const status = await requestCancel(sql, auth.organizationId, id);
    // A pending job has no worker that would see the request.
    if (status === "pending" && (await markFailed(sql, id, CANCELLED))) {
      ended = true;
      await kind?.follow?.(sql, id, "failed", CANCELLED);
    }
    return status;
  });
  if (ended) await kind?.discard?.(services, job);
  const now = await requireJob(ctx, kinds, id, called);
  if (was === null) throw conflict(`The job is ${now.status} already.`);
  return now;
}

/** @throws 404, or 409 while the job is open */
export async function removeJob<Row extends JobRow>(
  ctx: JobScope,
  kinds: readonly JobKind<Row>[],
  id: string,
  called?: string,
): Promise<void> {
  const { services, auth } = ctx;
  const job = await requireJob(ctx, kinds, id, called);
  const deleted = await services.db.forOrganization(auth.organizationId, (sql) =>
    deleteJob(sql, auth.organizationId, id),
  );
  if (!deleted) {
    // Another request may have deleted it meanwhile, or the job may have ended.
    const { status } = await requireJob(ctx, kinds, id, called);
    throw conflict(`The job is ${status}; cancel it first.`);
  }
  for (const { name, area } of kinds) {
    if (name === job.kind) await removeUnowned(services, jobKey(area, job, ""));
  }
}

/** The log and the objects of an ended job go, the job stays and says so. @throws 404, 409 */
export async function pruneJob(
  ctx: JobScope,
  kinds: readonly JobKind[],
  id: string,
): Promise<void> {
  const { services, auth } = ctx;
  const job = await requireJob(ctx, kinds, id);
  const pruned = await services.db.forOrganization(auth.organizationId, (sql) =>
    pruneEnded(sql, auth.organizationId, id),
  );
  if (!pruned) throw conflict("The job is open, or keeps nothing any more.");
  const kind = kinds.find(({ name }) => name === job.kind);
  if (kind) await removeUnowned(services, jobKey(kind.area, job, ""));
}

/** Of what jobs keep in the object store. */
export function jobOwners(kinds: readonly JobKind[]): readonly OwnerKind[] {
  const folders = new Set(kinds.map(({ area }) => area.folder));
  return [...folders].map((folder) => ({ folder, existing: keepingJobs }));
}

/**
 * To be asked behind the delete of the resource, in its transaction: it then waits for a job that is
 * being registered with it.
 *
 * @throws 409 in the words of the kind whose open jobs refer to the resource
 */
export async function refuseWhileUsed(
  sql: Sql,
  kinds: readonly JobKind[],
  organizationId: string,
  resource: Resource,
  id: string,
): Promise<void> {
  const counts = await countOpenJobs(sql, organizationId, resource, id);
  for (const [name, open] of counts) {
    const refusal = kinds.find((kind) => kind.name === name)?.refusals?.[resource];
    const singular = resource.slice(0, -1);
    throw conflict(
      refusal?.(open) ?? `An open ${name} refers to this ${singular}; cancel or await it first.`,
    );
  }
}

export { lastUses, listEnded, openReferences } from "./ended-store.ts";
export { jobKey } from "./object-keys.ts";
export {
  appendEvent,
  countOpenJobs,
  findJob,
  findJobAsSystem,
  findLinks,
  type JobFilter,
  readEvents,
  readInputs,
  saveDetails,
  saveResult,
} from "./store.ts";
