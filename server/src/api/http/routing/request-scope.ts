/**
 * What runs for a request, however late and through whatever emitter or timer, is known as that
 * request's: an error that nothing there has caught fails the request, and not the service for all.
 *
 * The scope follows promises, timers and callbacks by itself (`AsyncLocalStorage`). Events of the
 * request's own streams come in the connection's name, so they are carried into the scope by hand.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { describeFailure } from "../bodies/answer.ts";
import { type HttpDependencies, sendFailure } from "./call.ts";

interface Scope {
  readonly fail: (error: unknown) => void;
}

const scopes = new AsyncLocalStorage<Scope>();

/** To be called before any other hook is added. */
export function scopeRequests(
  app: FastifyInstance,
  onUnexpected: HttpDependencies["onUnexpected"],
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const scope: Scope = {
      fail(error) {
        const operation = `${request.method} ${request.routeOptions.url ?? "unmatched"}`;
        onUnexpected(error, { id: request.id, operation });
        failRequest(request, reply, error);
      },
    };
    carryEvents(request.raw, scope);
    carryEvents(reply.raw, scope);
    scopes.run(scope, done);
  });
}

/**
 * For the process's handlers of uncaught errors: fails the request whose error it is.
 *
 * @returns false where it is no request's; then nothing is known of the process's state
 */
export function failScopedRequest(error: unknown): boolean {
  const scope = scopes.getStore();
  if (scope === undefined) return false;
  scope.fail(error);
  return true;
}

function carryEvents(emitter: EventEmitter, scope: Scope): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (...event) => scopes.run(scope, () => emit(...event));
}

/** What was thrown in the middle of reading leaves the connection of no use. */
function failRequest(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  reply.header("connection", "close");
  sendFailure(reply, describeFailure(error, { requestId: request.id }));
}
