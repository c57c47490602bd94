/** From documents to predictions in one call: a schema's questions are answered, and their answers are the row. */

import { mkdir, rm } from "node:fs/promises";
import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { predictionsSchema } from "../../../platform/compute/model-rows.ts";
import { conflict, UnprocessableError } from "../../../platform/input/problem.ts";
import { readText } from "../../../platform/objects/object-store.ts";
import { type ExtractionPlan, extractionPlanSchema } from "../../../reading/induction/schema.ts";
import { findDataset } from "../../datasets/service.ts";
import { findModel } from "../../models/service.ts";
import { cellOf, sqlTypeOf } from "../extraction/columns.ts";
import { rowOf, withLabels } from "../extraction/rows.ts";
import { type Label, labelsOf } from "../labels/store.ts";
import { localFolder } from "../parse-document.ts";
import { completedSchema, PLAN_FILE, schemaKey } from "../schemas/service.ts";
import type { ReadDocument } from "./read-documents.ts";
import type { documentPredictionsSchema, ExtraColumns } from "./request.ts";

export interface DocumentRows {
  readonly schemaId: string;
  /** For the threads that predict: one row a document. */
  readonly instances: readonly Readonly<Record<string, unknown>>[];
  readonly documents: z.output<typeof documentPredictionsSchema>["documents"];
}

/**
 * The schema whose answers a model learned from.
 *
 * @param schemaId as a caller named it; undefined = the one that made the model's data
 * @throws 404 for a schema that is not there, 409 where nothing says which it is
 */
export async function schemaFor(
  ctx: AuthedContext,
  modelId: string,
  schemaId: string | undefined,
): Promise<string> {
  if (schemaId !== undefined) return schemaId;
  const { services, auth } = ctx;
  const model = await findModel(services.db, auth.organizationId, modelId);
  const dataset = model && (await findDataset(services.db, auth.organizationId, model.dataset_id));
  const source = extractionSource.safeParse(dataset?.source);
  if (source.success) return source.data.model_id;
  throw conflict(
    `The model ${modelId} was not trained on the rows of an extraction, so that nothing says which questions its documents are asked; name the document schema as schema_id.`,
  );
}

const extractionSource = z.object({ kind: z.literal("extraction"), model_id: z.string() });

/**
 * @param columns of each document: what was given beside it
 * @param wanted names of the columns that models read
 */
export async function rowsOfDocuments(
  ctx: AuthedContext,
  schemaId: string,
  documents: readonly ReadDocument[],
  columns: readonly (ExtraColumns | undefined)[],
  wanted: ReadonlySet<string>,
): Promise<DocumentRows> {
  const { services, auth, request } = ctx;
  const schema = await completedSchema(ctx, schemaId);
  const planKey = schemaKey(auth.organizationId, schema, PLAN_FILE);
  const plan = extractionPlanSchema.parse(
    JSON.parse(await readText(services.objects.get(planKey))),
  );
  const extracted = await services.induction.extract(plan, documents, { signal: request.signal });
  const extractions = new Map(extracted.map((each) => [each.documentId, each]));
  const questions = plan.answerers.map(({ id }) => id);
  const labels = await labelsByDocument(ctx, schema.id, documents);
  const rows = documents.map(({ id, name, documentId }) => {
    const { answers = {}, warnings = [] } = extractions.get(id) ?? {};
    const read = { name, answers, warnings, error: "" };
    return withLabels(rowOf({ document_id: id }, questions, read), labels.get(documentId) ?? []);
  });
  return {
    schemaId: schema.model_id,
    instances: rows.map((row, at) => instanceOf(plan, row.answers, columns[at] ?? {}, wanted)),
    documents: rows.map(({ name, answers, warnings }, at) => ({
      document_id: documents[at].documentId,
      name,
      answers,
      ...(warnings && { warnings }),
    })),
  };
}

/** What people said of stored documents, as extractions answer it. */
async function labelsByDocument(
  { services, auth: { organizationId } }: AuthedContext,
  schemaId: string,
  documents: readonly ReadDocument[],
): Promise<ReadonlyMap<string | null, readonly Label[]>> {
  const stored = documents.flatMap(({ documentId }) => documentId ?? []);
  if (stored.length === 0) return new Map();
  const labels = await services.db.read(organizationId, (sql) =>
    labelsOf(sql, organizationId, schemaId, [...new Set(stored)]),
  );
  return Map.groupBy(labels, ({ document_id }) => document_id);
}

/** As the rows of an extraction become a dataset. */
function instanceOf(
  plan: ExtractionPlan,
  answers: DocumentRows["documents"][number]["answers"],
  given: ExtraColumns,
  wanted: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const found = plan.answerers.flatMap((answerer) =>
    wanted.has(answerer.id)
      ? [[answerer.id, cellOf(sqlTypeOf(answerer), answers[answerer.id]?.value)] as const]
      : [],
  );
  return { ...Object.fromEntries(found), ...given };
}

/** Faults of rows are faults of what was given beside their documents: answers fit the columns that they made. */
export async function placed<Answer>(asking: Promise<Answer>): Promise<Answer> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
    throw new UnprocessableError(
      error.detail.map((fault) => {
        const [part, member, at, ...column] = fault.loc;
        const isCell = part === "body" && member === "instances" && at !== undefined;
        return isCell ? { ...fault, loc: [part, "documents", at, "columns", ...column] } : fault;
      }),
    );
  }
}

export const bodyOf = ({ instances }: DocumentRows): Uint8Array =>
  Buffer.from(JSON.stringify({ instances }));

/** What the threads answered, with what was read. */
export function withDocuments(
  answer: Uint8Array,
  { schemaId, documents }: DocumentRows,
): z.output<typeof documentPredictionsSchema> {
  const predicted = predictionsSchema.parse(JSON.parse(Buffer.from(answer).toString()));
  return { ...predicted, schema_id: schemaId, documents };
}

/** Lends a folder of the request's own. */
export async function withFolder<Result>(
  { services, newId }: AuthedContext,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = localFolder(services, `predict-${newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
