/** One request on its way through the service: its facts, its context, and the answer it gets. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Platform } from "../platform.ts";
import { type ErrorTranslator, type Failure, JSON_TYPE } from "./answer.ts";
import { type Context, idSource, type Principal, type RequestFacts } from "./context.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import { type Problem, UnprocessableError } from "./problem.ts";

export type Authentication =
  | { readonly principal: Principal; readonly failure: null }
  | { readonly principal: null; readonly failure: Problem };

/** What the HTTP room is given by the floor that assembles it. */
export interface HttpDependencies {
  readonly platform: Platform;
  /** Never throws for a bad token: it says why there is no principal. */
  readonly authenticate: (authorization: string | undefined, ip: string) => Promise<Authentication>;
  readonly idempotency: IdempotencyStore;
  readonly translateError: ErrorTranslator;
  /** Told of every failure that is the service's own. */
  readonly onUnexpected: (error: unknown, facts: { id: string; operation: string }) => void;
}

/** An answer before it is sent. `json` is serialised; a stream is sent as it comes. */
export type Answer = { readonly status?: number; readonly headers?: Record<string, string> } & (
  | { readonly json: unknown }
  | { readonly body: string | Uint8Array | Readable; readonly contentType: string }
);

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, null where none was sent; 422 where it is malformed. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && IDEMPOTENCY_KEY.test(key)) return key;
  const pattern = IDEMPOTENCY_KEY.source;
  throw new UnprocessableError([
    {
      loc: ["header", "idempotency-key"],
      msg: `String should match pattern '${pattern}'`,
      type: "string_pattern_mismatch",
      ctx: { pattern },
    },
  ]);
}

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

export function factsOf(
  request: FastifyRequest,
  reply: FastifyReply,
  idempotencyKey: string | null,
): RequestFacts {
  const hangUp = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) hangUp.abort();
  });
  const host = HOST.test(request.host) ? request.host : "localhost";
  return {
    id: request.id,
    method: request.method,
    path: request.url.split("?", 1)[0]!,
    ip: request.ip,
    baseUrl: `${request.protocol}://${host}`,
    signal: hangUp.signal,
    idempotencyKey,
  };
}

export function contextOf(
  platform: Platform,
  authentication: Authentication,
  facts: RequestFacts,
  operation: string,
  setHeader: (name: string, value: string) => void,
): Context {
  const organizationId = authentication.principal?.organizationId ?? null;
  return {
    platform,
    auth: authentication.principal,
    authFailure: authentication.failure,
    request: facts,
    setHeader,
    newId: idSource(organizationId, operation, facts.idempotencyKey),
  };
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status ?? 200);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if ("json" in answer) {
    return reply.header("content-type", JSON_TYPE).send(JSON.stringify(answer.json));
  }
  reply.header("content-type", answer.contentType);
  if (!(answer.body instanceof Readable)) return reply.send(answer.body);
  if (reply.request.method === "HEAD") {
    answer.body.destroy();
    return reply.send("");
  }
  return reply.send(answer.body);
}

export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .header("content-type", failure.contentType)
    .send(JSON.stringify(failure.body));
}
