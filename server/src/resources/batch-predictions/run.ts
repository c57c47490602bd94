/**
 * A batch prediction: rows in, predictions out, part by part. Each part is an object of its own until all
 * are there, so that a run that is taken up again goes on behind the last one; the file is then the parts
 * behind each other, to the same bytes.
 */

import { DataError, type TableFile } from "@distillery/engine";
import type { Services } from "../../api/services.ts";
import { outputFormat } from "../../platform/compute/scoring/formats/index.ts";
import { mergedWarnings } from "../../platform/compute/scoring/merged-warnings.ts";
import type {
  ScoredPart,
  ScoringPlan,
  ScoringRequest,
} from "../../platform/compute/scoring/scoring-request.ts";
import { registerFile } from "../datasets/service.ts";
import type { JobEnd, JobScene } from "../jobs/kind.ts";
import { findModel, localModels } from "../models/service.ts";
import type { BatchJobRow, BatchProgress, BatchResult } from "./job.ts";
import {
  dropWork,
  finishedParts,
  finishedResult,
  outputKey,
  partKey,
  putPart,
  putResult,
} from "./objects.ts";
import { RowProgress } from "./progress.ts";
import { withRows } from "./source.ts";

type Scene = JobScene<BatchProgress | null>;

export async function predictBatch(scene: Scene, job: BatchJobRow): Promise<JobEnd<BatchResult>> {
  const { services, signal } = scene;
  const progress = new RowProgress(scene.progress, job);
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
    const plan = await services.compute.scoring.plan(request, signal);
    const parts = await score({ services, signal }, job, request, plan, progress);
    progress.at("writing");
    const result = await assemble(services, job, parts, [...warnings, ...plan.warnings]);
    await putResult(services, job, result);
    return result;
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

/** @returns what is known of each part, in order */
async function score(
  { services, signal }: Pick<Scene, "services" | "signal">,
  job: BatchJobRow,
  request: ScoringRequest,
  plan: ScoringPlan,
  progress: RowProgress,
): Promise<readonly ScoredPart[]> {
  const { compute } = services;
  const known = await finishedParts(services, job);
  const all = Array.from({ length: plan.parts }, (_, part) => part);
  const rowsKnown = [...known.values()].reduce((sum, { read }) => sum + read, 0);
  progress.predicts(plan.rows, rowsKnown);
  await compute.scoring.score({
    request,
    parts: all.filter((part) => !known.has(part)),
    signal,
    withPath: (use) => compute.withLocalPath(use),
    async take(part, scored, path) {
      await putPart(services, job, part, scored, path);
      known.set(part, scored);
      progress.predicted(scored.read);
    },
  });
  return all.flatMap((part) => known.get(part) ?? []);
}

async function assemble(
  services: Services,
  job: BatchJobRow,
  parts: readonly ScoredPart[],
  warnings: readonly string[],
): Promise<BatchResult> {
  const { objects } = services;
  const format = outputFormat(job.request.format);
  // A column is a nullable one of the file where it is one of the table.
  const fields = parts[0]?.fields ?? [];
  const sum = (count: (part: ScoredPart) => number) =>
    parts.reduce((total, part) => total + count(part), 0);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield format.head(fields);
    for (const part of parts.keys()) yield* objects.get(`${partKey(job, part)}.data`);
    yield format.tail(fields, parts);
  }
  const stored = await objects.put(outputKey(job), bytes(), { contentType: format.mediaType });
  const rowsRead = sum(({ read }) => read);
  const found = parts.map((part) => part.warnings);
  return {
    rows: sum(({ rows }) => rows),
    rows_read: rowsRead,
    rows_failed: sum(({ unreadable }) => unreadable),
    bytes: stored.bytes,
    sha256: stored.sha256,
    fields,
    warnings: [...warnings, ...mergedWarnings(found, rowsRead)],
  };
}

const KINDS = {
  double: "numeric",
  integer: "numeric",
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
