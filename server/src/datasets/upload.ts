/** `POST /v1/datasets`: a raw body, multipart with one file, or JSON that names a table or a query. */

import type { Readable } from "node:stream";
import { COLUMN_KINDS, type ColumnKind } from "@distillery/engine";
import { Busboy } from "@fastify/busboy";
import { z } from "zod";
import { isJsonType } from "../http/body.ts";
import type { AuthedContext } from "../http/context.ts";
import { Problem, unprocessable } from "../http/problem.ts";
import { type RawCall, rawRoute } from "../http/raw-route.ts";
import { formatOfFileName, formatOfMediaType, KNOWN_MEDIA_TYPES } from "./formats.ts";
import { registerQuery } from "./from-query.ts";
import { NAME_LIMIT, queryDatasetRequest } from "./query-request.ts";
import { datasetSchema, toDataset } from "./record.ts";
import { registerDataset, type Upload } from "./service.ts";

type BusboyParser = InstanceType<typeof Busboy>;

const kindsSchema = z.record(z.string(), z.enum(COLUMN_KINDS));

const query = z.strictObject({
  name: z.string().min(1).max(NAME_LIMIT).optional().describe("Default: the file's name."),
  kinds: z
    .string()
    .optional()
    .describe(
      'Kinds to read columns as, instead of the inferred ones: JSON such as {"zip":"categorical"}.',
    ),
});

const bytes = { schema: { type: "string", format: "binary" } } as const;

export const uploadDataset = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/datasets",
    summary: "Register Dataset",
    description:
      "Registers an immutable dataset from an uploaded file: CSV, Parquet, Arrow or newline-delimited JSON, as the raw body (gzip by Content-Encoding) or as multipart with one `file`. Or, by a JSON body, of a table or of a query's rows, as they are now: `source` then records which definitions were read.",
    tags: ["Datasets"],
    operationId: "datasets_create",
    creates: true,
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
      "text/csv": { schema: { type: "string" } },
      "application/vnd.apache.parquet": bytes,
      "application/vnd.apache.arrow.stream": bytes,
      "application/vnd.apache.arrow.file": bytes,
      "application/x-ndjson": { schema: { type: "string" } },
      "multipart/form-data": {
        schema: {
          type: "object",
          required: ["file"],
          properties: { file: { type: "string", format: "binary" }, name: { type: "string" } },
        },
      },
      "application/json": { schema: queryDatasetRequest },
    },
  },
  responses: {
    200: { description: "The dataset", content: { "application/json": { schema: datasetSchema } } },
  },
  async handler(call) {
    if (call.mediaType !== null && isJsonType(call.mediaType.type)) {
      const request = await call.json(queryDatasetRequest);
      return { json: toDataset(await registerQuery(call.ctx, request)) };
    }
    const upload = await openUpload(call);
    return { json: toDataset(await registerDataset(call.ctx, upload)) };
  },
});

type UploadCall = RawCall<{ query: z.output<typeof query> }, AuthedContext>;

async function openUpload(call: UploadCall): Promise<Upload> {
  const type = call.mediaType?.type ?? "";
  const kinds = parseKinds(call.input.query.kinds, ["query", "kinds"]);
  if (type === "multipart/form-data") return openMultipart(call, kinds);
  const format = formatOfMediaType(type);
  if (!format) throw unsupported(type);
  return {
    name: call.input.query.name ?? "dataset",
    format,
    kinds,
    source: { kind: "upload", media_type: type },
    body: call.body(),
  };
}

function unsupported(type: string): Problem {
  const sent = type === "" ? "No Content-Type was sent" : `${type} is not a dataset's media type`;
  return new Problem(
    "unsupported-media-type",
    `${sent}; send one of ${KNOWN_MEDIA_TYPES.join(", ")}, multipart/form-data or application/json.`,
    { headers: { "accept-post": KNOWN_MEDIA_TYPES.join(", ") } },
  );
}

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
  const parsed = kindsSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw unprocessable(loc, `should map column names to kinds, of ${COLUMN_KINDS.join(", ")}`);
}

/** The one file of a multipart body, as a stream; fields before it may name it. */
function openMultipart(
  call: UploadCall,
  queryKinds: Readonly<Record<string, ColumnKind>>,
): Promise<Upload> {
  const { headers } = call;
  const contentType = headers["content-type"];
  if (contentType === undefined) throw unsupported("");
  return new Promise((resolve, reject) => {
    const source = call.body();
    let parser: BusboyParser;
    try {
      parser = new Busboy({
        headers: { ...headers, "content-type": contentType },
        limits: { files: 1, fields: 10, fieldSize: 1_000_000 },
      });
    } catch (cause) {
      reject(new Problem("bad-request", "The multipart body has no valid boundary.", { cause }));
      return;
    }
    let name = call.input.query.name;
    let kinds = queryKinds;
    let found = false;
    const fail = (error: unknown): void => {
      source.unpipe(parser);
      source.resume();
      reject(error);
    };
    parser.on("field", (field, value) => {
      if (field === "name" && value !== "") name = value.slice(0, NAME_LIMIT);
      if (field === "kinds") {
        try {
          kinds = parseKinds(value, ["body", "kinds"]);
        } catch (error) {
          fail(error);
        }
      }
    });
    parser.on("file", (field, file, fileName, _encoding, mimeType) => {
      if (field !== "file") {
        file.resume();
        fail(unprocessable(["body", field], "the file's part must be named 'file'"));
        return;
      }
      const format = formatOfFileName(fileName ?? "") ?? formatOfMediaType(mimeType);
      if (!format) {
        file.resume();
        fail(unsupported(mimeType));
        return;
      }
      found = true;
      resolve({
        name: name ?? (fileName === "" ? "dataset" : fileName),
        format,
        kinds,
        source: { kind: "upload", media_type: mimeType, file_name: fileName },
        body: withSourceErrors(file, source, parser),
      });
    });
    parser.on("finish", () => {
      if (!found) reject(unprocessable(["body", "file"], "Field required", { type: "missing" }));
    });
    parser.on("error", (cause) =>
      fail(new Problem("bad-request", "The multipart body is malformed or cut short.", { cause })),
    );
    source.on("error", fail);
    source.pipe(parser);
  });
}

/** A body that is cut in the middle must fail the file's stream, which would else just end. */
async function* withSourceErrors(
  file: Readable,
  source: Readable,
  parser: BusboyParser,
): AsyncGenerator<Uint8Array> {
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    file.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  source.on("error", fail);
  source.on("aborted", () => fail(new Error("The upload was cut off.")));
  parser.on("error", fail);
  yield* file;
  if (failure !== undefined) throw failure;
}
