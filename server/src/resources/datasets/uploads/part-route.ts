/** `POST /v1/uploads/{upload_id}/parts`: the next bytes of a file. */

import { z } from "zod";
import { rawRoute } from "../../../api/http/routing/raw-route.ts";
import { payloadTooLarge } from "../../../platform/input/problem.ts";
import { LEAST_PART_BYTES, MOST_PART_BYTES, toUpload, uploadSchema } from "./record.ts";
import { receivePart } from "./service.ts";

export const uploadPart = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/uploads/{upload_id}/parts",
    summary: "Send Upload Part",
    description: `The bytes of the file from \`offset\` on. Each part but the last has at least ${LEAST_PART_BYTES} bytes, and none more than ${MOST_PART_BYTES}. Where the upload is not at the offset, because an answer was lost, it is 409: ask how far it is, and go on there.`,
    tags: ["Uploads"],
    operationId: "uploads_part",
    errors: ["not-found", "conflict", "payload-too-large", "request-timeout"],
  },
  scope: "datasets:write",
  input: z.object({
    path: z.object({ upload_id: z.uuid() }),
    query: z.strictObject({
      offset: z.int().min(0).describe("Of the part's first byte in the file."),
    }),
  }),
  request: {
    required: true,
    content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
  },
  responses: {
    200: { description: "The upload", content: { "application/json": { schema: uploadSchema } } },
  },
  async handler({ ctx, input, headers, body }) {
    if (Number(headers["content-length"] ?? 0) > MOST_PART_BYTES) {
      throw payloadTooLarge(MOST_PART_BYTES);
    }
    const { upload_id } = input.path;
    return { json: toUpload(await receivePart(ctx, upload_id, input.query.offset, body)) };
  },
});
