/**
 * A batch prediction: rows in, predictions out, part by part. Each part is an object of its own until all
 * are there, so that a run that is taken up again goes on behind the last one; the file is then the parts
 * behind each other, to the same bytes.
 */

import { DataError, type TableFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import type { ScoringRequest } from "../../platform/compute/scoring/scoring-request.ts";
import { registerFile } from "../datasets/service.ts";
import type { JobEnd, JobScene } from "../jobs/kind.ts";
import { findModel, localModels } from "../models/service.ts";
import type { BatchJobRow, BatchProgress, BatchResult } from "./job.ts";
import { dropWork, finishedResult, outputKey, putResult } from "./objects.ts";
import { RowProgress } from "./progress.ts";
import { scoreAndAssemble } from "./score-parts.ts";
import { withRows } from "./source.ts";

type Scene = JobScene<BatchProgress | null>;

export async function predictBatch(scene: Scene, job: BatchJobRow): Promise<JobEnd<BatchResult>> {
  const { services, signal } = scene;
  const progress = new RowProgress(scene);
  const result = (await finishedResult(services, job)) ?? (await make(scene, job, progress));
  signal.throwIfAborted();
  if (job.request.dataset !== null) {
    progress.at("registering");
    await register(services, job, job.request.dataset, result);
  }
  signal.throwIfAborted();
  await dropWork(services, job);
  progress.at("done");
  return { result };
}

async function make({ services, signal }: Scene, job: BatchJobRow, progress: RowProgress) {
  const model = await findModel(services.db, job.organization_id, job.details.model_id);
  if (model === null) throw new DataError("The model was deleted.");
  const folder = await localModels(services).folder(
    job.organization_id,
    model.id,
    model.files,
    true,
  );
  progress.at("reading");
  return withRows({ services, signal }, job, async (file, warnings) => {
    const request = requestOf(job, folder, file);
    const result = await scoreAndAssemble({ services, signal }, job, request, progress);
    const stored = { ...result, warnings: [...warnings, ...result.warnings] };
    await putResult(services, job, stored);
    return stored;
  });
}

function requestOf(
  { request }: BatchJobRow,
  model: string,
  file: TableFile | null,
): ScoringRequest {
  const {
    columns,
    format,
    intervals,
    coverage,
    contributions,
    prefix,
    on_error: onError,
  } = request;
  return {
    ...{
      model,
      table: file?.path ?? null,
      columns,
      format,
      intervals,
      contributions,
      prefix,
      onError,
    },
    coverage: coverage ?? undefined,
  };
}

const KINDS = {
  double: "numeric",
  integer: "numeric",
  long: "numeric",
  boolean: "boolean",
  timestamp: "timestamp",
} as const;

async function register(
  services: Services,
  job: BatchJobRow,
  { id, name }: NonNullable<BatchJobRow["request"]["dataset"]>,
  { fields }: BatchResult,
): Promise<void> {
  const { format } = job.request;
  const kinds = fields.flatMap(({ name: column, type }) =>
    type === "text" ? [] : [[column, KINDS[type]] as const],
  );
  const source = { kind: "batch_prediction", job_id: job.id, model_id: job.details.model_id };
  const registrant = { services, organizationId: job.organization_id, id };
  await registerFile(registrant, async (store) => {
    await store(services.objects.get(outputKey(job)));
    return { name, format, kinds: Object.fromEntries(kinds), source };
  }).catch((error: unknown) => {
    if (!(error instanceof DataError)) throw error;
    throw new DataError(`The predictions cannot become a dataset: ${error.message}`, {
      cause: error,
    });
  });
}
