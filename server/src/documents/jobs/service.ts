/** Registering, cancelling and deleting document jobs. */

import { assertScope } from "../../auth/scopes.ts";
import type { AuthedContext } from "../../http/context.ts";
import { conflict, notFound, Problem, unprocessable } from "../../http/problem.ts";
import { modelKey } from "../../models/files.ts";
import { findModel } from "../../models/lifecycle.ts";
import { documentJobKey } from "../object-keys.ts";
import { columnNamesOf } from "../results/columns.ts";
import { completedSchema } from "../schemas/service.ts";
import {
  deleteSchema,
  findSchema,
  insertSchema,
  keepSchema,
  setSchemaStatus,
} from "../schemas/store.ts";
import { findDocuments, keepDocuments } from "../store.ts";
import { registerTexts } from "../upload.ts";
import { CANCELLED, extractionQueue, inductionQueue } from "./definition.ts";
import type { ExtractRequest, InduceRequest, RequestedRow } from "./request.ts";
import { deleteJob, findJob, insertJob, type JobRow, markFailed, requestCancel } from "./store.ts";

/** @throws 404 for a document that is not there, 409 for a model_id that is taken, 422 */
export async function startInduction(
  ctx: AuthedContext,
  request: InduceRequest,
): Promise<{ job_id: string; schema_id: string }> {
  const { platform, auth } = ctx;
  const { organizationId } = auth;
  // Drawn first: what is drawn later depends on which documents there are already.
  const jobId = ctx.newId();
  const schemaId = ctx.newId();
  const modelId = request.model_id ?? schemaId;
  const replaced = await replaceable(ctx, modelId, jobId);
  const ids = await documentIdsOf(ctx, request.documents);
  const sample = [...new Set(ids)];
  const { use_case, skill, max_questions } = request;
  await platform.db.forOrganization(organizationId, async (sql) => {
    await keepAll(ctx, sql, sample);
    const isNew = await insertJob(sql, organizationId, {
      id: jobId,
      kind: "induction",
      schema_id: schemaId,
      model_id: modelId,
      document_ids: sample,
      request: { use_case, skill, max_questions },
    });
    if (!isNew) return;
    if (replaced !== null) await deleteSchema(sql, organizationId, replaced);
    const documents = sample.length;
    const schema = { id: schemaId, model_id: modelId, job_id: jobId, skill, use_case, documents };
    if (!(await insertSchema(sql, organizationId, schema))) throw taken(modelId);
    await platform.queue.send(sql, inductionQueue, { job_id: jobId });
  });
  if (replaced !== null) {
    await platform.objects.deletePrefix(modelKey(organizationId, replaced, ""));
  }
  return { job_id: jobId, schema_id: modelId };
}

