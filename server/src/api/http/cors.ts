/**
 * Cross-origin requests (the Fetch standard's CORS protocol): pages of the origins that the operator
 * names may call the service from a browser; none may unless named.
 *
 * `Access-Control-Allow-Credentials` is never sent. A token travels in `Authorization`, which a page
 * adds by itself, so nothing that a browser keeps of its user, such as a session of the console, is ever
 * lent to a page of another origin.
 */
import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** A browser may keep the answer to a preflight this long. */
const PREFLIGHT_SECONDS = 7200;

/** What a page may read beside the headers that the standard lists as safe. */
const EXPOSED = [
  "Accept-Post",
  "Allow",
  "Content-Disposition",
  "ETag",
  "Retry-After",
  "WWW-Authenticate",
  "X-Prediction-Id",
  "X-Request-Id",
];

/**
 * @param origins such as `https://app.example.com`; `*` = any
 * @param methodsAt the methods that a path takes, none where there is nothing
 */
export async function mountCors(
  app: FastifyInstance,
  origins: readonly string[],
  methodsAt: (path: string) => readonly string[],
): Promise<void> {
  if (origins.length === 0) return;
  const any = origins.includes("*");
  const optionsFor = (request: FastifyRequest): FastifyCorsOptions => {
    const { origin } = request.headers;
    if (origin === undefined || !(any || origins.includes(origin))) return { origin: false };
    const shared = { origin: any ? "*" : origin, exposedHeaders: EXPOSED };
    if (request.method !== "OPTIONS") return shared;
    const methods = methodsAt(request.url.split("?", 1)[0]!);
    // OPTIONS that is no preflight is a method like any other, and one that no path takes.
    const asked = request.headers["access-control-request-method"] !== undefined;
    if (!asked || methods.length === 0) return { origin: false };
    return { ...shared, methods: [...methods], maxAge: PREFLIGHT_SECONDS };
  };
  await app.register(cors, {
    delegator: (request, done) => done(null, optionsFor(request)),
  });
}
