/** Runs one training job to its end, from wherever its log is. */

import {
  AllTrialsFailedError,
  ConfigError,
  continuedConfig,
  DataError,
  parseModelDocument,
  prepareRun,
  progressOf,
  RunDriver,
  type RunEvent,
  type RunState,
  readModelFile,
  runConfigSchema,
  TaskFailedError,
  TeacherError,
  writeReport,
} from "@distillery/engine";
import { findDataset } from "../datasets/service.ts";
import { completeModel, setModelsStatus } from "../models/lifecycle.ts";
import type { Platform } from "../platform.ts";
import type { Task } from "../queue/queue.ts";
import { CANCELLED } from "./definition.ts";
import { modelIdOf } from "./job-models.ts";
import { withFilteredFile } from "./narrowed-file.ts";
import { toJobConfig } from "./record.ts";
import { toRunConfig } from "./request.ts";
import { JobRunStore } from "./run-store.ts";
import {
  cancelIsRequested,
  findJobAsSystem,
  type JobRow,
  type JobStatus,
  markCompleted,
  markFailed,
  markRunning,
  readInputs,
  saveProgress,
  saveRecord,
} from "./store.ts";
import { openTeacher } from "./teachers/open-teacher.ts";

const CANCEL_POLL_MS = 1000;

/** What is thrown is tried again, by this process or another: the job stays open. */
export async function runJob(platform: Platform, task: Task<{ job_id: string }>): Promise<void> {
  const jobId = task.payload.job_id;
  const job = await findJobAsSystem(platform.db, jobId);
  if (!job || job.status === "completed" || job.status === "failed") return;
  platform.log.info({ job: jobId, attempt: task.attempt }, "training begins");
  const startedAt = performance.now();
  const ended = (status: JobStatus, reason?: string): void => {
    const seconds = Math.round(performance.now() - startedAt) / 1000;
    platform.log.info({ job: jobId, status, seconds, ...(reason && { reason }) }, "training ended");
  };
  const cancel = new AbortController();
  const watch = setInterval(() => {
    // A failed look is repeated by the next.
    cancelIsRequested(platform.db, jobId).then(
      (requested) => requested && cancel.abort(),
      () => undefined,
    );
  }, CANCEL_POLL_MS);
  try {
    await train(platform, job, task, AbortSignal.any([task.signal, cancel.signal]));
    ended("completed");
  } catch (error) {
    const reason = cancel.signal.aborted ? CANCELLED : isOwnFault(error) ? error.message : null;
    if (reason === null) throw error;
    await failJob(platform, jobId, reason);
    ended("failed", reason);
  } finally {
    clearInterval(watch);
  }
}

/** Faults of the request or the data, which another try would meet again. */
function isOwnFault(error: unknown): error is Error {
  return (
    error instanceof AllTrialsFailedError ||
    error instanceof ConfigError ||
    error instanceof DataError ||
    error instanceof TaskFailedError ||
    error instanceof TeacherError
  );
}

async function train(
  platform: Platform,
  job: JobRow,
  task: Task<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const { db, compute, objects } = platform;
  const pool = compute.training;
  if (!pool) throw new Error("This process has no training threads.");
  const dataset = await findDataset(db, job.organization_id, job.dataset_id);
  if (!dataset) throw new DataError("The dataset of this job has been deleted.");
  await db.system(async (sql) => {
    await markRunning(sql, job.id);
    await setModelsStatus(sql, job.id, "running");
  });
  const inputs = await readInputs(db, job.id);
  const asked = runConfigSchema.parse(toRunConfig(job.config, inputs.warm_start));
  const teacher = await openTeacher(platform, job, inputs, pool);
  const store = new JobRunStore(db, objects, job, (sql) => task.fence(sql));
  const config = await continuedConfig(asked, store);
  const { organization_id: organizationId } = job;
  const filter = config.filter ?? null;
  const run = await withFilteredFile(
    { platform, organizationId, dataset, filter, signal },
    (file) => {
      const spent = { seconds: (performance.now() - startedAt) / 1000, threads: pool.threads };
      return prepareRun(
        { file: compute.bounded(file), config, spent },
        pool,
        signal,
        teacher ? { teacher, store } : undefined,
      );
    },
  );
  const record = toJobConfig(job.config, dataset.columns, run.plan);
  await db.systemQuery((sql) => saveRecord(sql, job.id, record));
  const progress = new ProgressWriter(platform, job.id);
  const driver = new RunDriver({
    run,
    config,
    store,
    pool,
    signal,
    // One behind a URL is not asked again, only to be timed.
    teacher: job.config.teacher_model_id == null ? undefined : (teacher ?? undefined),
    startedAt,
    onEvent: (event, state) => progress.onEvent(event, state),
  });
  const state = await driver.drive();
  await progress.flush(state);
  await report(platform, job, driver);
  const documents = await Promise.all(
    state.selections.map(async (_, model) =>
      parseModelDocument(await readModelFile(store, "model.json", model)),
    ),
  );
  const scores = run.plan.metrics.map((metric) => documents[0]?.card.scores[metric] ?? null);
  await db.system(async (sql) => {
    await task.fence(sql);
    for (const [model, { schema: _, ...stored }] of documents.entries()) {
      const files = state.models?.[model]?.files ?? [];
      await completeModel(sql, modelIdOf(job, model), stored, files);
    }
    await markCompleted(sql, job.id, scores);
  });
}

/** A model that is trained is not lost because its report could not be made. */
async function report(platform: Platform, job: JobRow, driver: RunDriver): Promise<void> {
  try {
    await writeReport(driver, { name: job.name });
  } catch (error) {
    driver.throwIfCancelled();
    platform.log.error({ err: error, job: job.id }, "the report could not be written");
  }
}

/** Ends an open job as failed, and its model with it. */
export async function failJob(platform: Platform, jobId: string, message: string): Promise<void> {
  await platform.db.system(async (sql) => {
    if (await markFailed(sql, jobId, message)) {
      await setModelsStatus(sql, jobId, "failed", message);
    }
  });
}

const PROGRESS_MS = 250;

/** Saves progress a few times a second at most; each new phase and the end always. */
class ProgressWriter {
  readonly #platform: Platform;
  readonly #jobId: string;
  #last = 0;
  #phase: RunState["phase"] = "new";
  #writing: Promise<void> = Promise.resolve();

  constructor(platform: Platform, jobId: string) {
    this.#platform = platform;
    this.#jobId = jobId;
  }

  onEvent(_event: RunEvent, state: RunState): void {
    const now = Date.now();
    const samePhase = state.phase === this.#phase;
    if (samePhase && now - this.#last < PROGRESS_MS) return;
    this.#phase = state.phase;
    this.#last = now;
    this.#write(state);
  }

  async flush(state: RunState): Promise<void> {
    this.#write(state);
    await this.#writing;
  }

  #write(state: RunState): void {
    const progress = progressOf(state, Date.now());
    this.#writing = this.#writing
      .then(() => this.#platform.db.systemQuery((sql) => saveProgress(sql, this.#jobId, progress)))
      .catch((error: unknown) => {
        // Progress is for people who look; the log has what counts.
        this.#platform.log.warn({ err: error, job: this.#jobId }, "progress was not saved");
      });
  }
}