/** The failed schema that a new one of this id takes the place of, or null. @throws 409 */
async function replaceable(
  ctx: AuthedContext,
  modelId: string,
  jobId: string,
): Promise<string | null> {
  const { db } = ctx.platform;
  const { organizationId } = ctx.auth;
  const schema = await findSchema(db, organizationId, modelId);
  // The same request again, after a crash.
  if (schema?.job_id === jobId) return null;
  if (schema?.status === "failed") return schema.id;
  const isModel = UUID.test(modelId) && (await findModel(db, organizationId, modelId)) !== null;
  if (schema !== null || isModel) throw taken(modelId);
  return null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const taken = (modelId: string): Problem =>
  conflict(`There is a model with the id ${modelId} already; choose another, or delete it first.`);

/** @throws 403, 404 for a schema or a document that is not there, 409 for a schema that is not completed */
export async function startExtraction(
  ctx: AuthedContext,
  request: ExtractRequest,
): Promise<{ job_id: string; dataset_id?: string }> {
  const { platform, auth } = ctx;
  const { organizationId } = auth;
  if (request.register_dataset != null) assertScope(ctx, "datasets:write");
  const jobId = ctx.newId();
  const datasetId = ctx.newId();
  const schema = await completedSchema(ctx, request.model_id);
  const questions = schema.schema.questions.map(({ id }) => id);
  checkColumns(request, questions);
  const ids = await documentIdsOf(
    ctx,
    request.documents.map((entry) =>
      typeof entry !== "string" && "document_id" in entry ? entry.document_id : entry,
    ),
  );
  const rows = request.documents.map((entry, index): RequestedRow => {
    const columns = typeof entry === "string" ? undefined : entry.columns;
    return { document_id: ids[index]!, ...(columns && { columns }) };
  });
  const documents = [...new Set(ids)];
  const { register_dataset: asDataset } = request;
  const dataset = asDataset ? { id: datasetId, name: asDataset.name } : null;
  await platform.db.forOrganization(organizationId, async (sql) => {
    if (!(await keepSchema(sql, organizationId, schema.id))) throw notFound("document schema");
    await keepAll(ctx, sql, documents);
    const isNew = await insertJob(sql, organizationId, {
      id: jobId,
      kind: "extraction",
      schema_id: schema.id,
      model_id: schema.model_id,
      document_ids: documents,
      request: { rows, dataset },
    });
    if (isNew) await platform.queue.send(sql, extractionQueue, { job_id: jobId });
  });
  return { job_id: jobId, ...(dataset && { dataset_id: dataset.id }) };
}

/** @throws 422 where a caller's column has the name of another */
function checkColumns(request: ExtractRequest, questions: readonly string[]): void {
  const names = columnNamesOf(questions);
  const own = new Set([...names.meta, ...questions, ...names.evidence].map(inAnyCase));
  const given = new Map<string, string>();
  for (const [index, entry] of request.documents.entries()) {
    if (typeof entry === "string") continue;
    for (const name of Object.keys(entry.columns ?? {})) {
      const key = inAnyCase(name);
      const known = given.get(key) ?? name;
      given.set(key, known);
      if (!own.has(key) && known === name) continue;
      const other = own.has(key) ? "the schema's rows have" : `another document has '${known}',`;
      throw unprocessable(
        ["body", "documents", index, "columns", name],
        `${other} a column of this name already; columns differ by more than case`,
      );
    }
  }
}

const inAnyCase = (name: string): string => name.toLowerCase();

/** The ids of the entries, those of texts once they are stored. @throws 404, 422 */
async function documentIdsOf(
  ctx: AuthedContext,
  entries: InduceRequest["documents"],
): Promise<readonly string[]> {
  const named = entries.filter((entry) => typeof entry === "string");
  const there = await findDocuments(ctx.platform.db, ctx.auth.organizationId, named);
  const known = new Map(there.map((row) => [row.id, row]));
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") continue;
    const document = known.get(entry.toLowerCase());
    if (!document) {
      throw new Problem("not-found", `There is no such document: documents[${index}], ${entry}.`);
    }
    if (document.status === "failed") {
      const why = `this document could not be read: ${document.error_message}`;
      throw unprocessable(["body", "documents", index], why);
    }
  }
  const texts = entries.flatMap((entry, index) =>
    typeof entry === "string" ? [] : [{ entry, index }],
  );
  const stored = await registerTexts(
    ctx,
    texts.map(({ entry: { name, text } }) => ({ name, text })),
    (at) => ["body", "documents", texts[at]!.index, "text"],
  );
  const ids = new Map(texts.map(({ index }, at) => [index, stored[at]!.id]));
  return entries.map((entry, index) =>
    typeof entry === "string" ? entry.toLowerCase() : ids.get(index)!,
  );
}

async function keepAll(
  { auth }: AuthedContext,
  sql: Parameters<typeof keepDocuments>[0],
  ids: readonly string[],
): Promise<void> {
  const kept = await keepDocuments(sql, auth.organizationId, ids);
  if (kept.length < ids.length) throw notFound("document");
}

/** @throws 404 */
export async function requireJob(ctx: AuthedContext, id: string): Promise<JobRow> {
  const job = await findJob(ctx.platform.db, ctx.auth.organizationId, id);
  if (!job) throw notFound("job");
  return job;
}

/** A job that ended cannot be cancelled. @throws 404, 409 */
export async function cancelJob(ctx: AuthedContext, id: string): Promise<JobRow> {
  const { platform, auth } = ctx;
  const job = await requireJob(ctx, id);
  const open = await platform.db.forOrganization(auth.organizationId, async (sql) => {
    const { accepted, pending } = await requestCancel(sql, auth.organizationId, id);
    // A pending job has no worker that would see the request.
    if (pending && (await markFailed(sql, id, CANCELLED))) {
      await setSchemaStatus(sql, id, "failed", CANCELLED);
    }
    return accepted;
  });
  if (!open) throw conflict(`The job is ${job.status} already.`);
  return requireJob(ctx, id);
}

/** @throws 404, or 409 while the job is open */
export async function removeJob(ctx: AuthedContext, id: string): Promise<void> {
  const { platform, auth } = ctx;
  const job = await requireJob(ctx, id);
  const deleted = await platform.db.forOrganization(auth.organizationId, (sql) =>
    deleteJob(sql, auth.organizationId, id),
  );
  if (!deleted) throw conflict(`The job is ${job.status}; cancel it first.`);
  await platform.objects.deletePrefix(documentJobKey(auth.organizationId, id, ""));
}
