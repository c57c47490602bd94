/**
 * `Outbound` over undici, whose every connection is made by `guardedConnect`. Connections are kept
 * alive per origin; one that is used again leads to the address that was checked when it was made.
 */

import type { Socket } from "node:net";
import type { Agent, buildConnector, fetch as undiciFetch } from "undici";
import { boundedBody } from "./bounded-body.ts";
import { checkLiteral, normalizeHost, type Reach } from "./destination.ts";
import { guardedConnect } from "./guarded-connect.ts";
import { httpConnection } from "./http-connection.ts";
import {
  failureOf,
  type Outbound,
  OutboundFailedError,
  OutboundRefusedError,
  type OutboundRequest,
} from "./outbound.ts";

const TIMEOUT_MS = 30_000;
const BODY_TIMEOUT_MS = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What a redirect to another origin carries on: no `Authorization`, and no secret in a header of its own name. */
const OF_ANY_ORIGIN = new Set(["accept", "accept-language", "content-type", "user-agent"]);
const OF_A_BODY = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "content-language",
]);
/** Statuses whose answers have no body, so that `Response` takes none. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** One request of a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface Sender {
  readonly fetch: typeof undiciFetch;
  readonly agent: Agent;
}

export class GuardedOutbound implements Outbound {
  readonly #reach: Reach;
  /** Loaded by the first request: many services reach nobody. */
  #sender: Promise<Sender> | null = null;

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  async fetch(url: string | URL, request: OutboundRequest = {}): Promise<Response> {
    let hop: Hop = {
      url: parseDestination(url, this.#reach),
      method: (request.method ?? "GET").toUpperCase(),
      headers: request.headers ?? {},
      body: request.body,
    };
    const clock = new AbortController();
    const signal = AbortSignal.any([clock.signal, ...(request.signal ? [request.signal] : [])]);
    const timer = setTimeout(
      () =>
        clock.abort(
          new OutboundFailedError("timeout", `${originOf(hop.url)} did not answer in time.`),
        ),
      request.timeoutMs ?? TIMEOUT_MS,
    );
    try {
      for (let followed = 0; ; followed++) {
        const answer = await this.#send(hop, signal);
        const location = answer.headers.get("location");
        if (
          !REDIRECTS.has(answer.status) ||
          location === null ||
          followed >= (request.redirects ?? 0)
        ) {
          clearTimeout(timer);
          return bounded(answer, hop.url, request, clock, signal);
        }
        await answer.body?.cancel();
        hop = redirected(hop, answer.status, location, this.#reach);
      }
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  }

  connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    return guardedConnect(host, port, this.#reach, signal);
  }

  /** Ends all connections that `fetch` holds; requests under way fail. */
  async close(): Promise<void> {
    await (await this.#sender)?.agent.destroy();
  }

  async #load(): Promise<Sender> {
    const { Agent, fetch } = await import("undici");
    const agent = new Agent({
      connect: guardedConnector(this.#reach),
      // The request's own clocks bound both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return { fetch, agent };
  }

  async #send(hop: Hop, signal: AbortSignal) {
    this.#sender ??= this.#load();
    const { fetch, agent } = await this.#sender;
    try {
      return await fetch(hop.url, {
        method: hop.method,
        headers: hop.headers,
        ...(hop.body !== undefined && { body: hop.body }),
        redirect: "manual",
        dispatcher: agent,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw failureOf(error, `${originOf(hop.url)} cannot be reached.`);
    }
  }
}

/**
 * @throws OutboundRefusedError for what can be seen of the URL alone; names are checked once they
 *   are resolved
 */
function parseDestination(url: string | URL, reach: Reach): URL {
  const parsed = URL.parse(String(url));
  if (parsed === null) throw new OutboundRefusedError("malformed", "The address is not a URL.");
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") {
    throw new OutboundRefusedError("scheme", "The URL must begin with https:// or http://.");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new OutboundRefusedError("credentials", "The URL must not contain a user or a password.");
  }
  const host = normalizeHost(parsed.hostname);
  if (host === null) throw new OutboundRefusedError("malformed", "The URL must name a host.");
  checkLiteral(host, reach);
  return parsed;
}

function redirected(hop: Hop, status: number, location: string, reach: Reach): Hop {
  const target = URL.parse(location, hop.url);
  const url = parseDestination(target ?? location, reach);
  const elsewhere = url.origin !== hop.url.origin;
  const toGet = status === 303 ? hop.method !== "HEAD" : status <= 302 && hop.method === "POST";
  const kept = ([name]: [string, string]): boolean =>
    !(elsewhere && !OF_ANY_ORIGIN.has(name.toLowerCase())) &&
    !(toGet && OF_A_BODY.has(name.toLowerCase()));
  return {
    url,
    method: toGet ? "GET" : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(kept)),
    body: toGet ? undefined : hop.body,
  };
}

type UndiciResponse = Awaited<ReturnType<typeof undiciFetch>>;

function bounded(
  answer: UndiciResponse,
  url: URL,
  request: OutboundRequest,
  clock: AbortController,
  signal: AbortSignal,
): Response {
  const place = originOf(url);
  const body =
    answer.body === null || WITHOUT_BODY.has(answer.status)
      ? null
      : boundedBody(answer.body, {
          place,
          maxBytes: request.maxBytes ?? MAX_BYTES,
          timeoutMs: request.bodyTimeoutMs ?? BODY_TIMEOUT_MS,
          clock,
          signal,
          translate: (error) => failureOf(error, `The answer of ${place} was cut off.`),
        });
  return new Response(body, {
    status: answer.status,
    statusText: answer.statusText,
    headers: [...answer.headers],
  });
}

function guardedConnector(reach: Reach): buildConnector.connector {
  return (options, callback) => {
    const encrypted = options.protocol === "https:";
    const port = Number(options.port) || (encrypted ? 443 : 80);
    httpConnection((host, number, signal) => guardedConnect(host, number, reach, signal), {
      host: options.hostname,
      port,
      encrypted,
    }).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

const originOf = (url: URL): string => url.host;
