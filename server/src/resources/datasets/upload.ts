/** `POST /v1/datasets`: a raw body, multipart with one file, or JSON that names a table or a query. */

import { COLUMN_KINDS, type ColumnKind, repeatedMember } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { isJsonType } from "../../api/http/bodies/body.ts";
import { readMultipart } from "../../api/http/bodies/multipart.ts";
import { type RawCall, rawRoute } from "../../api/http/routing/raw-route.ts";
import { displayName, nameOfFile } from "../../platform/input/display-name.ts";
import {
  Problem,
  payloadTooLarge,
  UnprocessableError,
  unprocessable,
} from "../../platform/input/problem.ts";
import { refuseUnstorable } from "../../platform/input/storable-text.ts";
import { bodyErrors } from "../../platform/input/validation-errors.ts";
import { leastBytes, roomOf } from "../quotas/service.ts";
import { charsetOf, ENCODING_DESCRIPTION, encodingField, parseEncoding } from "./encoding.ts";
import {
  formatOfFileName,
  formatOfMediaType,
  KNOWN_MEDIA_TYPES,
  unreadName,
  unreadType,
} from "./formats.ts";
import { registerQuery } from "./from-query.ts";
import { queryDatasetRequest } from "./query-request.ts";
import { datasetSchema, toDataset } from "./record.ts";
import { type Delivery, type Description, registerDataset } from "./service.ts";

const kindsSchema = z.record(z.string(), z.enum(COLUMN_KINDS));

const query = z.strictObject({
  name: displayName().optional().describe("Default: the file's name."),
  kinds: z
    .string()
    .optional()
    .describe(
      'Kinds to read columns as, instead of the inferred ones: JSON such as {"zip":"categorical"}.',
    ),
  encoding: encodingField,
});

/** The kinds of a dataset's columns are written into a field. */
const MULTIPART_LIMITS = { fieldBytes: 1_000_000 };

const bytes = { schema: { type: "string", format: "binary" } } as const;

/** The bodies that a file of rows comes in. */
export const FILE_CONTENT = {
  "text/csv": { schema: { type: "string" } },
  "application/vnd.apache.parquet": bytes,
  "application/vnd.apache.arrow.stream": bytes,
  "application/vnd.apache.arrow.file": bytes,
  "application/x-ndjson": { schema: { type: "string" } },
} as const;

export const uploadDataset = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/datasets",
    summary: "Register Dataset",
    description:
      "Registers an immutable dataset from an uploaded file: CSV, Parquet, Arrow or newline-delimited JSON, as the raw body (packed by gzip or Zstandard, or gzip by Content-Encoding) or as multipart with one `file`. Or, by a JSON body, of a table or of a query's rows, as they are now: `source` then records which definitions were read, and the caller needs workspace:read as well.",
    tags: ["Datasets"],
    operationId: "datasets_create",
    creates: true,
    exactIntegers: true,
    errors: [
      "not-found",
      "payload-too-large",
      "unsupported-media-type",
      "request-timeout",
      "bad-gateway",
      "gateway-timeout",
    ],
  },
  scope: "datasets:write",
  input: z.object({ query }),
  request: {
    required: true,
    content: {
      ...FILE_CONTENT,
      "multipart/form-data": {
        schema: {
          type: "object",
          required: ["file"],
          properties: {
            file: { type: "string", format: "binary" },
            name: { type: "string" },
            encoding: { type: "string", description: ENCODING_DESCRIPTION },
          },
        },
      },
      "application/json": { schema: queryDatasetRequest },
    },
  },
  responses: {
    200: { description: "The dataset", content: { "application/json": { schema: datasetSchema } } },
  },
  async handler(call) {
    const limit = call.ctx.services.config.maxUploadBytes;
    if (Number(call.headers["content-length"] ?? 0) > limit) throw payloadTooLarge(limit);
    if (call.mediaType !== null && isJsonType(call.mediaType.type)) {
      const request = await call.json(queryDatasetRequest).catch(withRowsExplained);
      return { json: toDataset(await registerQuery(call.ctx, request)) };
    }
    const room = await roomOf(call.ctx.services.db, call.ctx.auth.organizationId);
    const delivery = deliveryOf(call, call.input.query, (bytes) =>
      room.check({ datasets: 1, dataset_bytes: bytes, total_bytes: bytes }),
    );
    return { json: toDataset(await registerDataset(call.ctx, delivery)) };
  },
});

/** Rows that are sent as one JSON list are told what they are sent as. */
function withRowsExplained(error: unknown): never {
  const fault = error instanceof UnprocessableError ? error.detail[0] : undefined;
  if (fault?.loc.length !== 1 || fault.type !== "model_attributes_type") throw error;
  const hint = `${fault.msg}; rows are sent as application/x-ndjson, one object a line, or as CSV, Parquet or Arrow`;
  throw new UnprocessableError([{ ...fault, msg: hint }], { cause: error });
}

type UploadCall = Pick<RawCall<unknown, AuthedContext>, "body" | "ctx" | "headers" | "mediaType">;
type FileQuery = z.output<typeof query>;

