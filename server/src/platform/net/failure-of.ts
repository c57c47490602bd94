/** What lies at the root of a failure of an HTTP client, in this room's words. */

import { OutboundFailedError, OutboundRefusedError } from "./outbound.ts";

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
