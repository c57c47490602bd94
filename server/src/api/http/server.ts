/**
 * The Fastify application: `/v1` by our adapter, `/trpc` by tRPC's, the document, the docs page
 * and the probes. Assembled here from what the floor above hands in; it opens no port itself.
 */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { AnyRouter } from "@trpc/server";
import Fastify, { type ConnectionError, type FastifyInstance } from "fastify";
import { Problem } from "../../platform/input/problem.ts";
import { describeFailure, PROBLEM_JSON } from "./bodies/answer.ts";
import { mountConsole } from "./console/mount.ts";
import { mountCors } from "./cors.ts";
import { mountDocs } from "./document/docs.ts";
import type { DocumentGuide } from "./document/document-guide.ts";
import { openApiDocument } from "./document/openapi.ts";
import { mountReference } from "./document/reference.ts";
import { mountRoutes } from "./routing/adapter.ts";
import { type HttpDependencies, sendFailure } from "./routing/call.ts";
import { trustIn } from "./routing/client-address.ts";
import type { HttpMethod, PathTemplate } from "./routing/operation.ts";
import type { RawRoute } from "./routing/raw-route.ts";
import { scopeRequests } from "./routing/request-scope.ts";
import { collectRoutes, type Route } from "./routing/routes.ts";
import { type ArrivalLimits, dropSlowSenders, SLOW_BODY } from "./routing/slow-senders.ts";
import { mountTrpc } from "./routing/trpc-mount.ts";
import { dropIdleReaders } from "./routing/unsent-answers.ts";

export interface HttpOptions extends HttpDependencies {
  readonly router: AnyRouter;
  readonly rawRoutes: readonly RawRoute[];
  /** What the document says beside its schemas. */
  readonly guide?: DocumentGuide;
  /** Addresses and networks of proxies whose `X-Forwarded-*` headers are believed; none unless told. */
  readonly trustedProxies?: readonly string[];
  /** Origins whose pages may call the service; none unless told. */
  readonly corsOrigins?: readonly string[];
  /** The package that makes the engine's reference; this repository's unless told. */
  readonly referenceFolder?: string;
  /** Of a connection that takes nothing of its answer, until it is ended; a minute unless told. */
  readonly idleReaderMs?: number;
  /** How fast a body must come; those of `dropSlowSenders` unless told. */
  readonly arrivalLimits?: ArrivalLimits;
  /** Where the console is built; this repository's unless told. */
  readonly consoleFolder?: string;
}

const CONSOLE_FOLDER = fileURLToPath(new URL("../../../console/dist", import.meta.url));
const REFERENCE_FOLDER = fileURLToPath(new URL("../../../../reference", import.meta.url));

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** Without a byte of an answer taken. */
const IDLE_READER_MS = 60_000;
/** An upload may take this long. */
const REQUEST_TIMEOUT_MS = 3_600_000;

export async function createHttp(options: HttpOptions): Promise<FastifyInstance> {
  const routes = collectRoutes(options.router, options.rawRoutes);
  const basePath = basePathOf(options.publicUrl);
  const app = Fastify({
    logger: false,
    // A proxy may leave the path of the public URL in front, or take it away.
    rewriteUrl: ({ url = "/" }) => withoutBase(url, basePath),
    trustProxy: trustIn(options.trustedProxies ?? []),
    // What hangs on a closing service (event streams, idle keep-alives) is cut.
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node would refuse the request without a word; the first hook says why.
    http: { requireHostHeader: false },
    exposeHeadRoutes: false,
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      // Whatever a request's head has room for: an operation says itself what its names may be.
      maxParamLength: maxHeaderSize,
    },
    genReqId: (request) => {
      const sent = request.headers["x-request-id"];
      return typeof sent === "string" && REQUEST_ID.test(sent) ? sent : randomUUID();
    },
    clientErrorHandler: answerUnparsed,
    frameworkErrors: (error, request, reply) => {
      const failure = describeFailure(error, { requestId: request.id });
      if (failure.unexpected !== undefined) {
        options.onUnexpected(failure.unexpected, { id: request.id, operation: request.method });
      }
      sendFailure(reply, failure);
    },
  });
  scopeRequests(app, options.onUnexpected);
  dropIdleReaders(app, options.idleReaderMs ?? IDLE_READER_MS);
  dropSlowSenders(app, options.arrivalLimits);
  // Bodies are read by the adapter, after authentication and under each operation's own limit.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (request.url.startsWith("/v1/") || request.url.startsWith("/trpc/")) {
      reply.header("cache-control", "no-store");
    }
    const fault = headFault(request.raw);
    if (fault === null) done();
    else {
      const headers = { connection: "close" };
      sendFailure(reply, describeFailure(new Problem("bad-request", fault, { headers })));
    }
  });
  await mountCors(app, options.corsOrigins ?? [], (path) => methodsAt(app, routes, path));
  app.addHook("onRequest", (request, reply, done) => {
    // Answered before Fastify looks at a body that nobody will read, as it does for QUERY.
    if (!request.is404) done();
    else if (webConsole.isVisit(request)) webConsole.sendVisit(request, reply).catch(done);
    else sendFailure(reply, describeFailure(unmatched(app, routes, request.url)));
  });
  app.setErrorHandler((error, request, reply) => {
    const failure = describeFailure(error, { requestId: request.id }, options.translateError);
    if (failure.unexpected !== undefined) {
      const operation = `${request.method} ${request.routeOptions.url ?? request.url}`;
      options.onUnexpected(failure.unexpected, { id: request.id, operation });
    }
    return sendFailure(reply, failure);
  });
  mountRoutes(app, options.router, routes, options);
  for (const { method, path } of misleadMethods(routes)) {
    app.route({
      method,
      url: path,
      // Before anything of the request is looked at, as for all methods that a path does not take.
      onRequest: (_request, _reply, done) => done(unmatched(app, routes, path)),
      handler: () => null,
    });
  }
  const webConsole = mountConsole(app, options.consoleFolder ?? CONSOLE_FOLDER, basePath);
  mountDocs(app, () => openApiDocument(routes, options), basePath);
  mountReference(app, {
    folder: options.referenceFolder ?? REFERENCE_FOLDER,
    onFailure: (error) => options.onUnexpected(error, { id: "", operation: "GET /docs/engine/" }),
  });
  await mountTrpc(app, { ...options, routes });
  app.setNotFoundHandler((request, reply) =>
    sendFailure(reply, describeFailure(unmatched(app, routes, request.url))),
  );
  return app;
}

