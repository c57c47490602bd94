/**
 * Bodies that hardly come: each holds a connection and what waits for it, and a few thousand hold them all. A body must come
 * at a least rate, and may rest for less than a minute; the slowest of links is far above. What an honest caller was
 * cut off from goes on where it was if it is sent in parts (`/v1/uploads`).
 */

import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { hasBody } from "../bodies/body.ts";

export interface ArrivalLimits {
  /** In each such while that the service waits for more, … */
  readonly windowMs: number;
  /** … so many bytes come at least. */
  readonly windowBytes: number;
}

/** 240 bytes a second, as ASP.NET's Kestrel asks, over the minute that nginx waits for a body's next bytes. */
const LIMITS: ArrivalLimits = { windowMs: 60_000, windowBytes: 60 * 240 };
/** Looks at all bodies, in a window. */
const LOOKS = 6;

interface Awaited {
  readonly request: IncomingMessage;
  /** Looks in this window at which the service waited for more. */
  waited: number;
  /** Of its connection, when the window began. */
  bytes: number;
}

export function dropSlowSenders(
  app: FastifyInstance,
  { windowMs, windowBytes }: ArrivalLimits = LIMITS,
): void {
  const awaited = new Map<FastifyReply, Awaited>();
  app.addHook("onRequest", ({ raw: request, headers }, reply, done) => {
    if (hasBody(headers)) {
      awaited.set(reply, { request, waited: 0, bytes: request.socket.bytesRead });
    }
    done();
  });
  // One that was answered before its body has come is still awaited, to be dropped.
  app.addHook("onResponse", ({ raw }, reply, done) => {
    if (raw.complete) awaited.delete(reply);
    done();
  });
  const look = (): void => {
    for (const [reply, each] of awaited) {
      const { request } = each;
      const { socket } = request;
      if (request.complete || socket.destroyed) {
        awaited.delete(reply);
        continue;
      }
      // Whoever reads it is busy with what has come.
      if (!request.readableFlowing) continue;
      each.waited += 1;
      if (each.waited < LOOKS) continue;
      if (socket.bytesRead - each.bytes < windowBytes) end(app, reply, request);
      each.waited = 0;
      each.bytes = socket.bytesRead;
    }
  };
  const timer = setInterval(look, windowMs / LOOKS).unref();
  app.addHook("onClose", (_app, done) => {
    clearInterval(timer);
    done();
  });
}

/** As Node ends a request that is late as a whole: with 408, where there is no answer yet. */
function end(
  app: FastifyInstance,
  { raw: response }: FastifyReply,
  { socket }: IncomingMessage,
): void {
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  const late = Object.assign(new Error("the body hardly comes"), { code: SLOW_BODY });
  app.server.emit("clientError", late, socket);
  socket.destroySoon();
}

/** Of the error that is emitted for one. */
export const SLOW_BODY = "ERR_SLOW_BODY";
