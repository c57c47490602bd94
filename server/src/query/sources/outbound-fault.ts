/** Failures of the way out as failures of a source. */

import { OutboundFailedError, OutboundRefusedError } from "../../platform/net/outbound.ts";
import { SourceError } from "./source-error.ts";

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
