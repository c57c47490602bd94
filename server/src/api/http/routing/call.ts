/** One request on its way through the service: its facts, its context, and the answer it gets. */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { pipeline, Readable, Transform } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Problem, UnprocessableError } from "../../../platform/input/problem.ts";
import type { AuditChange, AuditedCaller } from "../../context/audited-change.ts";
import type { Context, Principal, RequestFacts } from "../../context/context.ts";
import type { Services } from "../../services.ts";
import { type ErrorTranslator, JSON_TYPE, type SentFailure } from "../bodies/answer.ts";
import { release } from "../bodies/body.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { clientAddress } from "./client-address.ts";
import type { UnsentLimits } from "./unsent-answers.ts";

export type Authentication =
  | { readonly principal: Principal; readonly failure: null }
  | { readonly principal: null; readonly failure: Problem };

/** What the HTTP room is given by the floor that assembles it. */
export interface HttpDependencies {
  readonly services: Services;
  /** Where callers reach the service, without a slash at its end; absent = as each request says. */
  readonly publicUrl?: string | undefined;
  /** Never throws for a bad token: it says why there is no principal. */
  readonly authenticate: (request: RequestFacts) => Authentication | Promise<Authentication>;
  readonly idempotency: IdempotencyStore;
  readonly translateError: ErrorTranslator;
  /** Told of each change that was asked for, before its answer is sent; absent = nobody is. */
  readonly auditChange?: AuditChange | undefined;
  /** Of answers that wait in memory to be read; those of `UnsentAnswers` unless told. */
  readonly unsentLimits?: UnsentLimits;
  /** Told of every failure that is the service's own. */
  readonly onUnexpected: (error: unknown, facts: { id: string; operation: string }) => void;
}

/** An answer before it is sent. `json` is serialised; a stream is sent as it comes. */
export type Answer = { readonly status?: number; readonly headers?: Record<string, string> } & (
  | { readonly json: unknown }
  | {
      readonly body: string | Uint8Array | Readable;
      readonly contentType: string;
      /** Nobody else reads the bytes: their memory is given back once they are sent. */
      readonly isOwn?: boolean;
    }
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

/** What the facts of a request are found by. */
type Known = Pick<HttpDependencies, "authenticate" | "publicUrl">;

export function factsOf(request: FastifyRequest, reply: FastifyReply, known: Known): RequestFacts {
  return new FactsOfRequest(request, reply, known);
}

/** Each fact is found when it is first asked for: most operations want none of them. */
class FactsOfRequest implements RequestFacts {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #known: Known;
  #hangUp: AbortController | null = null;

  constructor(request: FastifyRequest, reply: FastifyReply, known: Known) {
    this.#request = request;
    this.#reply = reply;
    this.#known = known;
  }

  get id(): string {
    return this.#request.id;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.url.split("?", 1)[0]!;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get ip(): string {
    return clientAddress(this.#request);
  }

  get baseUrl(): string {
    return this.#known.publicUrl ?? this.hostUrl;
  }

  get hostUrl(): string {
    const { host, protocol } = this.#request;
    const scheme = protocol === "https" ? "https" : "http";
    return `${scheme}://${HOST.test(host) ? host : "localhost"}`;
  }

  async stillAuthenticated(): Promise<boolean> {
    return (await this.#known.authenticate(this)).principal !== null;
  }

  get signal(): AbortSignal {
    if (this.#hangUp !== null) return this.#hangUp.signal;
    const hangUp = new AbortController();
    this.#hangUp = hangUp;
    const { raw } = this.#reply;
    const onClose = (): void => {
      if (!raw.writableFinished) hangUp.abort();
    };
    if (raw.closed) onClose();
    else raw.once("close", onClose);
    return hangUp.signal;
  }
}

export function contextOf(
  services: Services,
  authentication: Authentication,
  facts: RequestFacts,
  setHeader: (name: string, value: string) => void,
  isBy: (caller: AuditedCaller) => void = () => {},
  isAbout: (resourceId: string) => void = () => {},
): Context {
  return {
    services,
    auth: authentication.principal,
    authFailure: authentication.failure,
    request: facts,
    setHeader,
    signsInAs: (owner) => isBy({ ...owner, isSession: true }),
    isAbout,
    newId: randomUUID,
  };
}

/**
 * @param headers those that were set on the way; the answer's own win
 * @param hold counts what waits in memory to be read
 * @param onBroken told why a stream broke off behind its first byte, which breaks the connection
 */
export function sendAnswer(
  reply: FastifyReply,
  answer: Answer,
  headers: Readonly<Record<string, string>> | null,
  hold: (bytes: number) => void,
  onBroken: (error: Error) => void,
): FastifyReply {
  const inMemory = textOrBytes(answer);
  if (inMemory !== null) hold(inMemory.length);
  if ("isOwn" in answer && answer.isOwn && inMemory instanceof Uint8Array) {
    // Also where the caller breaks off: by then nothing of them is written any more.
    reply.raw.once("close", () => release(inMemory));
  }
  if (answer.status !== undefined) reply.code(answer.status);
  if (headers !== null) reply.headers(headers);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  reply.header("content-type", "json" in answer ? JSON_TYPE : answer.contentType);
  if ("json" in answer || !(answer.body instanceof Readable)) return reply.send(inMemory);
  if (reply.request.method === "HEAD") {
    answer.body.destroy();
    return reply.send("");
  }
  const length = answer.headers?.["content-length"];
  const body = length === undefined ? answer.body : ofLength(answer.body, Number(length));
  body.once("error", (error) => {
    // Before the first byte the failure is the answer; of a caller who went away nobody needs to know.
    if (reply.raw.headersSent && !reply.raw.destroyed) onBroken(error);
  });
  return reply.send(body);
}

/** What is sent at once; null: a stream. */
function textOrBytes(answer: Answer): string | Uint8Array | null {
  if ("json" in answer) return JSON.stringify(answer.json);
  return answer.body instanceof Readable ? null : answer.body;
}

/**
 * Fails where the body is not as long as was announced: Node ends a shorter one in good order, so
 * that the caller waits on for its rest and takes the connection's next answer for it.
 */
function ofLength(body: Readable, length: number): Readable {
  let bytes = 0;
  const wrong = (): Error => new Error(`a body of ${length} bytes came as ${bytes}`);
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > length) done(wrong());
      else done(null, chunk);
    },
    flush: (done) => done(bytes < length ? wrong() : null),
  });
  // The error goes to whoever reads the result; the callback is only there to be called.
  return pipeline(body, counted, () => {});
}

export function sendFailure(reply: FastifyReply, failure: SentFailure): FastifyReply {
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .header("content-type", failure.contentType)
    .send(JSON.stringify(failure.body));
}