/** That of the public URL, where browsers find the service: empty, or `/some/path`. */
const basePathOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");

function withoutBase(url: string, base: string): string {
  if (base === "" || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  if (rest.startsWith("/")) return rest;
  // `/some/pathway` is no part of `/some/path`.
  return rest === "" || rest.startsWith("?") ? `/${rest}` : url;
}

/** Of which Node takes the first of several, and whatever stands in front of the service may take the last. */
const SINGLE_HEADERS = new Set(["host", "authorization", "content-type"]);

/** What a head may not be (RFC 9112 §3.2, RFC 9110 §5.3); null = nothing. */
function headFault({ headers, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (headers.host === undefined && httpVersion === "1.1") {
    return "An HTTP/1.1 request must have a Host header.";
  }
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return `A request has one header ${rawHeaders[at]} at most.`;
    seen.add(name);
  }
  return null;
}

/** 405 with `Allow` where the path is one of ours under other methods, else 404. */
function unmatched(app: FastifyInstance, routes: readonly Route[], url: string): Problem {
  const methods = methodsAt(app, routes, url.split("?", 1)[0]!);
  if (methods.length === 0) return new Problem("not-found", "There is nothing at this path.");
  const allow = methods.join(", ");
  return new Problem("method-not-allowed", `This path takes ${allow}.`, { headers: { allow } });
}

const isFixed = (template: PathTemplate): boolean => template.names.length === 0;

/** Methods of a path without parameters that would be taken for an id by another route, as in `DELETE /v1/uploads/options`. */
function misleadMethods(
  routes: readonly Route[],
): { readonly method: HttpMethod; readonly path: string }[] {
  const fixed = Map.groupBy(
    routes.filter(({ template }) => isFixed(template)),
    ({ template }) => template.document,
  );
  return [...fixed].flatMap(([path, own]) => {
    const others = routes.filter(
      ({ template, method }) =>
        !isFixed(template) &&
        template.expression.test(path) &&
        own.every((route) => route.method !== method),
    );
    return [...new Set(others.map(({ method }) => method))].map((method) => ({ method, path }));
  });
}

/** The methods that a path takes, sorted; none where there is nothing. */
function methodsAt(app: FastifyInstance, routes: readonly Route[], path: string): string[] {
  if (path.startsWith("/trpc/")) return ["GET", "POST"];
  const own = routes.filter(({ template }) => isFixed(template) && template.document === path);
  const matching =
    own.length > 0 ? own : routes.filter(({ template }) => template.expression.test(path));
  const methods = new Set<string>(matching.map(({ method }) => method));
  if (app.hasRoute({ method: "GET", url: path })) methods.add("GET");
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

/**
 * What is no HTTP request that Node's parser takes is answered as every other failure is, and its
 * connection ends: nobody can tell where a next request would begin.
 */
function answerUnparsed(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const { status, body } = describeFailure(problemOf(error));
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${PHRASES[status] ?? "Error"}`,
      `content-type: ${PROBLEM_JSON}`,
      `content-length: ${Buffer.byteLength(text)}`,
      "connection: close",
      "",
      text,
    ].join("\r\n"),
  );
}

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function problemOf({ code }: ConnectionError): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem(
        "headers-too-large",
        `The request's head is larger than the limit of ${maxHeaderSize} bytes.`,
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request-timeout", "The request was not complete in time.");
    case SLOW_BODY:
      return new Problem(
        "request-timeout",
        "The request's body did not come: fewer than 240 bytes a second came for a minute. Send it again, a large file in parts (POST /v1/uploads).",
      );
    default:
      return new Problem(
        "bad-request",
        "The bytes that were sent are not a valid HTTP/1.1 request.",
      );
  }
}
