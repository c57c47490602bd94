/** Labels: what people say is the answer to a schema's question of a document. */

import { z } from "zod";
import { authed } from "../../../api/http/routing/trpc.ts";
import { CreationPages } from "../../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../../api/paging/page-token.ts";
import { notFound } from "../../../platform/input/problem.ts";
import { readText } from "../../../platform/objects/object-store.ts";
import { extractionPlanSchema } from "../../../reading/induction/schema.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { completedSchema, PLAN_FILE, schemaKey } from "../schemas/service.ts";
import { findSchema } from "../schemas/store.ts";
import { keepDocuments } from "../store.ts";
import { deleteLabel, type LabelRow, listLabels, saveLabel } from "./store.ts";
import { labelValue } from "./value.ts";

const tags = ["Documents"];
const collection = "/v1/agentic/documents/schemas/{model_id}/labels";
const item = `${collection}/{document_id}/{question_id}` as const;

const questionId = z.string().min(1).max(63).describe("Id of the question.");
const place = {
  model_id: modelIdSchema.describe("Of the document schema."),
  document_id: z.uuid(),
  question_id: questionId,
};

const valueSchema = z.union([z.string().max(10_000), z.number(), z.boolean()]).nullable();

const labelSchema = z
  .object({
    id: z.uuid(),
    document_id: z.uuid(),
    document_name: z.string().describe("As it was uploaded."),
    question_id: questionId,
    value: valueSchema.describe(
      "The answer in the form that answers have; null = the document does not say.",
    ),
    unit: z
      .string()
      .nullable()
      .describe(
        "The currency of an amount or the unit of a quantity, where one was given; null = that of what is read.",
      ),
    labelled_by: z.string().describe("The key's id, or the token's `sub`, that said so last."),
    key_name: z.string().nullable().describe("What the key is called; null where it was none."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "DocumentLabel" });

const toLabel = ({ question, created_at, updated_at, ...row }: LabelRow) => ({
  ...row,
  question_id: question,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

const list = authed("documents:read")
  .meta({
    openapi: {
      method: "GET",
      path: collection,
      summary: "List Document Labels",
      description: "What people said are the answers to the schema's questions, newest first.",
      tags,
      errors: ["not-found"],
    },
  })
  .input(
    z.strictObject({
      model_id: place.model_id,
      document_id: z.uuid().optional().describe("Only labels of this document."),
      question_id: questionId.optional().describe("Only labels of this question."),
      ...pageQuery,
    }),
  )
  .output(
    z.object({
      labels: z.array(labelSchema).describe("The labels of this page."),
      next_page_token: nextPageToken,
    }),
  )
  .query(async ({ ctx, input }) => {
    const { db } = ctx.services;
    const { organizationId } = ctx.auth;
    const { model_id, document_id, question_id, limit, page_token } = input;
    const schema = await findSchema(db, organizationId, model_id);
    if (schema === null) throw notFound("document schema");
    const pages = new CreationPages(ctx.services, "document_labels");
    const filter = [organizationId, schema.id, document_id ?? null, question_id ?? null];
    const of = { schemaId: schema.id, documentId: document_id, question: question_id };
    const after = pages.read(filter, page_token);
    const rows = await listLabels(db, organizationId, of, limit, after);
    const page = cutPage(rows, limit, (last) => pages.write(filter, last));
    return { labels: page.entries.map(toLabel), next_page_token: page.next_page_token };
  });

const set = authed("documents:write")
  .meta({
    openapi: {
      method: "PUT",
      path: item,
      summary: "Set Document Label",
      description:
        "Says what the answer to a question of the schema is for a document, in place of what is read. Extractions by the schema that begin afterwards answer so, in rows and datasets. A text is read as those of documents are, so that dates and amounts may be given as they are written, an amount with its currency; one that is not understood as a whole is refused, and so is a `unit` that contradicts it.",
      tags,
      errors: ["not-found", "conflict"],
    },
  })
  .input(
    z.strictObject({
      ...place,
      value: valueSchema.describe("The answer; null or empty = the document does not say."),
      unit: z
        .string()
        .max(40)
        .nullish()
        .describe(
          "The currency of an amount (ISO 4217) or the unit of a quantity, where the value does not name it. Default: that of what is read.",
        ),
    }),
  )
  .output(labelSchema)
  .mutation(
    async ({ ctx, input: { model_id, document_id: documentId, question_id, value, unit } }) => {
      const { services, auth } = ctx;
      const { organizationId, subject, keyId } = auth;
      const schema = await completedSchema(ctx, model_id);
      const planKey = schemaKey(organizationId, schema, PLAN_FILE);
      const plan = extractionPlanSchema.parse(
        JSON.parse(await readText(services.objects.get(planKey))),
      );
      const answerer = plan.answerers.find(({ id }) => id === question_id);
      if (answerer === undefined) throw notFound("question");
      const said = labelValue(answerer, plan.conventions, value, unit ?? null);
      return await services.db.forOrganization(organizationId, async (sql) => {
        const [kept] = await keepDocuments(sql, organizationId, [documentId.toLowerCase()]);
        if (kept === undefined) throw notFound("document");
        return toLabel(
          await saveLabel(sql, organizationId, {
            id: ctx.newId(),
            schemaId: schema.id,
            documentId: kept,
            question: question_id,
            said,
            by: { subject, keyId },
          }),
        );
      });
    },
  );

const remove = authed("documents:write")
  .meta({
    openapi: {
      method: "DELETE",
      path: item,
      summary: "Delete Document Label",
      description: "What is read of the document is the answer again.",
      tags,
      errors: ["not-found"],
    },
  })
  .input(z.strictObject(place))
  .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
  .mutation(async ({ ctx, input: { model_id, document_id: documentId, question_id } }) => {
    const { db } = ctx.services;
    const { organizationId } = ctx.auth;
    const schema = await findSchema(db, organizationId, model_id);
    const id =
      schema === null
        ? null
        : await deleteLabel(db, organizationId, {
            schemaId: schema.id,
            documentId,
            question: question_id,
          });
    if (id === null) throw notFound("label");
    return { id, deleted: true };
  });

/** Beside the schemas' own operations. */
export const labelOperations = { listLabels: list, setLabel: set, deleteLabel: remove };
