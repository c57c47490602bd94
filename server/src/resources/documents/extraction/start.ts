/** Starting an extraction by a completed schema. */

import type { AuthedContext } from "../../../api/context/context.ts";
import { assertScope } from "../../../api/context/scopes.ts";
import { notFound, unprocessable } from "../../../platform/input/problem.ts";
import { registerJob } from "../../jobs/service.ts";
import type { ExtractionJobRow } from "../jobs/job.ts";
import { documentIdsOf, keepAll } from "../jobs/request-documents.ts";
import { labelsOf } from "../labels/store.ts";
import { completedSchema } from "../schemas/service.ts";
import { keepSchema } from "../schemas/store.ts";
import { columnNamesOf } from "./columns.ts";
import { extractionKind } from "./kind.ts";
import type { ExtractRequest, RequestedRow } from "./request.ts";

/** @throws 403, 404 for a schema or a document that is not there, 409 for a schema that is not completed */
export async function startExtraction(
  ctx: AuthedContext,
  request: ExtractRequest,
): Promise<{ job_id: string; dataset_id?: string }> {
  const { services, auth } = ctx;
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
  await services.db.forOrganization(organizationId, async (sql) => {
    if (!(await keepSchema(sql, organizationId, schema.id))) throw notFound("document schema");
    await keepAll(ctx, sql, documents);
    const labels = await labelsOf(sql, organizationId, schema.id, documents);
    await registerJob<ExtractionJobRow>(services, sql, organizationId, extractionKind, {
      id: jobId,
      models: [schema.id],
      documents,
      request: { rows, labels, dataset },
      details: { schema_id: schema.id, model_id: schema.model_id },
    });
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
