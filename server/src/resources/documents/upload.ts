/** `POST /v1/documents`: multipart with any number of files, or JSON that holds a text. */

import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { isJsonType } from "../../api/http/bodies/body.ts";
import { LARGE_JSON_LIMIT } from "../../api/http/routing/operation.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { displayName } from "../../platform/input/display-name.ts";
import { Problem } from "../../platform/input/problem.ts";
import { DOCUMENT_FAULTS } from "../../reading/parsing/document-fault.ts";
import { leastBytes, roomOf } from "../quotas/service.ts";
import { LIMITS, WAIT_SECONDS } from "./limits.ts";
import { localFolder } from "./parse-document.ts";
import { receiveFiles } from "./receive.ts";
import { ByteBudget, type ReceivedFile, receiveFile } from "./received-file.ts";
import { documentSchema, toDocument } from "./record.ts";
import { type Registration, registerDocuments } from "./register.ts";

/** The name of a file or a column: one line. */
export const nameText = (): z.ZodString =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  z.string().regex(/^[^\u0000-\u001f\u007f]*$/, "should hold no control characters");

/** A document that is written into a request. */
export const inlineDocumentSchema = z
  .strictObject({
    name: displayName(LIMITS.nameCharacters).meta({
      description: "Its ending says what it is written in (`.md`, `.html`, `.csv`, …); else text.",
      example: "receipt-17.txt",
    }),
    text: z.string().min(1),
  })
  .meta({ id: "InlineDocument" });

export type InlineDocument = z.output<typeof inlineDocumentSchema>;

const uploadSchema = z.object({
  documents: z.array(documentSchema).describe("One for each file, in their order."),
  skipped: z
    .array(z.object({ name: z.string(), reason: z.enum(DOCUMENT_FAULTS), detail: z.string() }))
    .describe("Files that cannot be read; empty unless skip_faulty was asked for."),
});

export const uploadDocuments = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/documents",
    summary: "Upload Documents",
    description: `Takes PDF, DOCX, e-mail (EML), HTML, Markdown, text, CSV, JSON and images: as multipart, every part with a file name, or one as JSON. At most ${LIMITS.files} files of ${LIMITS.bytesPerFile} bytes each, ${LIMITS.bytesPerRequest} bytes together. Each is parsed before the answer: one that is encrypted, damaged, too large or of another kind is a 422 that names it, and nothing of the request is kept, unless skip_faulty asks to keep the others. What takes longer, as scans do, is answered with the status \`parsing\` and read after the answer; jobs that use it wait for it. The same bytes again are the same document: the answer has its document_id and the name that it was first given.`,
    tags: ["Documents"],
    operationId: "documents_upload",
    bodyLimit: LARGE_JSON_LIMIT,
    creates: true,
    errors: ["payload-too-large", "unsupported-media-type", "request-timeout"],
  },
  scope: "documents:write",
  input: z.object({
    query: z.strictObject({
      skip_faulty: z
        .boolean()
        .default(false)
        .describe("Leaves files out that cannot be read, and says which, instead of refusing all."),
      wait_seconds: z
        .int()
        .min(0)
        .max(WAIT_SECONDS)
        .default(WAIT_SECONDS)
        .describe(
          "How long the answer waits for files to be parsed; with 0 all are parsed after it.",
        ),
    }),
  }),
  request: {
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          type: "object",
          required: ["files"],
          properties: {
            files: { type: "array", minItems: 1, items: { type: "string", format: "binary" } },
          },
        },
      },
      "application/json": {
        schema: inlineDocumentSchema,
        example: { name: "receipt-17.txt", text: "CORNER SHOP\nDate: 03/04/2018\nTotal: 12.50" },
      },
    },
  },
  responses: {
    200: {
      description: "The documents",
      content: { "application/json": { schema: uploadSchema } },
    },
  },
  async handler({ ctx, input, mediaType, headers, body, json }) {
    const type = mediaType?.type ?? "";
    const isJson = isJsonType(type);
    if (!isJson && type !== "multipart/form-data") {
      const sent = type === "" ? "No Content-Type was sent" : `Not ${type}`;
      throw new Problem(
        "unsupported-media-type",
        `${sent}; send multipart/form-data with the files, or application/json with name and text.`,
        { headers: { "accept-post": "multipart/form-data, application/json" } },
      );
    }
    const room = await roomOf(ctx.services.db, ctx.auth.organizationId);
    const admit = (bytes: number) => room.check({ total_bytes: bytes });
    admit(leastBytes(headers));
    const inline = isJson ? await json(inlineDocumentSchema) : null;
    const { documents, skipped } = await withUploadFolder(ctx, async (folder) => {
      const files = inline
        ? await receiveTexts([inline], folder)
        : await receiveFiles(headers, body, folder, admit);
      return registerDocuments(ctx, files, {
        skipFaulty: input.query.skip_faulty,
        waitSeconds: input.query.wait_seconds,
        place: ({ index }) => (inline ? ["body", "text"] : ["body", "files", index]),
      });
    });
    return { json: { documents: documents.map(toDocument), skipped } };
  },
});

/**
 * Stores the texts of a request as documents.
 *
 * @param place of a text in the request, by its index
 */
export async function registerTexts(
  ctx: AuthedContext,
  texts: readonly InlineDocument[],
  place: (index: number) => readonly (string | number)[],
): Promise<Registration["documents"]> {
  if (texts.length === 0) return [];
  const { documents } = await withUploadFolder(ctx, async (folder) =>
    registerDocuments(ctx, await receiveTexts(texts, folder), {
      skipFaulty: false,
      waitSeconds: WAIT_SECONDS,
      place: ({ index }) => place(index),
    }),
  );
  return documents;
}

export async function receiveTexts(
  texts: readonly InlineDocument[],
  folder: string,
): Promise<readonly ReceivedFile[]> {
  const budget = new ByteBudget();
  const files: ReceivedFile[] = [];
  for (const [index, { name, text }] of texts.entries()) {
    files.push(await receiveFile(inPieces(text), folder, { index, name, mediaType: null }, budget));
  }
  return files;
}

/** Characters of a piece. */
const PIECE = 1 << 18;

/** UTF-8 of a text, which may be long: the loop turns between its pieces. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length);
    // The two halves of a character go together.
    if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end += 1;
    yield Buffer.from(text.slice(start, end));
    await nextTurn();
    start = end;
  }
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

async function withUploadFolder<Result>(
  ctx: AuthedContext,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = localFolder(ctx.services, randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
