/**
 * Operations that JSON in and JSON out cannot say: uploads, multipart, event streams, downloads.
 * They live beside the routers, answer on the same table, pass the same authentication, and stand
 * in the same OpenAPI document.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { z } from "zod";
import { UnprocessableError, unprocessable } from "../../../platform/input/problem.ts";
import { bodyErrors } from "../../../platform/input/validation-errors.ts";
import type { AuthedContext, Context } from "../../context/context.ts";
import type { Need } from "../../context/scopes.ts";
import {
  decodedBody,
  hasBody,
  type IncomingBody,
  type MediaType,
  parseMediaType,
  readBody,
  readJsonBody,
  readJsonBytes,
} from "../bodies/body.ts";
import { SharedMemory } from "../bodies/shared-memory.ts";
import type { Answer } from "./call.ts";
import { JSON_LIMIT, type OperationMeta } from "./operation.ts";

/** One media type of a body in the document: a zod schema, or a plain JSON Schema. */
export interface MediaTypeMeta {
  readonly schema?: z.ZodType | Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}
export type ContentMeta = Readonly<Record<string, MediaTypeMeta>>;

export interface RawResponseMeta {
  readonly description: string;
  readonly content?: ContentMeta;
}

/** What a handler is given. */
export interface RawCall<Input, Ctx extends Context = Context> {
  readonly ctx: Ctx;
  readonly input: Input;
  readonly headers: IncomingHttpHeaders;
  /** Null where no, or no well-formed, `Content-Type` was sent. */
  readonly mediaType: MediaType | null;
  readonly hasBody: boolean;
  /** The body with gzip undone, to be consumed once; not bounded. */
  readonly body: () => Readable;
  /** The bytes of the body, whatever its media type; empty where there is none. */
  readonly bytes: (limit?: number) => Promise<Uint8Array>;
  /** Lends the bytes until the callback ends, those of a large body in memory that threads share. */
  readonly withSharedBytes: <Result>(
    limit: number,
    use: (bytes: Uint8Array) => Promise<Result>,
  ) => Promise<Result>;
  /** The bytes of the JSON body, for a thread to parse; 422 where there is none. */
  readonly jsonBytes: (limit?: number) => Promise<Uint8Array>;
  /** The JSON body, validated: faults are 422 under `body`. */
  readonly json: <T extends z.ZodType>(schema: T, limit?: number) => Promise<z.output<T>>;
}

/** As the table holds it; `rawRoute` makes it. */
export interface RawRoute {
  readonly operation: OperationMeta;
  readonly scope: Need | null;
  readonly input: z.ZodObject;
  readonly request: { readonly required?: boolean; readonly content: ContentMeta } | null;
  /** By status. */
  readonly responses: Readonly<Record<number, RawResponseMeta>>;
  readonly handle: (call: RawCall<unknown>) => Promise<Answer>;
}

interface RawRouteOptions<Input extends z.ZodObject, S extends Need | null> {
  readonly operation: OperationMeta;
  /** Null = no authentication. */
  readonly scope: S;
  /** Parts `path`, `query` and `header`; left out = none. */
  readonly input?: Input;
  readonly request?: { readonly required?: boolean; readonly content: ContentMeta };
  readonly responses: Readonly<Record<number, RawResponseMeta>>;
  readonly handler: (
    call: RawCall<z.output<Input>, S extends Need ? AuthedContext : Context>,
  ) => Promise<Answer>;
}

/** Defines a raw route; the handler sees the input's and the scope's types. */
export function rawRoute<
  const S extends Need | null,
  Input extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(options: RawRouteOptions<Input, S>): RawRoute {
  return {
    operation: options.operation,
    scope: options.scope,
    input: options.input ?? z.object({}),
    request: options.request ?? null,
    responses: options.responses,
    // The adapter has parsed the input by this very schema and has checked the scope before.
    handle: (call) =>
      options.handler(call as RawCall<z.output<Input>, S extends Need ? AuthedContext : Context>),
  };
}

const sharedMemory = new SharedMemory();

export function rawCall(
  operation: OperationMeta,
  ctx: Context,
  input: unknown,
  incoming: IncomingBody,
): RawCall<unknown> {
  return {
    ctx,
    input,
    headers: incoming.headers,
    mediaType: parseMediaType(incoming.headers["content-type"]),
    hasBody: hasBody(incoming.headers),
    body: () => decodedBody(incoming),
    bytes: (limit = operation.bodyLimit ?? JSON_LIMIT) => readBody(incoming, limit),
    withSharedBytes: (limit, use) =>
      sharedMemory.lend(async (take) => use(await readBody(incoming, limit, take))),
    async jsonBytes(limit = operation.bodyLimit ?? JSON_LIMIT) {
      const bytes = await readJsonBytes(incoming, limit);
      if (bytes !== undefined) return bytes;
      throw unprocessable(["body"], "Field required", { type: "missing" });
    },
    async json(schema, limit = operation.bodyLimit ?? JSON_LIMIT) {
      const value = await readJsonBody(incoming, limit, {
        exactIntegers: operation.exactIntegers,
        values: operation.bodyValues,
      });
      const parsed = await schema.safeParseAsync(value);
      if (parsed.success) return parsed.data;
      throw new UnprocessableError(bodyErrors(parsed.error, value, schema));
    },
  };
}
