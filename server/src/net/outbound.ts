/**
 * The way out: every connection that the service makes because somebody told it an address (a
 * connector's endpoint, a teacher's URL) goes through this.
 */

import type { Socket } from "node:net";

/** The address may not be reached from here, and why; written for the person who gave it. */
export class OutboundRefusedError extends Error {
  override readonly name = "OutboundRefusedError";
}

export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Until the answer's headers are there, milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Followed at most this often, each target checked again; default 0. */
  readonly redirects?: number;
  /** Largest body that is read, bytes; default 64 MiB. Reading past it fails. */
  readonly maxBytes?: number;
}

export interface Outbound {
  /** @throws OutboundRefusedError before anything is sent */
  fetch(url: string | URL, request?: OutboundRequest): Promise<Response>;
  /** A TCP connection to an address that was checked. @throws OutboundRefusedError */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
}
