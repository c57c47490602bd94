/**
 * The models of a job. The first is registered with the job; the further ones of a sweep are when
 * the run selects them, in the transaction that logs the selection, so that each has its place in
 * the object store and can be deleted whatever becomes of the job. Their ids follow from the job's:
 * a run that is resumed, or begun anew, finds its own rows.
 */

import { createHash } from "node:crypto";
import type { RunEvent, Selection } from "@distillery/engine";
import type { Sql } from "../db/database.ts";
import { deleteModelsExcept, insertModel } from "../models/lifecycle.ts";
import { type JobRow, saveFurtherModels } from "./store.ts";

/** The id of the job's model of that index: a UUID of version 5 (RFC 9562) under the job's. */
export function modelIdOf(job: Pick<JobRow, "id" | "model_id">, model: number): string {
  if (model === 0) return job.model_id;
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
export function modelNameOf(job: Pick<JobRow, "model_name">, model: number): string {
  return model === 0 ? job.model_name : `${job.model_name} ${model + 1}`;
}

/** What an event of the log means for the rows of models; in the transaction that appends it. */
export async function followEvent(sql: Sql, job: JobRow, event: RunEvent): Promise<void> {
  if (event.type === "planned" && event.anew !== undefined) await registerModels(sql, job, []);
  if (event.type === "selected") await registerModels(sql, job, event.selections);
}

async function registerModels(
  sql: Sql,
  job: JobRow,
  selections: readonly Selection[],
): Promise<void> {
  const further = selections.slice(1).map((selection, index) => ({
    id: modelIdOf(job, index + 1),
    name: modelNameOf(job, index + 1),
    scores: job.record.metrics.map((metric) => selection.scores[metric] ?? null),
  }));
  await deleteModelsExcept(sql, job.id, [job.model_id, ...further.map(({ id }) => id)]);
  for (const { id, name } of further) {
    await insertModel(sql, job.organization_id, {
      id,
      jobId: job.id,
      datasetId: job.dataset_id,
      name,
      task: job.config.task,
      status: "running",
    });
  }
  await saveFurtherModels(sql, job.id, further);
}
