/** The schema of a kind of documents, as a kind of models. */

import { z } from "zod";
import type { ModelKind } from "../../models/kind.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { MODEL_STATUSES, modelFiles } from "../../models/record.ts";
import { assertCompleted } from "./service.ts";
import {
  deleteSchema,
  existingSchemas,
  findSchema,
  listSchemas,
  type SchemaRow,
  type SchemaRowWithContent,
} from "./store.ts";

const schema = z
  .object({
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
  })
  .meta({ id: "DocumentSchemaModel" });

const detailSchema = schema
  .extend({
    questions: z.int().nullable().describe("Null until completed."),
    hash: z.string().nullable().describe("Of questions and plan; null until completed."),
    files: modelFiles,
  })
  .meta({ id: "DocumentSchemaModelDetail" });

export const documentSchemaKind = {
  type: "document_schema",
  schema,
  detailSchema,
  statusScopes: ["models:read", "documents:read"],
  whyNoPredictions:
    "This is a document schema, which predicts nothing: extract with it, and train on the rows.",
  whyNoName:
    "This is a document schema, which is called by its id: it takes no name, tags or notes.",
  find: findSchema,
  list: listSchemas,
  idOf: ({ model_id }) => model_id,
  toModel,
  toDetail(row) {
    const hash = row.schema?.metadata["hash"];
    return {
      ...toModel(row),
      questions: row.schema?.questions.length ?? null,
      hash: typeof hash === "string" ? hash : null,
      files: [...row.files],
    };
  },
  assertCompleted,
  whyNotYet: ({ job_id }) => `Job ${job_id} is still at work on this schema; cancel it first.`,
  remove: deleteSchema,
  existing: existingSchemas,
} as const satisfies ModelKind<SchemaRow, SchemaRowWithContent>;

function toModel(row: SchemaRow): z.infer<typeof schema> {
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
