/** The service as one Fastify application over the opened services: authentication, resources, probes. */
import type { FastifyInstance } from "fastify";
import { attemptsOf } from "./api/auth/attempt-limiter.ts";
import { Authenticator } from "./api/auth/authenticator.ts";
import { bootstrap } from "./api/auth/bootstrap.ts";
import { issuerOf } from "./api/auth/openid/issuer.ts";
import { authenticateSession } from "./api/auth/session-authenticator.ts";
import { pruneSessions } from "./api/auth/session-store.ts";
import { GUIDE } from "./api/guide/guide.ts";
import { healthRoutes, platformChecks } from "./api/http/health.ts";
import { postgresIdempotency } from "./api/http/idempotency/postgres-idempotency.ts";
import { createHttp } from "./api/http/server.ts";
import type { Services } from "./api/services.ts";
import { errorCode, isForeignKeyViolation } from "./platform/db/sql.ts";
import { isDatabaseUnavailable } from "./platform/db/unavailable.ts";
import { isDiskFull } from "./platform/files/disk-full.ts";
import { asDataFault } from "./platform/input/data-fault.ts";
import { invalidToken, Problem, UnprocessableError } from "./platform/input/problem.ts";
import { HoldLostError } from "./platform/objects/holds.ts";
import {
  ObjectNotFoundError,
  ObjectStoreUnavailableError,
} from "./platform/objects/object-store.ts";
import { AuditLog } from "./resources/audit/audit-log.ts";
import { closeSources, resealCredentials } from "./resources/connectors/service.ts";
import { HttpRequests } from "./resources/monitoring/http-requests.ts";
import { isMetricsToken, metricsRoute } from "./resources/monitoring/metrics-route.ts";
import { ProcessState } from "./resources/monitoring/process-state.ts";
import { asQueryProblem } from "./resources/queries/faults.ts";
import { driftRecorder } from "./resources/serving/drift/recorder.ts";
import { predictionLog } from "./resources/serving/prediction-log/stored-log.ts";
import { Warming } from "./resources/serving/warming.ts";
import { appRouter, rawRoutes } from "./router.ts";

export interface App {
  /** Not listening yet. Closing it leaves the services open. */
  readonly app: FastifyInstance;
  /** The first API key, if this start made it: to be shown to the operator, once. */
  readonly createdKey: string | null;
  /** Whether the configured key was revoked, so that it opens nothing. */
  readonly configuredKeyRevoked: boolean;
}

/** Kept answers that have outlived their day, and sessions that have ended, are dropped this often. */
const PURGE_MS = 3_600_000;

