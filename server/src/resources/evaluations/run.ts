/** Runs an evaluation: its report in HTML and JSON are objects, the scores are kept with the job. */

import type { EvaluationInput, EvaluationOutput } from "@distillery/engine";
import { DataError, newProgressWords, readProgress } from "@distillery/engine";
import { findDataset, withTableFile } from "../datasets/service.ts";
import type { JobEnd, JobScene } from "../jobs/kind.ts";
import { jobKey } from "../jobs/service.ts";
import { findModel, localFolderOf } from "../models/service.ts";
import { type EvaluationJobRow, evaluationArea } from "./job.ts";
import { PhaseProgress } from "./progress.ts";

export const REPORT = { html: "evaluation.html", json: "evaluation.json" } as const;

/** Between two looks at how far the thread is. */
const WATCH_MS = 250;

export async function runEvaluation(
  scene: JobScene<EvaluationJobRow["progress"]>,
  job: EvaluationJobRow,
): Promise<JobEnd<EvaluationJobRow["result"]>> {
  const told = new PhaseProgress(scene);
  const words = newProgressWords();
  const watch = setInterval(() => told.follow(readProgress(words)), WATCH_MS);
  try {
    told.at("loading");
    const output = await evaluated(scene, job, words);
    clearInterval(watch);
    told.at("writing");
    const result = await written(scene, job, output);
    told.at("done");
    return { result };
  } finally {
    clearInterval(watch);
  }
}

/** @param words where the thread that evaluates tells how far it is */
async function evaluated(
  { services, signal }: JobScene<EvaluationJobRow["progress"]>,
  job: EvaluationJobRow,
  words: Int32Array,
): Promise<EvaluationOutput> {
  const { compute, db } = services;
  const { organization_id: organizationId, request, details } = job;
  const pool = compute.training;
  if (!pool) throw new Error("This process has no training threads.");
  const dataset = await findDataset(db, organizationId, request.dataset_id);
  if (!dataset) throw new DataError("The dataset of this evaluation has been deleted.");
  const models: EvaluationInput["models"][number][] = [];
  const warnings: string[] = [];
  for (const { model_id: id, model: called } of details.models) {
    const model = await findModel(db, organizationId, id);
    if (model === null) throw new DataError(`The model ${id} has been deleted.`);
    const folder = await localFolderOf(services, organizationId, model);
    const learned = await findDataset(db, organizationId, model.dataset_id);
    const learnedAll = learned?.hash === dataset.hash;
    models.push({ id, folder, learnedAll });
    if (learnedAll) {
      warnings.push(
        `The model ${called} was trained on this dataset: it has seen these rows, and does worse on new ones. Its out-of-fold scores are in its card.`,
      );
    }
  }
  return await withTableFile({ services, organizationId, dataset, signal }, (file) => {
    const input: EvaluationInput = {
      file: compute.bounded(file),
      models,
      name: job.name,
      metrics: request.metrics ?? undefined,
      slices: request.slices,
      randomState: request.random_state,
      warnings,
      progress: words,
    };
    return pool.run<EvaluationInput, EvaluationOutput>("evaluate", input, { signal });
  });
}

async function written(
  { services: { objects }, signal }: JobScene<EvaluationJobRow["progress"]>,
  job: EvaluationJobRow,
  { evaluation, html }: EvaluationOutput,
): Promise<EvaluationJobRow["result"]> {
  signal.throwIfAborted();
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  await objects.put(jobKey(evaluationArea, job, REPORT.html), bytes(html));
  await objects.put(
    jobKey(evaluationArea, job, REPORT.json),
    bytes(`${JSON.stringify(evaluation)}\n`),
  );
  return { ...evaluation, models: evaluation.models.map(({ figures: _, ...rest }) => rest) };
}
