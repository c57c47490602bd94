/** Documents: list, get, their text, delete. Uploading and downloading are raw routes. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, pageQuery } from "../../api/paging/page-token.ts";
import { resourceOperations } from "../../api/resource/operations.ts";
import { documentSchema, toDocument } from "./record.ts";
import { documentTextOf, removeDocument, requireDocument } from "./service.ts";
import { DOCUMENT_STATUSES, listDocuments } from "./store.ts";

const path = z.strictObject({ document_id: z.uuid() });
const tags = ["Documents"];
const pageLength = z
  .number()
  .nullable()
  .describe(
    "Points, as the boxes of answers are in; null where the format has no pages, or the document was read by a version that did not tell.",
  );
const says = resourceOperations({
  collection: "/v1/documents",
  parameter: "document_id",
  title: "Document",
  tags,
});

export const documentsRouter = router({
  list: authed("documents:read")
    .meta(says.list({ description: "Newest first." }))
    .input(z.strictObject({ ...pageQuery, status: z.enum(DOCUMENT_STATUSES).optional() }))
    .output(z.object({ documents: z.array(documentSchema), next_page_token: nextPageToken }))
    .query(async ({ ctx, input }) => {
      const { organizationId } = ctx.auth;
      const { limit, page_token, status = null } = input;
      const filter = [organizationId, status];
      const pages = new CreationPages(ctx.services, "documents");
      const after = pages.read(filter, page_token);
      const rows = await listDocuments(ctx.services.db, organizationId, { limit, after, status });
      const page = cutPage(rows, limit, (last) => pages.write(filter, last));
      return { documents: page.entries.map(toDocument), next_page_token: page.next_page_token };
    }),

  get: authed("documents:read")
    .meta(says.get())
    .input(path)
    .output(documentSchema)
    .query(async ({ ctx, input }) => toDocument(await requireDocument(ctx, input.document_id))),

  text: authed("documents:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/documents/{document_id}/text",
        summary: "Get Document Text",
        description:
          "The document as one text: what the offsets of answers point into. Lines end with a line feed; pieces of a line that stand apart are two spaces apart. Offsets count UTF-16 code units, as JavaScript does.",
        tags,
        errors: ["not-found", "conflict"],
      },
    })
    .input(path)
    .output(
      z.object({
        document_id: z.uuid(),
        text: z.string(),
        pages: z
          .array(
            z.object({
              number: z.int(),
              start: z.int(),
              end: z.int(),
              width: pageLength,
              height: pageLength,
            }),
          )
          .describe("Where each page stands in the text."),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { text, pages } = await documentTextOf(ctx, input.document_id);
      return {
        document_id: input.document_id,
        text,
        pages: pages.map(({ width = null, height = null, ...page }) => ({
          ...page,
          width,
          height,
        })),
      };
    }),

  delete: authed("documents:write")
    .meta(
      says.delete({
        description:
          "Deletes the bytes and what was read of them. Schemas, results and datasets that were made of it stay.",
      }),
    )
    .input(path)
    .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      await removeDocument(ctx, input.document_id);
      return { id: input.document_id, deleted: true };
    }),
});
