/**
 * The OpenAPI 3.1 document, from the same table that serves `/v1`. zod-openapi turns the schemas
 * into JSON Schema; what surrounds them (true success codes, 422, problems, security, media types
 * of raw routes) is said here. Why not trpc-to-openapi's walk: docs/decisions/openapi-document.md.
 */
import { z } from "zod";
import {
  createDocument,
  type oas31,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import manifest from "../../../../package.json" with { type: "json" };
import { JSON_VALUES_LIMIT } from "../../../platform/input/json.ts";
import { PROBLEMS, type ProblemKind, problemType } from "../../../platform/input/problem.ts";
import { JSON_LIMIT } from "../routing/operation.ts";
import type { ContentMeta } from "../routing/raw-route.ts";
import type { Route } from "../routing/routes.ts";
import { applyGuide, type DocumentGuide } from "./document-guide.ts";

export type OpenApiDocument = oas31.OpenAPIObject;

/** The version of the interface that this service speaks, by which its packages are numbered too. */
export const API_VERSION: string = manifest.version;

const problemSchema = z
  .object({
    type: z.string().meta({ description: "A URI that names the class of the problem." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: "What is wrong, for the person who asked." }),
    position: z
      .object({ line: z.int(), column: z.int() })
      .optional()
      .meta({ description: "Where in an SQL statement, both from 1, where that is known." }),
    request_id: z.string().optional(),
  })
  .meta({ id: "Problem", description: "An error as RFC 9457 describes them." });

const validationErrorSchema = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({
      description: "Where: body, query, path or header, then member names and list positions.",
    }),
    msg: z.string(),
    type: z.string().meta({ description: "The kind of fault, e.g. missing or less_than_equal." }),
    input: z.unknown().optional(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "ValidationError" });

const httpValidationErrorSchema = z
  .object({ detail: z.array(validationErrorSchema) })
  .meta({ id: "HTTPValidationError" });

const componentName = (kind: ProblemKind): string =>
  kind.replace(/(^|-)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());

const errorSchema = z
  .object({ error: z.string().describe("What went wrong, for the person who sent the request.") })
  .meta({ id: "InferenceError" });

const problemHeaders: Partial<Record<ProblemKind, Record<string, oas31.HeaderObject>>> = {
  unauthenticated: {
    "WWW-Authenticate": { schema: { type: "string" }, description: "Bearer, and why." },
  },
  conflict: {
    "Retry-After": {
      schema: { type: "integer" },
      description:
        "Where waiting may help. Seconds; for a request whose Idempotency-Key is in use, until the key is free if the process that used it has died.",
    },
  },
  "too-many-requests": {
    "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait." },
  },
  unavailable: {
    "Retry-After": {
      schema: { type: "integer" },
      description: "Seconds to wait, where known.",
    },
  },
};

function problemResponse(kind: ProblemKind): ZodOpenApiResponseObject {
  const { title, status } = PROBLEMS[kind];
  const headers = problemHeaders[kind];
  return {
    description: title,
    ...(headers === undefined ? {} : { headers }),
    content: {
      "application/problem+json": {
        schema: problemSchema,
        example: { type: problemType(kind), title, status, detail: `${title}.` },
      },
    },
  };
}

/** The problems that an operation can answer with, by what it takes and needs. */
function problemsOf(route: Route): ProblemKind[] {
  const takesBody = route.parts.body !== undefined || (route.kind === "raw" && route.raw.request);
  const kinds = new Set<ProblemKind>([
    "bad-request",
    "headers-too-large",
    "internal",
    ...(route.meta.errors ?? []),
  ]);
  if (route.scope !== null) {
    for (const kind of [
      "unauthenticated",
      "too-many-requests",
      "unavailable",
      "insufficient-storage",
    ] as const) {
      kinds.add(kind);
    }
    // A change that a session asks for from elsewhere is refused, whatever its scopes.
    if (route.scope !== "any" || route.method !== "GET") kinds.add("forbidden");
  }
  if (takesBody) {
    for (const kind of [
      "request-timeout",
      "payload-too-large",
      "unsupported-media-type",
    ] as const) {
      kinds.add(kind);
    }
  }
  if (route.meta.creates === true) kinds.add("conflict");
  return [...kinds];
}

const idempotencyKey: oas31.ParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A value chosen by the caller, kept for 24 hours: the same request of the same caller with it is answered as " +
    "the first was, with `Idempotency-Replayed: true`, and nothing is made again, though what was made may be gone meanwhile; a different request with it, or that of another caller, is refused with 422.",
  schema: { type: "string", pattern: "^[!-~]{1,255}$" },
};

const ifNoneMatch: oas31.ParameterObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "Entity tags that are known, or `*`: 304 without a body where the ETag is among them.",
  schema: { type: "string" },
};

const content = (media: ContentMeta): ZodOpenApiContentObject =>
  Object.fromEntries(
    Object.entries(media).map(([type, { schema, example }]) => [
      type,
      {
        ...(schema === undefined ? {} : { schema }),
        ...(example === undefined ? {} : { example }),
      },
    ]),
  );

function requestBodyOf(route: Route): ZodOpenApiOperationObject["requestBody"] {
  if (route.kind === "raw") {
    const { request } = route.raw;
    return request === null
      ? undefined
      : { required: request.required ?? true, content: content(request.content) };
  }
  const { body } = route.parts;
  if (body === undefined) return undefined;
  const limit = Math.floor((route.meta.bodyLimit ?? JSON_LIMIT) / 1024);
  return {
    required: !body.safeParse(undefined).success,
    description: `At most ${limit} KiB and ${route.meta.bodyValues ?? JSON_VALUES_LIMIT} values (texts, numbers, lists, objects).`,
    content: { "application/json": { schema: body } },
  };
}

