/**
 * The models of a job. The first is registered with the job; the further ones of a sweep are when
 * the run selects them, in the transaction that logs the selection, so that each has its place in
 * the object store and can be deleted whatever becomes of the job. Their ids follow from the job's:
 * a run that is resumed, or begun anew, finds its own rows.
 */

import { createHash } from "node:crypto";
import type { RunEvent, Selection } from "@distillery/engine";
import type { Sql } from "../../platform/db/database.ts";
import { saveResult } from "../jobs/service.ts";
import { deleteModelsExcept, insertModel } from "../models/service.ts";
import { datasetOf, type FurtherModel, type TrainingJobRow } from "./job.ts";

/** The id of the job's model of that index: a UUID of version 5 (RFC 9562) under the job's. */
export function modelIdOf(job: Pick<TrainingJobRow, "id" | "details">, model: number): string {
  if (model === 0) return job.details.model_id;
  const bytes = createHash("sha1")
    .update(Buffer.from(job.id.replaceAll("-", ""), "hex"))
    .update(`model/${model}`)
    .digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** `<name>`, `<name> 2`, … */
export function modelNameOf({ details }: Pick<TrainingJobRow, "details">, model: number): string {
  return model === 0 ? details.model_name : `${details.model_name} ${model + 1}`;
}

/** What an event of the log means for the rows of models; in the transaction that appends it. */
export async function followEvent(sql: Sql, job: TrainingJobRow, event: RunEvent): Promise<void> {
  if (event.type === "planned" && event.anew !== undefined) await registerModels(sql, job, []);
  if (event.type === "selected") await registerModels(sql, job, event.selections);
}

async function registerModels(
  sql: Sql,
  job: TrainingJobRow,
  selections: readonly Selection[],
): Promise<void> {
  const further = furtherModels(job, selections);
  await deleteModelsExcept(sql, job.id, [job.details.model_id, ...further.map(({ id }) => id)]);
  for (const { id, name } of further) {
    await insertModel(sql, job.organization_id, {
      id,
      jobId: job.id,
      datasetId: datasetOf(job),
      name,
      task: job.request.task,
      status: "running",
      data: null,
    });
  }
  await saveResult(sql, job.id, { scores: [], further_models: further });
}

/** The models after the first, with their scores by the order of the record's metrics. */
export function furtherModels(
  job: TrainingJobRow,
  selections: readonly Selection[],
): readonly FurtherModel[] {
  return selections.slice(1).map((selection, index) => ({
    id: modelIdOf(job, index + 1),
    name: modelNameOf(job, index + 1),
    scores: job.details.record.metrics.map((metric) => selection.scores[metric] ?? null),
  }));
}
