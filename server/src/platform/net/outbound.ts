/**
 * The way out: every connection that the service makes because somebody told it an address (a
 * connector's endpoint, a teacher's URL) goes through this.
 */

import type { Socket } from "node:net";
import type { AddressClass } from "./address.ts";

/** Why an address is refused. */
export type OutboundRefusal =
  | "malformed"
  | "scheme"
  /** User and password in a URL. */
  | "credentials"
  | Exclude<AddressClass, "public">;

/** The address may not be reached from here, and why; written for the person who gave it. */
export class OutboundRefusedError extends Error {
  override readonly name = "OutboundRefusedError";
  readonly code: OutboundRefusal;

  constructor(code: OutboundRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

export type OutboundFailure =
  /** No such name, nobody listens, or the connection or its encryption failed. */
  | "unreachable"
  | "timeout"
  /** The answer's body is larger than was asked for. */
  | "too-large";

/** The address may be reached, but that failed. The message names host and port; the cause is for the log. */
export class OutboundFailedError extends Error {
  override readonly name = "OutboundFailedError";
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.failure = failure;
  }
}

export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Until the answer's headers are there, milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** From the answer's headers to its body's end, however slowly it drips, milliseconds; default 300,000. */
  readonly bodyTimeoutMs?: number;
  /**
   * Followed at most this often, each target checked again; default 0. The redirect after the last
   * one that may be followed is the answer.
   */
  readonly redirects?: number;
  /** Largest body that is read, bytes; default 64 MiB. Reading past it fails. */
  readonly maxBytes?: number;
}

export interface Outbound {
  /**
   * The body fails while it is read with `OutboundFailedError`, as this does. When the signal is
   * aborted both fail with its reason.
   *
   * @throws OutboundRefusedError before anything is sent
   * @throws OutboundFailedError
   */
  fetch(url: string | URL, request?: OutboundRequest): Promise<Response>;

  /**
   * A TCP connection to an address that was checked.
   *
   * @param host name or address, an IPv6 address with or without brackets
   * @throws OutboundRefusedError
   * @throws OutboundFailedError
   */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
}

/** The guard's own error among the causes, or an `unreachable` with the message. */
export function failureOf(
  error: unknown,
  message: string,
): OutboundRefusedError | OutboundFailedError {
  return guardsError(error) ?? new OutboundFailedError("unreachable", message, { cause: error });
}

/** The guard's own error, where it is the error or among its causes. */
export function guardsError(error: unknown): OutboundRefusedError | OutboundFailedError | null {
  let one = error;
  for (let depth = 0; one instanceof Error && depth < 8; depth++) {
    if (one instanceof OutboundRefusedError || one instanceof OutboundFailedError) return one;
    one = one.cause;
  }
  return null;
}
