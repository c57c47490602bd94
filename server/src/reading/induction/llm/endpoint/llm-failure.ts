/**
 * Why a language model could not be used, in words that may be shown to anybody: nothing of what the
 * endpoint wrote, of its address or of the key is in them.
 */

import { APIConnectionTimeoutError, APIError } from "openai";
import {
  guardsError,
  type OutboundFailure,
  OutboundRefusedError,
} from "../../../../platform/net/outbound.ts";

export type LlmFailureReason =
  | "refused-address"
  | "unreachable"
  | "timeout"
  | "too-large"
  | "status"
  | "malformed"
  | "time-limit"
  | "nothing-usable";

export class LlmFailure extends Error {
  override readonly name = "LlmFailure";
  readonly reason: LlmFailureReason;

  /** @param message completes "The language model was not used: …" */
  constructor(reason: LlmFailureReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

const OF_OUTBOUND: Readonly<Record<OutboundFailure, string>> = {
  unreachable: "it cannot be reached",
  timeout: "it did not answer in time",
  "too-large": "its answer was larger than is read",
};

const OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, "it refused the key"],
  [403, "it refused the key"],
  [404, "it knows no such path or model"],
  [429, "it was asked more often than it allows"],
]);

/** The SDK's errors and the guard's, in this room's words; anything else as it is. */
export function asLlmFailure(error: unknown): unknown {
  if (error instanceof LlmFailure) return error;
  const guards = guardsError(error);
  if (guards instanceof OutboundRefusedError) {
    return new LlmFailure("refused-address", "its address may not be reached from here", {
      cause: guards,
    });
  }
  if (guards !== null) {
    return new LlmFailure(guards.failure, OF_OUTBOUND[guards.failure], { cause: guards });
  }
  if (error instanceof APIConnectionTimeoutError) {
    return new LlmFailure("timeout", OF_OUTBOUND.timeout);
  }
  // The SDK's own message repeats the endpoint's, so that it is no cause either.
  if (error instanceof APIError && typeof error.status === "number") {
    const said = OF_STATUS.get(error.status) ?? "it answered with an error";
    return new LlmFailure("status", `${said} (status ${error.status})`);
  }
  if (error instanceof APIError) return new LlmFailure("unreachable", OF_OUTBOUND.unreachable);
  if (error instanceof SyntaxError) {
    return new LlmFailure("malformed", "its answer was not JSON");
  }
  return error;
}
