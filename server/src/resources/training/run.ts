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
  type RunState,
  readModelFile,
  runConfigSchema,
  TaskFailedError,
  TeacherError,
  writeReport,
} from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import { findDataset, withTableFile } from "../datasets/service.ts";
import type { JobEnd, JobScene } from "../jobs/kind.ts";
import { readInputs, saveDetails } from "../jobs/service.ts";
import { completeAndRegister } from "../models/service.ts";
import {
  datasetOf,
  type TrainingInputs,
  type TrainingJobRow,
  type TrainingProgress,
} from "./job.ts";
import { toJobConfig } from "./job-config.ts";
import { furtherModels, modelIdOf } from "./job-models.ts";
import { trainingNeeds } from "./needs.ts";
import { predictSecondsOf } from "./predict-seconds.ts";
import { toRunConfig } from "./run-config.ts";
import { JobRunStore } from "./run-store.ts";
import { openTeacher } from "./teachers/open-teacher.ts";
import { inWireNames, inWireWords } from "./wire-names.ts";

/** Faults of the request or the data, which another try would meet again. */
export function isOwnFault(error: unknown): error is Error {
  return (
    error instanceof AllTrialsFailedError ||
    error instanceof ConfigError ||
    error instanceof DataError ||
    error instanceof TaskFailedError ||
    error instanceof TeacherError
  );
}

/** @throws what ails the request or the data, in the request's words */
export async function train(
  scene: JobScene<TrainingProgress | null>,
  job: TrainingJobRow,
): Promise<JobEnd<TrainingJobRow["result"]>> {
  try {
    return await trained(scene, job);
  } catch (error) {
    throw inWireWords(error);
  }
}

async function trained(
  { services, task, signal, progress }: JobScene<TrainingProgress | null>,
  job: TrainingJobRow,
): Promise<JobEnd<TrainingJobRow["result"]>> {
  const startedAt = performance.now();
  const lacking = await lackingDevice(services, job);
  const progressNow = (state: RunState): TrainingProgress => ({
    ...progressOf(state, Date.now()),
    ...(lacking !== null && { lacking }),
  });
  const { db, compute, objects } = services;
  const pool = compute.training;
  if (!pool) throw new Error("This process has no training threads.");
  const { organization_id: organizationId, request } = job;
  const dataset = await findDataset(db, organizationId, datasetOf(job));
  if (!dataset) throw new DataError("The dataset of this job has been deleted.");
  const { inputs, sealed } = await readInputs<TrainingInputs>(db, job.id);
  const asked = runConfigSchema.parse(toRunConfig(request, inputs.warm_start));
  const teacher = await openTeacher(services, job, sealed, pool);
  const store = new JobRunStore(db, objects, job, (sql) => task.fence(sql));
  const config = await continuedConfig(asked, store);
  const prepared = await withTableFile({ services, organizationId, dataset, signal }, (file) => {
    const spent = { seconds: (performance.now() - startedAt) / 1000, threads: pool.threads };
    return prepareRun(
      { file: compute.bounded(file), config, spent },
      pool,
      signal,
      teacher ? { teacher, store } : undefined,
    );
  });
  // Before they are in the log: the card and the report repeat them.
  const warnings = prepared.plan.warnings.map(inWireNames);
  const run = { ...prepared, plan: { ...prepared.plan, warnings } };
  const record = toJobConfig(request, dataset.columns, run.plan);
  await db.systemQuery((sql) => saveDetails(sql, job.id, { ...job.details, record }));
  const driver = new RunDriver({
    run,
    config,
    store,
    pool,
    signal,
    // One behind a URL is not asked again, only to be timed.
    teacher: request.teacher_model_id == null ? undefined : (teacher ?? undefined),
    startedAt,
    onEvent: (event, state) => {
      if (event.type === "device_reported") {
        services.log.info({ job: job.id, device: event.report }, "the devices of a training job");
      }
      progress.at(state.phase, () => progressNow(state));
    },
  });
  const state = await driver.drive();
  progress.save(progressNow(state));
  await progress.flush();
  await report(services, job, driver);
  const documents = await Promise.all(
    state.selections.map(async (_, model) =>
      parseModelDocument(await readModelFile(store, "model.json", model)),
    ),
  );
  const foldRows = run.folds.map(({ valid }) => valid.length);
  return {
    result: {
      scores: run.plan.metrics.map((metric) => documents[0]?.card.scores[metric] ?? null),
      further_models: furtherModels(job, state.selections),
    },
    alongside: async (sql) => {
      for (const [model, { schema: _, ...stored }] of documents.entries()) {
        const files = state.models?.[model]?.files ?? [];
        const timing = {
          fit_seconds: progressOf(state, Date.now()).seconds,
          predict_seconds: predictSecondsOf(stored.members, state.trials, foldRows),
        };
        await completeAndRegister(sql, modelIdOf(job, model), { document: stored, files, timing });
      }
    },
  };
}

/** Where a job asks for a device that no worker has: the CPU computes, and this says why. */
async function lackingDevice(
  { queue, log, compute }: Services,
  { id, request }: TrainingJobRow,
): Promise<string | null> {
  const need = trainingNeeds.of(request);
  if (need === null || (await queue.offers(need))) return null;
  const lacking = `no worker has a device for ${need}`;
  const { devices, missing } = compute.offer.devices;
  const held = devices.flatMap(({ name, reason }) => (reason === null ? [] : `${name}: ${reason}`));
  log.info({ job: id, here: [...held, ...missing] }, `${lacking}; the CPU trains`);
  return lacking;
}

/** A model that is trained is not lost because its report could not be made. */
async function report(services: Services, job: TrainingJobRow, driver: RunDriver): Promise<void> {
  try {
    await writeReport(driver, { name: job.name });
  } catch (error) {
    driver.throwIfCancelled();
    services.log.error({ err: error, job: job.id }, "the report could not be written");
  }
}