export async function createApp(services: Services): Promise<App> {
  const { config, db, log } = services;
  const { createdKey, configuredKeyRevoked, organizationId } = await bootstrap(db, config.apiKey);
  if (configuredKeyRevoked) {
    log.warn("the key of DISTILLERY_API_KEY was revoked and opens nothing: choose another");
  }
  await resealCredentials(services, log);
  const issuer = issuerOf(services);
  const authenticator = new Authenticator({
    db,
    oidc: issuer?.verifier ?? null,
    attempts: attemptsOf(services),
    onChannelLost: (error) =>
      log.warn({ err: error }, "revocations are not received; reconnecting"),
  });
  await authenticator.listen();
  const warming = new Warming(services);
  const drift = driftRecorder(services);
  drift.start();
  const idempotency = postgresIdempotency(db, services.sealer);
  const purge = setInterval(() => {
    idempotency.purge().catch((error: unknown) => {
      log.warn({ err: error }, "old answers could not be dropped");
    });
    pruneSessions(db).catch((error: unknown) => {
      log.warn({ err: error }, "ended sessions could not be dropped");
    });
  }, PURGE_MS);
  purge.unref();
  const audit = new AuditLog(db, log, organizationId);
  const http = new HttpRequests();
  const processState = new ProcessState();
  const app = await createHttp({
    router: appRouter,
    guide: GUIDE,
    rawRoutes: [
      ...rawRoutes,
      metricsRoute({ http, process: processState }),
      ...healthRoutes(platformChecks(services), (check, error) => {
        // A probe asks before a start is done as well, and again each second: a line says enough.
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ check, reason }, "not ready");
      }),
    ],
    services,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    authenticate: (request) => {
      const { authorization, cookie } = request.headers;
      if (authorization === undefined && cookie !== undefined) {
        return authenticateSession(services, request);
      }
      // It is no key: nothing is looked up, and it is no failed attempt either.
      return isMetricsToken(config.metricsToken, authorization)
        ? { principal: null, failure: invalidToken() }
        : authenticator.authenticate(authorization, request.ip);
    },
    idempotency,
    auditChange: (change) => audit.record(change),
    translateError,
    onUnexpected: (error, { id, operation }) => {
      log.error({ err: error, request: id, operation }, "request failed");
    },
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { method, routeOptions } = request;
    const seconds = reply.elapsedTime / 1000;
    http.add({ method, route: routeOptions.url, status: reply.statusCode, seconds });
    done();
  });
  if (log.isLevelEnabled("debug")) {
    app.addHook("onResponse", (request, reply, done) => {
      const { id, method, url } = request;
      const path = url.split("?", 1)[0];
      const milliseconds = Math.round(reply.elapsedTime);
      log.debug({ request: id, method, path, status: reply.statusCode, milliseconds }, "request");
      done();
    });
  }
  app.addHook("onClose", async () => {
    clearInterval(purge);
    await audit.close();
    processState.close();
    await predictionLog(services).close();
    await warming.close();
    await drift.close();
    await authenticator.close();
    await issuer?.close();
    await closeSources(services);
  });
  return { app, createdKey, configuredKeyRevoked };
}

function storeProblem(error: ObjectStoreUnavailableError): Problem {
  switch (error.failure) {
    case "full":
      return new Problem(
        "insufficient-storage",
        "The object store is full; nothing was kept. Whoever runs the service has to make room there.",
        { cause: error },
      );
    case "refusing":
      return new Problem(
        "unavailable",
        "The object store refuses the service. Whoever runs it has to mend the service's credentials there, what they may do, or the bucket; its log says what was refused.",
        { cause: error },
      );
    case "away":
      return new Problem("unavailable", "The object store does not answer; try again.", {
        headers: { "retry-after": "1" },
        cause: error,
      });
  }
}

const UNSTORABLE = new Set([
  "22021", // character_not_in_repertoire
  "22P05", // untranslatable_character
]);

/** Faults of data, queries, the database and the object store in the caller's terms. */
function translateError(error: unknown): Problem | UnprocessableError | null {
  const translated = asDataFault(error, ["body"]);
  if (translated instanceof UnprocessableError) return translated;
  const problem = asQueryProblem(error);
  if (problem !== null) return problem;
  if (error instanceof ObjectStoreUnavailableError) return storeProblem(error);
  if (error instanceof ObjectNotFoundError) {
    // Rows go before their objects. Where it is there yet, the log has what the store has lost.
    return new Problem(
      "unavailable",
      "What this reads was deleted meanwhile, or lost; ask again.",
      {
        headers: { "retry-after": "1" },
        cause: error,
      },
    );
  }
  // What was refused at the edge cannot come here; a text that was computed can.
  if (UNSTORABLE.has(errorCode(error) ?? "")) {
    return new Problem("bad-request", "A text of this request cannot be stored: it contains NUL.");
  }
  // Between the look at what a request refers to and its statement.
  if (isForeignKeyViolation(error)) {
    return new Problem("not-found", "What this refers to was deleted meanwhile.");
  }
  if (error instanceof HoldLostError) {
    return new Problem("unavailable", "The service was unresponsive for too long; try again.", {
      headers: { "retry-after": "1" },
      cause: error,
    });
  }
  // A database whose disk is full refuses sessions, too.
  if (isDatabaseUnavailable(error) && !isDiskFull(error)) {
    return new Problem("unavailable", "The database does not answer; try again.", {
      headers: { "retry-after": "1" },
      cause: error,
    });
  }
  return null;
}
