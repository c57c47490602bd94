/** Runs one document job to its end. What it makes is a function of its documents and its request. */

import { mkdir, rm } from "node:fs/promises";
import { InductionLimitError } from "../../induction/runner/induction-runner.ts";
import type { Platform } from "../../platform.ts";
import type { Task } from "../../queue/queue.ts";
import { localFolder } from "../parse-document.ts";
import { setSchemaStatus } from "../schemas/store.ts";
import { findDocuments } from "../store.ts";
import { CANCELLED, queueOf } from "./definition.ts";
import { JobFault } from "./job-fault.ts";
import { ProgressWriter } from "./progress.ts";
import { runExtraction } from "./run-extraction.ts";
import { runInduction } from "./run-induction.ts";
import {
  cancelIsRequested,
  findJobAsSystem,
  type JobRow,
  markFailed,
  markRunning,
  saveProgress,
} from "./store.ts";

const CANCEL_POLL_MS = 500;

/** What a running job has at hand. */
export interface JobScene {
  readonly platform: Platform;
  readonly task: Task<unknown>;
  readonly signal: AbortSignal;
  readonly progress: ProgressWriter;
  /** Of this attempt's own, removed at its end. */
  readonly folder: string;
}

/** What is thrown is tried again, by this process or another: the job stays open. */
export async function runDocumentJob(
  platform: Platform,
  task: Task<{ job_id: string }>,
): Promise<void> {
  const { db, log } = platform;
  const jobId = task.payload.job_id;
  const found = await findJobAsSystem(db, jobId);
  if (!found || found.status === "completed" || found.status === "failed") return;
  if (await postponed(platform, task, found)) return;
  log.info({ job: jobId, kind: found.kind, attempt: task.attempt }, "document job begins");
  const startedAt = performance.now();
  const ended = (status: "completed" | "failed", reason?: string): void => {
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    const facts = { job: jobId, kind: found.kind, status, seconds, ...(reason && { reason }) };
    log.info(facts, "document job ended");
  };
  const cancel = new AbortController();
  const watch = setInterval(() => {
    // A failed look is repeated by the next.
    cancelIsRequested(db, jobId).then(
      (requested) => requested && cancel.abort(),
      () => undefined,
    );
  }, CANCEL_POLL_MS);
  const folder = localFolder(platform, `job-${task.id}-${task.attempt}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await db.system(async (sql) => {
      await task.fence(sql);
      await markRunning(sql, jobId);
      if (found.kind === "induction") await setSchemaStatus(sql, jobId, "running");
    });
    const job = (await findJobAsSystem(db, jobId)) ?? found;
    const signal = AbortSignal.any([task.signal, cancel.signal]);
    await run({ platform, task, signal, progress: new ProgressWriter(platform, job), folder }, job);
    ended("completed");
  } catch (error) {
    const reason = cancel.signal.aborted ? CANCELLED : isOwnFault(error) ? error.message : null;
    if (reason === null) throw error;
    await failJob(platform, jobId, reason);
    ended("failed", reason);
  } finally {
    clearInterval(watch);
    await rm(folder, { recursive: true, force: true });
  }
}

const POSTPONE_SECONDS = 1;

/**
 * A job whose documents are still parsed goes to the end of its queue, so that others do not wait for
 * its scans as well. It stays pending.
 */
async function postponed(
  { db, queue }: Platform,
  task: Task<{ job_id: string }>,
  job: JobRow,
): Promise<boolean> {
  const documents = await findDocuments(db, job.organization_id, job.document_ids);
  const total = documents.length;
  const done = documents.filter(({ status }) => status !== "parsing").length;
  if (done === total) return false;
  await db.system(async (sql) => {
    await task.fence(sql);
    const progress = { phase: "waiting", done, total, seconds: 0, estimate: null } as const;
    await saveProgress(sql, job.id, progress);
    const options = { startAfterSeconds: POSTPONE_SECONDS };
    await queue.send(sql, queueOf(job.kind), { job_id: job.id }, options);
  });
  return true;
}

async function run(scene: JobScene, job: JobRow): Promise<void> {
  if (job.kind === "induction") await runInduction(scene, job);
  else await runExtraction(scene, job);
  await scene.progress.flush();
}

/** Faults of the documents or the request, which another try would meet again. */
function isOwnFault(error: unknown): error is Error {
  return error instanceof JobFault || error instanceof InductionLimitError;
}

/** Ends an open job as failed, and its schema with it. */
export async function failJob(platform: Platform, jobId: string, message: string): Promise<void> {
  await platform.db.system(async (sql) => {
    if (await markFailed(sql, jobId, message)) {
      await setSchemaStatus(sql, jobId, "failed", message);
    }
  });
}
