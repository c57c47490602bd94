/**
 * `/v1` over the tRPC routers: one Fastify route an operation, its input gathered from the path,
 * the query, the headers and the body, the procedure called, and whatever comes back or is thrown
 * turned into the interface's answers. Order of the checks: route (404,
 * 405), authentication (401, 403), media type (415), size (413), JSON and schema (422).
 */
import type { AnyRouter } from "@trpc/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { Problem, UnprocessableError } from "../../../platform/input/problem.ts";
import { refuseUnstorable } from "../../../platform/input/storable-text.ts";
import { validationErrors } from "../../../platform/input/validation-errors.ts";
import type { AuditedCaller } from "../../context/audited-change.ts";
import { type Context, idSource } from "../../context/context.ts";
import { assertScope } from "../../context/scopes.ts";
import { isKnown } from "../../masks/etag.ts";
import { asErrorText, describeFailure, JSON_TYPE } from "../bodies/answer.ts";
import { type IncomingBody, readJsonBody } from "../bodies/body.ts";
import { fingerprintOf } from "../idempotency/fingerprint.ts";
import { idempotently, REPLAYED } from "../idempotency/idempotency.ts";
import { callerOf, changesOf, isAudited } from "./audited.ts";
import {
  type Answer,
  contextOf,
  factsOf,
  type HttpDependencies,
  idempotencyKeyOf,
  sendAnswer,
  sendFailure,
} from "./call.ts";
import { clientAddress } from "./client-address.ts";
import { JSON_LIMIT } from "./operation.ts";
import { type ParameterSource, parameterReader } from "./parameters.ts";
import { procedureCall } from "./procedure-call.ts";
import { rawCall } from "./raw-route.ts";
import type { Route } from "./routes.ts";
import { UnsentAnswers } from "./unsent-answers.ts";

/** What was gathered of a request, kept for the values that a 422 echoes. */
interface Gathered {
  input: unknown;
}

export function mountRoutes(
  app: FastifyInstance,
  router: AnyRouter,
  routes: readonly Route[],
  dependencies: HttpDependencies,
): void {
  const unsent = new UnsentAnswers(dependencies.unsentLimits);
  for (const route of routes) {
    const invoke = invoker(router, route);
    app.route({
      method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
      url: route.template.pattern,
      handler: (request, reply) => serve(request, reply, route, invoke, dependencies, unsent),
    });
  }
}

type Invoke = (
  context: Context,
  parameters: Record<string, unknown>,
  body: IncomingBody,
  gathered: Gathered,
) => Promise<Answer>;

async function serve(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  invoke: Invoke,
  dependencies: HttpDependencies,
  unsent: UnsentAnswers,
): Promise<FastifyReply> {
  const gathered: Gathered = { input: undefined };
  const onBroken = (error: Error): void => {
    const { unexpected } = describeFailure(error, {}, dependencies.translateError);
    if (unexpected !== undefined) {
      dependencies.onUnexpected(unexpected, { id: request.id, operation: route.id });
    }
  };
  let by: AuditedCaller | null = null;
  let about: string | null = null;
  const audit = async (status: number, answered: Answer | null): Promise<void> => {
    if (dependencies.auditChange === undefined || !isAudited(route)) return;
    const answer = answered === null ? null : jsonOf(answered);
    const { id: requestId } = request;
    const address = clientAddress(request);
    const names = namesOf(route, request);
    const isReplay = answered?.headers?.[REPLAYED] === "true";
    const outcome = { names, about, status, answer, isReplay, requestId, address, by };
    const changes = changesOf(route, outcome);
    await Promise.all(changes.map(dependencies.auditChange));
  };
  try {
    const facts = factsOf(request, reply, dependencies);
    const authentication = await dependencies.authenticate(facts);
    if (authentication.principal !== null) by = callerOf(authentication.principal);
    const owner = authentication.principal?.organizationId ?? facts.ip;
    const hold = (bytes: number): void => unsent.hold(owner, bytes, reply.raw);
    const key = route.meta.creates === true ? idempotencyKeyOf(request) : null;
    let headers: Record<string, string> | null = null;
    const setHeader = (name: string, value: string): void => {
      headers ??= {};
      headers[name] = value;
    };
    const context = contextOf(
      dependencies.services,
      authentication,
      facts,
      setHeader,
      (caller) => (by = caller),
      (resourceId) => (about = resourceId),
    );
    const principal = route.scope === null ? null : assertScope(context, route.scope);
    const parameters = gather(route, request);
    for (const [part, sent] of Object.entries(parameters)) refuseUnstorable(sent, [part]);
    const incoming: IncomingBody = { headers: request.headers, stream: request.raw };
    if (key === null || principal === null) {
      const answer = await invoke(context, parameters, incoming, gathered);
      await audit(answer.status ?? 200, answer);
      if (isRevalidated(route, request, headers)) return sendKnown(reply, headers);
      return sendAnswer(reply, answer, headers, hold, onBroken);
    }
    const run = async (epoch: string, body: IncomingBody): Promise<Answer> => {
      const newId = idSource(principal.organizationId, route.id, epoch);
      const answer = await invoke({ ...context, newId }, parameters, body, gathered);
      return { ...answer, headers: { ...headers, ...answer.headers } };
    };
    const { method, url } = request;
    const fingerprint = fingerprintOf(principal, method, url, request.headers, request.raw);
    const answer = await idempotently(
      dependencies.idempotency,
      principal.organizationId,
      route.id,
      key,
      fingerprint,
      (epoch) => run(epoch, { headers: request.headers, stream: fingerprint.body }),
    );
    await audit(answer.status ?? 200, answer);
    return sendAnswer(reply, answer, null, hold, onBroken);
  } catch (thrown) {
    const error = hungUp(request)
      ? new Problem("bad-request", "The body ended too early.")
      : isOfLeaving(thrown, reply)
        ? new Problem("bad-request", "The caller went away before the answer.", { cause: thrown })
        : thrown;
    const scene = { input: gathered.input, schema: route.input, requestId: request.id };
    const failure = describeFailure(error, scene, dependencies.translateError);
    if (failure.unexpected !== undefined) {
      dependencies.onUnexpected(failure.unexpected, { id: request.id, operation: route.id });
    }
    await audit(failure.status, null);
    return sendFailure(reply, route.meta.failures === "error" ? asErrorText(failure) : failure);
  }
}

