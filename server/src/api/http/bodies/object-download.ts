/** Downloads by URLs that the service signed for its own file store: the URL is the permission. */
import { Readable } from "node:stream";
import { z } from "zod";
import { notFound, Problem } from "../../../platform/input/problem.ts";
import { ObjectNotFoundError } from "../../../platform/objects/object-store.ts";
import { rawRoute } from "../routing/raw-route.ts";
import { rangeOf } from "./byte-range.ts";

/** RFC 6266 with the RFC 8187 form for names beyond ASCII. */
export function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const BYTES = {
  "application/octet-stream": { schema: { type: "string", format: "binary" } },
};

export const objectDownload = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/objects/{key+}",
    summary: "Download Object",
    description:
      "By a presigned URL from another operation; it needs no further authentication. A `Range` header of one range of bytes is answered with those.",
    tags: ["Objects"],
    operationId: "objects_download",
    errors: ["forbidden", "not-found", "range-not-satisfiable"],
    responseHeaders: z.object({
      "Content-Disposition": z.string().describe("The name to save it under."),
    }),
  },
  scope: null,
  input: z.object({
    path: z.object({ key: z.string() }),
    query: z.strictObject({
      expires: z.string().optional(),
      name: z.string().optional(),
      signature: z.string().optional(),
    }),
  }),
  responses: {
    200: {
      description: "The object's bytes",
      content: BYTES,
    },
    206: { description: "The bytes that `Range` asked for", content: BYTES },
  },
  async handler({ ctx, input, headers }) {
    const { objects, objectUrls } = ctx.services;
    const { key } = input.path;
    const verified = objectUrls.verify(key, input.query);
    if (!verified.valid) {
      const expired = verified.reason === "expired";
      throw new Problem(
        "forbidden",
        expired ? "This URL has expired; ask for a new one." : "This URL is not signed.",
      );
    }
    const head = await objects.head(key);
    if (head === null) throw notFound("object");
    // Without a validator that If-Range could name, such a request is answered with all.
    const range = rangeOf(
      headers["if-range"] === undefined ? headers.range : undefined,
      head.bytes,
    );
    if (range === "beyond") {
      throw new Problem("range-not-satisfiable", `The object has ${head.bytes} bytes.`, {
        headers: { "content-range": `bytes */${head.bytes}` },
      });
    }
    const { offset, length } = range ?? { offset: 0, length: head.bytes };
    const read = objects.get(key, range === null ? {} : { range });
    return {
      status: range === null ? 200 : 206,
      body: Readable.from(bytes(read), { objectMode: false }),
      contentType: "application/octet-stream",
      headers: {
        "content-length": String(length),
        "accept-ranges": "bytes",
        ...(range !== null && {
          "content-range": `bytes ${offset}-${offset + length - 1}/${head.bytes}`,
        }),
        "content-disposition": attachment(verified.fileName),
        "cache-control": "private, no-store",
      },
    };
  },
});

/** An object that is deleted between the look and the read cuts the answer short. */
async function* bytes(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) throw notFound("object");
    throw error;
  }
}
