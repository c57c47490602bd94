/** What is done with a document schema, beside inducing it and extracting by it. */

import type { AuthedContext } from "../../../api/context/context.ts";
import { conflict, notFound } from "../../../platform/input/problem.ts";
import type { DocumentSchema } from "../../../reading/induction/schema.ts";
import { modelKey } from "../../models/files.ts";
import { findSchema, type SchemaRowWithContent } from "./store.ts";

export const SCHEMA_FILE = "schema.json";
export const PLAN_FILE = "plan.json";
/** How the schema came about. Its objects lie in the model's directory and are shown nowhere. */
export const REASONING_FOLDER = "reasoning/";

export { findRelatedSchemas } from "./store.ts";

export interface CompletedSchema extends SchemaRowWithContent {
  readonly schema: DocumentSchema;
}

/** @throws 404, or 409 while it is not completed */
export async function completedSchema(
  ctx: AuthedContext,
  modelId: string,
): Promise<CompletedSchema> {
  const row = await findSchema(ctx.services.db, ctx.auth.organizationId, modelId);
  if (!row) throw notFound("document schema");
  assertCompleted(row);
  return row;
}

/** @throws 409 */
export function assertCompleted(row: SchemaRowWithContent): asserts row is CompletedSchema {
  const { schema, status } = row;
  if (status === "completed" && schema !== null) return;
  throw conflict(
    status === "failed"
      ? `The induction of this schema failed: ${row.error_message}`
      : `The induction of this schema is ${status}; poll GET /v1/results/${row.job_id} until it is completed.`,
  );
}

export function schemaKey(organizationId: string, row: { readonly id: string }, path: string) {
  return modelKey(organizationId, row.id, path);
}
