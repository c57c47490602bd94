/** The trained model as the API shows it. */

import { z } from "zod";
import type { ModelRow, ModelRowWithDocument } from "./store.ts";

export const MODEL_STATUSES = ["pending", "running", "completed", "failed"] as const;

export const modelFiles = z.array(
  z.object({ path: z.string(), bytes: z.int(), sha256: z.string() }),
);

export const trainedModelSchema = z
  .object({
    type: z.literal("trained"),
    id: z.uuid(),
    short_id: z.string(),
    name: z.string().describe("The registered name, or what the run called it."),
    version: z.int().nullable().describe("Of its registered name; null = it has none."),
    aliases: z.array(z.string()).describe("That lead to it, `name@alias` each."),
    tags: z.record(z.string(), z.string()).describe("Texts by key, as people wrote them."),
    notes: z.string().describe("What people wrote about it."),
    status: z.enum(MODEL_STATUSES),
    job_id: z.uuid(),
    dataset_id: z.uuid(),
    task: z.record(z.string(), z.unknown()),
    error_message: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "TrainedModel" });

export const trainedModelDetailSchema = trainedModelSchema
  .extend({
    dataset: z
      .object({
        dataset_id: z.uuid(),
        name: z.string().describe("As it was when the model was trained."),
        hash: z.string().describe("SHA-256 of the bytes that were trained on, lowercase hex."),
        rows: z.int().describe("Of the dataset."),
        deleted_at: z.iso
          .datetime()
          .nullable()
          .describe("When the dataset was deleted, ISO 8601; null = it is there."),
      })
      .nullable()
      .describe("What it learned from; null where it was deleted before models kept that."),
    kind: z.enum(["ensemble", "winner"]).nullable(),
    classes: z.array(z.string()),
    columns: z
      .array(z.record(z.string(), z.unknown()))
      .describe("What predict reads: name, kind, nullable."),
    members: z.array(
      z.object({
        family: z.string(),
        trial: z.int(),
        fold: z.int().nullable(),
        weight: z.number(),
        parameters: z.record(z.string(), z.unknown()),
        facts: z.record(z.string(), z.unknown()),
      }),
    ),
    card: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Config, scores, importance and environment; null until completed."),
    files: modelFiles,
  })
  .meta({ id: "TrainedModelDetail" });

export function toModel(row: ModelRow): z.infer<typeof trainedModelSchema> {
  return {
    type: "trained",
    id: row.id,
    short_id: row.id.slice(0, 8),
    name: row.name,
    version: row.version,
    aliases: [...row.aliases],
    tags: { ...row.tags },
    notes: row.notes,
    status: row.status,
    job_id: row.job_id,
    dataset_id: row.dataset_id,
    task: { ...row.task },
    error_message: row.error_message,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toModelDetail(row: ModelRowWithDocument): z.infer<typeof trainedModelDetailSchema> {
  const { document, data, dataset_id } = row;
  const deleted_at = row.dataset_deleted_at?.toISOString() ?? null;
  return {
    ...toModel(row),
    dataset: data && { dataset_id, name: data.name, hash: data.hash, rows: data.rows, deleted_at },
    kind: document?.kind ?? null,
    classes: document?.task.classes ?? [],
    columns: document?.columns ?? [],
    members:
      document?.members.map(({ family, trial, fold, weight, parameters, facts }) => ({
        family,
        trial,
        fold,
        weight,
        parameters,
        facts,
      })) ?? [],
    card: document?.card ?? null,
    files: [...row.files],
  };
}
