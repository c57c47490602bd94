/** `GET /v1/documents/{document_id}/content`: the bytes as they were sent. */

import { Readable } from "node:stream";
import { z } from "zod";
import { attachment } from "../../api/http/bodies/object-download.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { notFound } from "../../platform/input/problem.ts";
import { CONTENT, documentKey } from "./object-keys.ts";
import { findDocument } from "./store.ts";

export const documentContent = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/documents/{document_id}/content",
    summary: "Download Document",
    description: "The bytes as they were sent, under the media type that they were found to be.",
    tags: ["Documents"],
    operationId: "documents_content",
    errors: ["not-found"],
    responseHeaders: z.object({
      "Content-Disposition": z.string().describe("The name to save it under."),
    }),
  },
  scope: "documents:read",
  input: z.object({ path: z.object({ document_id: z.uuid() }) }),
  responses: {
    200: {
      description: "The bytes",
      content: { "*/*": { schema: { type: "string", format: "binary" } } },
    },
  },
  async handler({ ctx, input }) {
    const { db, objects } = ctx.services;
    const { organizationId } = ctx.auth;
    const document = await findDocument(db, organizationId, input.path.document_id);
    if (!document) throw notFound("document");
    const key = documentKey(organizationId, document.id, CONTENT);
    return {
      body: Readable.from(objects.get(key), { objectMode: false }),
      // Before it is parsed, what it is is only said.
      contentType: document.status === "ready" ? document.media_type : "application/octet-stream",
      headers: {
        "content-length": String(document.bytes),
        // A stranger's page is saved, never run.
        "content-disposition": attachment(document.name),
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      },
    };
  },
});
