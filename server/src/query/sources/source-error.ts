/** How reading somebody else's system fails. `Source` errors are for the caller to read. */

import { OutboundFailedError, OutboundRefusedError } from "../../platform/net/outbound.ts";

/** What a source's failure is, for the one place that maps failures to answers. */
export type SourceFailure =
  /** The system does not answer, or says that it cannot now. */
  | "unreachable"
  /** No answer within its time. */
  | "timeout"
  /** It refuses the credentials, or they allow too little. */
  | "refused"
  /** It has no such bucket, catalog, schema or table. */
  | "not-found"
  /** Its address may not be reached from here. */
  | "forbidden-address"
  /** It answered with what its protocol does not allow, or failed in itself. */
  | "broken";

/** One sentence without credentials; the cause is for the log. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failure: SourceFailure;

  constructor(failure: SourceFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.failure = failure;
  }
}

/** The object was replaced or removed since it was listed. */
export class SourceChangedError extends Error {
  override readonly name = "SourceChangedError";
}

/** A URL that is malformed, or not within what the connector may reach. */
export class SourceUrlError extends Error {
  override readonly name = "SourceUrlError";
}

/** A timeout in words where the signal is of a clock; else the reason that the caller gave. */
export function abortFailure(signal: AbortSignal, place: string): unknown {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === "TimeoutError"
    ? new SourceError("timeout", `${place} did not answer in time.`, { cause: reason })
    : reason;
}

/** Null where the error is not of the way out. */
export function outboundFault(error: unknown): SourceError | null {
  if (error instanceof OutboundRefusedError) {
    return new SourceError("forbidden-address", error.message, { cause: error });
  }
  if (error instanceof OutboundFailedError) {
    const failure = error.failure === "too-large" ? "broken" : error.failure;
    return new SourceError(failure, error.message, { cause: error });
  }
  return null;
}
