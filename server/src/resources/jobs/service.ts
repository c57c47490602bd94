/** What is done with jobs, by the operations of their areas and by those of what they refer to. */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import type { Sql } from "../../platform/db/database.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { type OwnerKind, ownerPrefix } from "../../platform/objects/holds.ts";
import type { JobRow, NewJob, Resource } from "./job.ts";
import type { JobArea, JobKind } from "./kind.ts";
import { CANCELLED } from "./run-job.ts";
import {
  countOpenJobs,
  deleteJob,
  existingJobs,
  findJob,
  insertJob,
  markFailed,
  requestCancel,
} from "./store.ts";

/**
 * The job and its task, in the caller's transaction: neither is there without the other.
 *
 * @returns false where a job of this id is there already: a repeated request
 */
export async function registerJob<Row extends JobRow>(
  { queue }: Pick<Services, "queue">,
  sql: Sql,
  organizationId: string,
  kind: Pick<JobKind<Row>, "name" | "queue">,
  job: NewJob<Row>,
): Promise<boolean> {
  if (!(await insertJob(sql, organizationId, kind.name, job))) return false;
  await queue.send(sql, kind.queue, { job_id: job.id });
  return true;
}

/**
 * A job of one of these kinds.
 *
 * @param called what a 404 calls it
 * @throws 404
 */
export async function requireJob<Row extends JobRow>(
  { services, auth }: AuthedContext,
  kinds: readonly JobKind<Row>[],
  id: string,
  called = "job",
): Promise<Row> {
  const names = kinds.map(({ name }) => name);
  const job = await findJob<Row>(services.db, auth.organizationId, names, id);
  if (!job) throw notFound(called);
  return job;
}

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
  const was = await services.db.forOrganization(auth.organizationId, async (sql) => {
    const status = await requestCancel(sql, auth.organizationId, id);
    // A pending job has no worker that would see the request.
    if (status === "pending" && (await markFailed(sql, id, CANCELLED))) {
      await kind?.follow?.(sql, id, "failed", CANCELLED);
    }
    return status;
  });
  const now = await requireJob(ctx, kinds, id, called);
  if (was === null) throw conflict(`The job is ${now.status} already.`);
  return now;
}

/** @throws 404, or 409 while the job is open */
export async function removeJob<Row extends JobRow>(
  ctx: AuthedContext,
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
    if (name === job.kind) await services.objects.deletePrefix(jobKey(area, job, ""));
  }
}

/** `file` empty = the prefix of all that the job keeps. */
export const jobKey = (
  { folder }: JobArea,
  job: Pick<JobRow, "id" | "organization_id">,
  file: string,
): string => ownerPrefix(job.organization_id, folder, job.id) + file;

/** Of what jobs keep in the object store. */
export function jobOwners(kinds: readonly JobKind[]): readonly OwnerKind[] {
  const folders = new Set(kinds.map(({ area }) => area.folder));
  return [...folders].map((folder) => ({ folder, existing: existingJobs }));
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

export {
  appendEvent,
  countOpenJobs,
  findJob,
  findJobAsSystem,
  type JobFilter,
  readEvents,
  readInputs,
  saveDetails,
  saveResult,
} from "./store.ts";
