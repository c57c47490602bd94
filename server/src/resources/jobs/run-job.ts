/** Works the queues of all kinds in this process: claims jobs, and runs each to its end. */

import type { Services } from "../../api/services.ts";
import { DISK_FULL, isDiskFull } from "../../platform/files/disk-full.ts";
import { isOfSurroundings } from "../../platform/queue/lasting-failures.ts";
import type { Task } from "../../platform/queue/queue.ts";
import { QuotaExceeded } from "../quotas/service.ts";
import type { JobRow } from "./job.ts";
import { isOpen } from "./job.ts";
import type { JobKind, JobTask } from "./kind.ts";
import { measureJob } from "./measure.ts";
import { ProgressWriter } from "./progress-writer.ts";
import {
  cancelIsRequested,
  findJobAsSystem,
  markCompleted,
  markFailed,
  markRunning,
  saveProgress,
  saveRetry,
} from "./store.ts";

const CANCEL_POLL_MS = 500;
const POSTPONE_SECONDS = 1;

export const CANCELLED = "The job was cancelled.";

/** One job of each kind at a time: a run keeps the threads that it computes on busy by itself. */
export async function workJobs(services: Services, kinds: readonly JobKind[]): Promise<void> {
  for (const kind of kinds) {
    await services.queue.work(kind.queue, {
      concurrency: 1,
      ...(kind.needs && { needs: kind.needs.all }),
      handle: (task) => runJob(services, kind, task),
      exhausted: ({ job_id }, message) => failJob(services, kind, job_id, message),
    });
  }
}

/** What is thrown is tried again, by this process or another: the job stays open. */
async function runJob(services: Services, kind: JobKind, task: Task<JobTask>): Promise<void> {
  const { db, log } = services;
  const jobId = task.payload.job_id;
  const found = await findJobAsSystem(db, kind.name, jobId);
  if (!found || !isOpen(found) || (await postponed(services, kind, task, found))) return;
  log.info({ job: jobId, attempt: task.attempt }, `${kind.name} begins`);
  const startedAt = performance.now();
  const ended = (status: "completed" | "failed", reason?: string): void => {
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    log.info({ job: jobId, status, seconds, ...(reason && { reason }) }, `${kind.name} ended`);
  };
  const cancel = new AbortController();
  const watch = setInterval(() => {
    // A failed look is repeated by the next.
    cancelIsRequested(db, jobId).then(
      (requested) => requested && cancel.abort(),
      () => undefined,
    );
  }, CANCEL_POLL_MS);
  try {
    const begun = await db.system(async (sql) => {
      await task.fence(sql);
      const running = await markRunning<JobRow>(sql, jobId);
      if (running) await kind.follow?.(sql, jobId, "running", "");
      return running;
    });
    // It was cancelled since it was found.
    if (!begun) return;
    const progress = new ProgressWriter<unknown>(services, jobId);
    const signal = AbortSignal.any([task.signal, cancel.signal]);
    const since = performance.now();
    const elapsed = (): number => begun.seconds + (performance.now() - since) / 1000;
    const scene = { services, task, signal, progress, elapsed };
    const { result, alongside } = await kind.run(scene, begun.job);
    await progress.flush();
    const isCompleted = await db.system(async (sql) => {
      await task.fence(sql);
      if (!(await markCompleted(sql, jobId, result))) return false;
      await alongside?.(sql);
      return true;
    });
    if (!isCompleted) {
      // It was asked to end since the last look.
      cancel.abort();
      cancel.signal.throwIfAborted();
    }
    await measured(services, kind, found);
    ended("completed");
  } catch (error) {
    const reason = cancel.signal.aborted
      ? CANCELLED
      : error instanceof QuotaExceeded || (!isOfSurroundings(error) && kind.isOwnFault(error))
        ? error.message
        : null;
    if (reason === null) {
      await notedRetry(services, task, jobId, error);
      throw error;
    }
    await failJob(services, kind, jobId, reason);
    await measured(services, kind, found);
    ended("failed", reason);
  } finally {
    clearInterval(watch);
  }
}

/** For those who look at the job meanwhile. Where even that cannot be written, the attempt says why it failed. */
async function notedRetry(
  { db, log }: Services,
  task: Task<JobTask>,
  jobId: string,
  error: unknown,
): Promise<void> {
  // Who took the task, or ends the process, has no failure to tell of.
  if (task.signal.aborted) return;
  const said = error instanceof Error ? error.message : String(error);
  const message = isDiskFull(error) ? DISK_FULL : said;
  const retry = { attempt: task.attempt, message, failed_at: new Date().toISOString() };
  const noted = db.system(async (sql) => {
    await task.fence(sql);
    await saveRetry(sql, jobId, retry);
  });
  await noted.catch((failure: unknown) => {
    log.warn({ err: failure, job: jobId }, "a failed attempt could not be noted");
  });
}

/** It has ended: where its objects cannot be listed now, the clock does it later. */
async function measured(services: Services, kind: JobKind, job: JobRow): Promise<void> {
  await measureJob(services, kind, job).catch((error: unknown) => {
    services.log.warn({ err: error, job: job.id }, "the objects of a job could not be measured");
  });
}

/**
 * A job whose needs are not there yet goes to the end of its queue, so that others do not wait for them
 * as well. It stays pending.
 */
async function postponed(
  services: Services,
  kind: JobKind,
  task: Task<JobTask>,
  job: JobRow,
): Promise<boolean> {
  const progress = (await kind.waiting?.(services, job)) ?? null;
  if (progress === null) return false;
  await services.db.system(async (sql) => {
    await task.fence(sql);
    await saveProgress(sql, job.id, progress);
    const need = kind.needs?.of(job.request) ?? null;
    const options = { startAfterSeconds: POSTPONE_SECONDS, need };
    await services.queue.send(sql, kind.queue, { job_id: job.id }, options);
  });
  return true;
}

/** Ends an open job as failed, and what it makes with it. */
async function failJob(
  services: Services,
  kind: JobKind,
  jobId: string,
  message: string,
): Promise<void> {
  await services.db.system(async (sql) => {
    if (await markFailed(sql, jobId, message)) await kind.follow?.(sql, jobId, "failed", message);
  });
  if (!kind.discard) return;
  const job = await findJobAsSystem(services.db, kind.name, jobId);
  if (job?.status === "failed") await kind.discard(services, job);
}