type Headers = Readonly<Record<string, string>> | null;

const isRevalidated = ({ meta }: Route, request: FastifyRequest, headers: Headers): boolean => {
  const tag = meta.revalidates === true ? headers?.["etag"] : undefined;
  return tag !== undefined && isKnown(request.headers["if-none-match"], tag);
};

const sendKnown = (reply: FastifyReply, headers: Headers): FastifyReply =>
  reply
    .code(304)
    .headers(headers ?? {})
    .send();

/** What is answered, where it is JSON: one that is replayed was written as text. */
function jsonOf(answer: Answer): unknown {
  if ("json" in answer) return answer.json;
  const isText = typeof answer.body === "string" && answer.contentType === JSON_TYPE;
  return isText ? JSON.parse(String(answer.body)) : null;
}

const readers = new WeakMap<Route, (request: FastifyRequest) => Record<string, unknown>>();

/** Whether the caller went away before the body had come; what failed then is not our doing. */
const hungUp = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/** Whether work ended because who asked for it has gone; nobody reads what is said of it. */
const isOfLeaving = (thrown: unknown, { raw }: FastifyReply): boolean =>
  thrown instanceof Error && thrown.name === "AbortError" && raw.destroyed;

/** The names of the path with their values, as they were sent. */
function namesOf({ template }: Route, { params }: FastifyRequest): Record<string, string> {
  const { "*": rest, ...named } = params as Record<string, string>;
  const last = template.trailing ? template.names.at(-1) : undefined;
  return last === undefined || rest === undefined ? named : { ...named, [last]: rest };
}

/** The parts `path`, `query` and `header` of the input, as far as the operation has them. */
function gather(route: Route, request: FastifyRequest): Record<string, unknown> {
  let read = readers.get(route);
  if (read === undefined) {
    const { path, query, header } = route.parts;
    const readPath = path instanceof z.ZodObject ? parameterReader(path) : null;
    const readQuery = query instanceof z.ZodObject ? parameterReader(query) : null;
    const readHeader = header instanceof z.ZodObject ? parameterReader(header, true) : null;
    read = (request) => {
      const { query: sent, headers } = request;
      const parts: Record<string, unknown> = {};
      if (readPath !== null) parts["path"] = readPath(namesOf(route, request));
      if (readQuery === null) refuseQuery(sent as ParameterSource);
      else parts["query"] = readQuery(sent as ParameterSource);
      if (readHeader !== null) parts["header"] = readHeader(headers as ParameterSource);
      return parts;
    };
    readers.set(route, read);
  }
  return read(request);
}

/** An operation without query parameters takes none, as a strict `query` part takes no other. */
function refuseQuery(sent: ParameterSource): void {
  const names = Object.keys(sent);
  if (names.length === 0) return;
  throw new UnprocessableError(
    names.map((name) => ({
      loc: ["query", name],
      msg: "Extra inputs are not permitted; this operation has no query parameters",
      type: "extra_forbidden",
    })),
  );
}

function invoker(router: AnyRouter, route: Route): Invoke {
  if (route.kind === "raw") {
    return async (context, parameters, body, gathered) => {
      gathered.input = parameters;
      const parsed = await route.input.safeParseAsync(parameters);
      if (!parsed.success) {
        throw new UnprocessableError(validationErrors(parsed.error, parameters, route.input));
      }
      return await route.raw.handle(rawCall(route.raw.operation, context, parsed.data, body));
    };
  }
  const { procedure, meta } = route;
  const call = procedureCall({ ...route, router, path: procedure });
  const takesBody = route.parts.body !== undefined;
  return async (context, parameters, body, gathered) => {
    if (takesBody) {
      const value = await readJsonBody(body, meta.bodyLimit ?? JSON_LIMIT, {
        exactIntegers: meta.exactIntegers,
        values: meta.bodyValues,
      });
      if (value !== undefined) parameters["body"] = value;
    }
    gathered.input = parameters;
    const json = await call(context, parameters);
    return { status: meta.successStatus ?? 200, json };
  };
}
