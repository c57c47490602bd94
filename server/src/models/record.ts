/** The model as the API shows it: one that was trained, or the schema of a kind of documents. */

import { z } from "zod";
import { modelIdSchema } from "../documents/model-id.ts";
import type { SchemaRow, SchemaRowWithContent } from "../documents/schemas/service.ts";
import type { ModelRow, ModelRowWithDocument } from "./store.ts";

export const MODEL_STATUSES = ["pending", "running", "completed", "failed"] as const;

export const MODEL_TYPES = ["trained", "document_schema"] as const;

const files = z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() }));

const trainedModelSchema = z.object({
  type: z.literal("trained"),
  id: z.uuid(),
  short_id: z.string(),
  name: z.string(),
  status: z.enum(MODEL_STATUSES),
  job_id: z.uuid(),
  dataset_id: z.uuid(),
  task: z.record(z.string(), z.unknown()),
  error_message: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const documentSchemaModelSchema = z.object({
  type: z.literal("document_schema"),
  id: modelIdSchema,
  short_id: z.string(),
  name: z.string(),
  status: z.enum(MODEL_STATUSES),
  job_id: z.uuid(),
  skill: z.string(),
  use_case: z.string(),
  documents: z.int().describe("Of the sample."),
  error_message: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export const modelSchema = z
  .discriminatedUnion("type", [trainedModelSchema, documentSchemaModelSchema])
  .meta({ id: "Model" });

const trainedModelDetailSchema = trainedModelSchema.extend({
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
  files,
});

export const modelDetailSchema = z
  .discriminatedUnion("type", [
    trainedModelDetailSchema,
    documentSchemaModelSchema.extend({
      questions: z.int().nullable().describe("Null until completed."),
      hash: z.string().nullable().describe("Of questions and plan; null until completed."),
      files,
    }),
  ])
  .meta({ id: "ModelDetail" });

type Model = z.infer<typeof modelSchema>;
type ModelDetail = z.infer<typeof modelDetailSchema>;

export function toModel(row: ModelRow): Extract<Model, { type: "trained" }> {
  return {
    type: "trained",
    id: row.id,
    short_id: row.id.slice(0, 8),
    name: row.name,
    status: row.status,
    job_id: row.job_id,
    dataset_id: row.dataset_id,
    task: { ...row.task },
    error_message: row.error_message,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toSchemaModel(row: SchemaRow): Extract<Model, { type: "document_schema" }> {
  return {
    type: "document_schema",
    id: row.model_id,
    short_id: row.model_id.slice(0, 8),
    name: row.model_id,
    status: row.status,
    job_id: row.job_id,
    skill: row.skill,
    use_case: row.use_case,
    documents: row.documents,
    error_message: row.error_message,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toSchemaModelDetail(row: SchemaRowWithContent): ModelDetail {
  const hash = row.schema?.metadata["hash"];
  return {
    ...toSchemaModel(row),
    questions: row.schema?.questions.length ?? null,
    hash: typeof hash === "string" ? hash : null,
    files: [...row.files],
  };
}

export function toModelDetail(row: ModelRowWithDocument): ModelDetail {
  const { document } = row;
  return {
    ...toModel(row),
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
