/**
 * The SDK's way out: the guarded client, which bounds time and size and follows no redirect. Of the
 * SDK's headers only those go out that a chat needs, so that nothing that stands in the process's
 * environment (`OPENAI_CUSTOM_HEADERS`, organization, project) reaches the endpoint, nor what the
 * SDK tells of this machine.
 */

import type { Outbound } from "../../../../platform/net/outbound.ts";
import type { LlmLimits } from "../settings.ts";

const KEPT_HEADERS = new Set(["authorization", "content-type", "accept"]);

export function endpointFetch(
  outbound: Outbound,
  { answerMs, bodyMs, answerBytes }: LlmLimits,
  hasKey: boolean,
): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    const headers = [...new Headers(init?.headers)].filter(
      ([name]) => KEPT_HEADERS.has(name) && (hasKey || name !== "authorization"),
    );
    const { body, signal, method } = init ?? {};
    if (typeof body !== "string" && body !== undefined && body !== null) {
      throw new TypeError("a chat's body is text");
    }
    return outbound.fetch(url, {
      ...(method !== undefined && { method }),
      headers: Object.fromEntries(headers),
      ...(typeof body === "string" && { body }),
      ...(signal && { signal }),
      timeoutMs: answerMs,
      bodyTimeoutMs: bodyMs,
      maxBytes: answerBytes,
    });
  };
}
