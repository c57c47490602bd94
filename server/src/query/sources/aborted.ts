/** What a source's operation fails with once its signal was aborted. */

import { SourceError } from "./source-error.ts";

/** A timeout in words where the signal is of a clock; else the reason that the caller gave. */
export function abortFailure(signal: AbortSignal, place: string): unknown {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name === "TimeoutError"
    ? new SourceError("timeout", `${place} did not answer in time.`, { cause: reason })
    : reason;
}