/** Of a multipart body, what may stand beside the file. */
type FileField = keyof FileQuery;
const FIELDS: readonly FileField[] = ["name", "kinds", "encoding"];

/**
 * A file of rows, as the body or in its one part.
 *
 * @param fields that may stand beside the file
 * @param admit asked for the bytes of the file, as many as are known of; throws where they are too many
 * @throws 413, 415, 422
 */
export function deliveryOf(
  call: UploadCall,
  query: FileQuery,
  admit: (bytes: number) => void,
  fields: readonly FileField[] = FIELDS,
): Delivery {
  admit(leastBytes(call.headers));
  const limit = call.ctx.services.config.maxUploadBytes;
  const admitted = (body: AsyncIterable<Uint8Array>) => bounded(body, limit, admit);
  const type = call.mediaType?.type ?? "";
  if (type === "multipart/form-data") {
    return (store) => receiveMultipart(call, query, fields, (bytes) => store(admitted(bytes)));
  }
  const format = formatOfMediaType(type);
  if (!format) throw unsupported(type);
  const { name = "dataset", kinds } = query;
  const encoding =
    parseEncoding(query.encoding, format, ["query", "encoding"]) ??
    charsetOf(call.mediaType, format);
  const description: Description = {
    name,
    format,
    kinds: parseKinds(kinds, ["query", "kinds"]),
    source: { kind: "upload", media_type: type, ...(encoding !== undefined && { encoding }) },
  };
  return async (store) => {
    await store(admitted(call.body()));
    return description;
  };
}

/** @throws 413 */
async function* bounded(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  admit: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw payloadTooLarge(limit);
    admit(bytes);
    yield chunk;
  }
}

const unsupported = (type: string): Problem => notRead(unreadType(type));

const notRead = (detail: string): Problem =>
  new Problem("unsupported-media-type", detail, {
    headers: { "accept-post": KNOWN_MEDIA_TYPES.join(", ") },
  });

function parseKinds(
  text: string | undefined,
  loc: readonly string[],
): Readonly<Record<string, ColumnKind>> {
  if (text === undefined) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw unprocessable(loc, "not valid JSON", {
      type: "json_invalid",
      ctx: { error: String(cause) },
    });
  }
  const repeated = repeatedMember(text);
  if (repeated !== null)
    throw unprocessable([...loc, ...repeated], "a column may be named but once");
  const parsed = kindsSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw unprocessable(loc, `should map column names to kinds, of ${COLUMN_KINDS.join(", ")}`);
}

/** The one file of a multipart body, whose fields may name it, wherever they stand. */
async function receiveMultipart(
  call: UploadCall,
  query: FileQuery,
  fields: readonly FileField[],
  store: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Description> {
  let file: Omit<Description, "name" | "kinds"> | null = null;
  let { name } = query;
  let encoding = { label: query.encoding, loc: ["query", "encoding"] };
  let kinds = parseKinds(query.kinds, ["query", "kinds"]);
  await readMultipart(call.headers, call.body, MULTIPART_LIMITS, {
    field(field, value) {
      if (!fields.some((known) => known === field)) {
        throw unprocessable(
          ["body", field],
          `beside the file stand only ${fields.join(" and ")}; other members go into the query`,
          { type: "extra_forbidden" },
        );
      }
      refuseUnstorable(value, ["body", field]);
      if (field === "name" && value !== "") name = parseName(value);
      if (field === "encoding" && value !== "") {
        encoding = { label: value, loc: ["body", "encoding"] };
      }
      if (field === "kinds") kinds = parseKinds(value, ["body", "kinds"]);
    },
    async file({ field, fileName, mediaType, content }) {
      if (field !== "file") {
        throw unprocessable(["body", field], "the file's part must be named 'file'");
      }
      if (file !== null) {
        throw unprocessable(["body", "file"], "one request takes one file");
      }
      refuseUnstorable([fileName, mediaType], ["body", "file"]);
      const format = formatOfFileName(fileName ?? "") ?? formatOfMediaType(mediaType);
      if (!format)
        throw fileName ? notRead(unreadName(fileName, mediaType)) : unsupported(mediaType);
      name ??= nameOfFile(fileName) ?? "dataset";
      file = { format, source: { kind: "upload", media_type: mediaType, file_name: fileName } };
      await store(content);
    },
  });
  const described = description(file, name, kinds);
  const named = parseEncoding(encoding.label, described.format, encoding.loc);
  if (named === undefined) return described;
  return { ...described, source: { ...described.source, encoding: named } };
}

function parseName(text: string): string {
  const fields = { name: text };
  const parsed = nameField.safeParse(fields);
  if (parsed.success) return parsed.data.name;
  throw new UnprocessableError(bodyErrors(parsed.error, fields, nameField));
}

const nameField = z.object({ name: displayName() });

function description(
  file: Omit<Description, "name" | "kinds"> | null,
  name: string | undefined,
  kinds: Description["kinds"],
): Description {
  if (file === null) throw unprocessable(["body", "file"], "Field required", { type: "missing" });
  return { ...file, name: name ?? "dataset", kinds };
}
