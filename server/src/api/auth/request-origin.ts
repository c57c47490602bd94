/**
 * Whose page sent a request, as the browser says it. Pages at another port of the same host are of the
 * same site, and their requests carry its cookies; so it is origins that are compared.
 */
import type { RequestFacts } from "../context/context.ts";

export type Sender =
  /** One that is served from here. */
  | "own page"
  | "other page"
  /** No browser, or one that says nothing; or the person itself, who typed the address. */
  | "unknown";

export function senderOf({ headers, hostUrl, baseUrl }: RequestFacts): Sender {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin")
    return site === "none" ? "unknown" : "other page";
  if (origin === undefined) return site === undefined ? "unknown" : "own page";
  return [hostUrl, baseUrl].some((url) => new URL(url).origin === origin)
    ? "own page"
    : "other page";
}
