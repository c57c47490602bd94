/** Starting an induction: the job and its schema are registered together. */

import type { AuthedContext } from "../../../api/context/context.ts";
import { conflict, type Problem } from "../../../platform/input/problem.ts";
import { removeUnowned } from "../../../platform/objects/unowned.ts";
import { registerJob } from "../../jobs/service.ts";
import { modelKey } from "../../models/files.ts";
import { isUuid } from "../../models/model-id.ts";
import { findModel, lockRegistry, refuseModelName } from "../../models/service.ts";
import { keepWithinQuotas } from "../../quotas/service.ts";
import type { InductionJobRow } from "../jobs/job.ts";
import { documentIdsOf, keepAll } from "../jobs/request-documents.ts";
import { deleteSchema, findSchema, insertSchema } from "../schemas/store.ts";
import { inductionKind } from "./kind.ts";
import type { InduceRequest } from "./request.ts";

/** @throws 404 for a document that is not there, 409 for a model_id that is taken, 422 */
export async function startInduction(
  ctx: AuthedContext,
  request: InduceRequest,
): Promise<{ job_id: string; schema_id: string }> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  // Drawn first: what is drawn later depends on which documents there are already.
  const jobId = ctx.newId();
  const schemaId = ctx.newId();
  const modelId = request.model_id ?? schemaId;
  const replaced = await replaceable(ctx, modelId, jobId);
  const ids = await documentIdsOf(ctx, request.documents);
  const sample = [...new Set(ids)];
  const { use_case, skill, max_questions } = request;
  await services.db.forOrganization(organizationId, async (sql) => {
    // Before rows and quotas, as everywhere, so that no two transactions wait for each other.
    if (request.model_id != null) await lockRegistry(sql, organizationId);
    await keepAll(ctx, sql, sample);
    const isNew = await registerJob<InductionJobRow>(services, sql, organizationId, inductionKind, {
      id: jobId,
      documents: sample,
      request: { use_case, skill, max_questions },
      details: { schema_id: schemaId, model_id: modelId },
    });
    if (!isNew) return;
    if (request.model_id != null) {
      await refuseModelName(sql, organizationId, modelId, () => taken(modelId));
    }
    if (replaced !== null) await deleteSchema(sql, organizationId, replaced);
    const documents = sample.length;
    const schema = { id: schemaId, model_id: modelId, job_id: jobId, skill, use_case, documents };
    if (!(await insertSchema(sql, organizationId, schema))) throw taken(modelId);
    await keepWithinQuotas(sql, organizationId, { models: 0, model_bytes: 1 });
  });
  if (replaced !== null) {
    await removeUnowned(services, modelKey(organizationId, replaced, ""));
  }
  return { job_id: jobId, schema_id: modelId };
}

/** The failed schema that a new one of this id takes the place of, or null. @throws 409 */
async function replaceable(
  ctx: AuthedContext,
  modelId: string,
  jobId: string,
): Promise<string | null> {
  const { db } = ctx.services;
  const { organizationId } = ctx.auth;
  const schema = await findSchema(db, organizationId, modelId);
  // The same request again, after a crash.
  if (schema?.job_id === jobId) return null;
  if (schema?.status === "failed") return schema.id;
  const isModel = isUuid(modelId) && (await findModel(db, organizationId, modelId)) !== null;
  if (schema !== null || isModel) throw taken(modelId);
  return null;
}

const taken = (modelId: string): Problem =>
  conflict(
    `There is a model with the id or the name ${modelId} already; choose another, or delete it first.`,
  );