function successesOf(route: Route): Record<string, ZodOpenApiResponseObject> {
  const headers = Object.fromEntries(
    Object.entries(route.meta.responseHeaders?.shape ?? {}).map(([name, header]) => [
      name,
      { description: header.description ?? "", schema: { type: "string" as const } },
    ]),
  );
  if (route.kind === "raw") {
    return Object.fromEntries(
      Object.entries(route.raw.responses).map(([status, response]) => [
        status,
        {
          description: response.description,
          headers,
          ...(response.content === undefined ? {} : { content: content(response.content) }),
        },
      ]),
    );
  }
  return {
    [route.meta.successStatus ?? 200]: {
      description: route.meta.successDescription ?? "Success",
      headers,
      content: { "application/json": { schema: route.output } },
    },
    ...(route.meta.revalidates === true ? { 304: { description: "Known", headers } } : {}),
  };
}

function securityOf({ scope, meta }: Route): oas31.SecurityRequirementObject[] {
  if (scope === null) return [];
  return meta.session === true ? [{ cookieAuth: [] }] : [{ bearer: [] }, { cookieAuth: [] }];
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { meta, parts } = route;
  const responses: Record<string, ZodOpenApiResponseObject | oas31.ReferenceObject> = {};
  for (const kind of problemsOf(route)) {
    responses[PROBLEMS[kind].status] = { $ref: `#/components/responses/${componentName(kind)}` };
  }
  responses["422"] = { $ref: "#/components/responses/UnprocessableContent" };
  if (meta.failures === "error") {
    // What cannot be processed is a bad request there.
    delete responses["422"];
    for (const kind of problemsOf(route)) {
      const { status, title } = PROBLEMS[kind];
      responses[status] = {
        description: title,
        content: { "application/json": { schema: errorSchema, example: { error: `${title}.` } } },
      };
    }
  }
  Object.assign(responses, successesOf(route));
  const params = {
    ...(parts.path instanceof z.ZodObject ? { path: parts.path } : {}),
    ...(parts.query instanceof z.ZodObject ? { query: parts.query } : {}),
    ...(parts.header instanceof z.ZodObject ? { header: parts.header } : {}),
  };
  const requestBody = requestBodyOf(route);
  const scopeNote =
    route.scope === null || route.scope === "any" ? "" : `Needs the scope \`${route.scope}\`.`;
  return {
    operationId: route.id.replace(/[^A-Za-z0-9_-]+/g, "_"),
    summary: meta.summary,
    description: [meta.description, scopeNote].filter(Boolean).join("\n\n"),
    tags: [...meta.tags],
    security: securityOf(route),
    ...(meta.deprecated === true ? { deprecated: true } : {}),
    requestParams: params,
    ...(meta.creates === true ? { parameters: [idempotencyKey] } : {}),
    ...(meta.revalidates === true ? { parameters: [ifNoneMatch] } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responses as ZodOpenApiOperationObject["responses"],
  };
}

/** @param publicUrl where callers reach the service; absent = where they got the document */
export interface DocumentOptions {
  /** Absent = where the document itself comes from. */
  readonly publicUrl?: string | undefined;
  readonly guide?: DocumentGuide | undefined;
}

export function openApiDocument(
  routes: readonly Route[],
  { publicUrl, guide }: DocumentOptions = {},
): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
    const path = route.template.document;
    paths[path] = { ...paths[path], [method]: operationOf(route) };
  }
  const used = new Set(routes.flatMap(problemsOf));
  const responses: Record<string, ZodOpenApiResponseObject> = {
    UnprocessableContent: {
      description: "Validation error",
      content: {
        "application/json": {
          schema: httpValidationErrorSchema,
          example: {
            detail: [
              { loc: ["body", "task", "label_column"], msg: "Field required", type: "missing" },
              {
                loc: ["body", "n_trials"],
                msg: "Input should be greater than or equal to 1",
                type: "greater_than_equal",
                input: 0,
                ctx: { ge: 1 },
              },
            ],
          },
        },
      },
    },
  };
  for (const kind of used) responses[componentName(kind)] = problemResponse(kind);
  const tagNames = new Set(routes.flatMap(({ meta }) => meta.tags));
  const tags = guide?.tags.filter(({ name }) => tagNames.has(name)) ?? [];
  const named = new Set(tags.map(({ name }) => name));
  const others = [...tagNames].filter((name) => !named.has(name)).sort();
  const document = createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Distillery",
        version: API_VERSION,
        description:
          guide?.description ??
          "Send `Authorization: Bearer <API key or access token>` with every operation that needs it.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: publicUrl ?? "/" }],
      tags: [...tags, ...others.map((name) => ({ name }))],
      security: [{ bearer: [] }],
      paths,
      components: {
        responses,
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "An API key (`dk_…`) or an OpenID Connect access token.",
          },
          cookieAuth: {
            type: "apiKey",
            in: "cookie",
            name: "distillery_session",
            description:
              "A session of the console (`POST /v1/session`), for requests without `Authorization`. The cookie's name ends with `_` and the port where the service's URL has one, and begins with `__Host-` under https. What is not a GET has to come from the service's own origin, with the header `X-CSRF-Token`.",
          },
        },
      },
    },
    {
      override: ({ jsonSchema }) => {
        // zod says the safe-integer range of every integer; to a reader it is noise.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        // `maxItems` says it too, and generators of clients that know no boolean schemas refuse the document.
        if (jsonSchema.items === false && jsonSchema.maxItems !== undefined) {
          delete jsonSchema.items;
        }
      },
    },
  );
  if (guide !== undefined) applyGuide(document, guide);
  return document;
}
