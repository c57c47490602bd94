/** What went wrong in a sign-in at the issuer, in words for the person who wanted in. */

import { Problem } from "../../../platform/input/problem.ts";
import { guardsError } from "../../../platform/net/outbound.ts";

export const NOT_OURS =
  "This sign-in began in another browser, or more than 10 minutes ago. Sign in again.";
export const USED_BEFORE = "This sign-in was completed before. Sign in again.";

const RETRY = { "retry-after": "5" };

/** Codes of RFC 6749 and OpenID Connect Core: nothing else of what a URL says is repeated. */
const CODE = /^[a-z_]{1,40}$/;

/** Faults of the answer's token, of which the library says which member it was. */
const OF_TOKENS = new Set([
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
]);

/** The messages of the error and its causes, which have no token and no secret in them. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one instanceof Error && messages.length < 8; one = one.cause) {
    const code = "error" in one && typeof one.error === "string" ? ` (${one.error})` : "";
    messages.push(one.message + code);
  }
  return messages.join(": ");
}

/** @param host of the issuer */
export async function asSignInProblem(error: unknown, host: string): Promise<unknown> {
  if (error instanceof Problem) {
    if (error.kind !== "unauthenticated") return error;
    return notForUs(host, error);
  }
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await import(
    "openid-client"
  );
  if (error instanceof AuthorizationResponseError) {
    const code = CODE.test(error.error) ? error.error : "unknown";
    const detail =
      code === "access_denied"
        ? `${host} did not let you in: the sign-in was cancelled there, or is not allowed to you.`
        : `${host} did not sign you in (${code}). Sign in again; if that does not help, ask whoever runs the service.`;
    return new Problem("unauthenticated", detail, { cause: error });
  }
  if (error instanceof ResponseBodyError) {
    if (error.error === "invalid_grant") {
      const detail = `${host} takes this sign-in no more: it was completed before, or too long ago. Sign in again.`;
      return new Problem("unauthenticated", detail, { cause: error });
    }
    const code = CODE.test(error.error) ? error.error : "unknown";
    const detail = `${host} refuses this service (${code}): whoever runs it should compare OIDC_CLIENT_ID and OIDC_CLIENT_SECRET with what is registered there.`;
    return new Problem("bad-gateway", detail, { cause: error });
  }
  if (guardsError(error) !== null || isPassing(error)) {
    const detail = `${host} cannot be reached to sign you in. Try again in a moment, or use an API key.`;
    return new Problem("unavailable", detail, { headers: RETRY, cause: error });
  }
  if (error instanceof ClientError) {
    if (error.code !== undefined && OF_TOKENS.has(error.code)) return notForUs(host, error);
    const detail = `${host} did not answer as an OpenID Connect issuer does. Try again; if that does not help, ask whoever runs the service.`;
    return new Problem("bad-gateway", detail, { cause: error });
  }
  return error;
}

/** Where the issuer did not answer in time, or says itself that it cannot now. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.cause instanceof Response) return error.cause.status >= 500;
  return "code" in error && error.code === "OAUTH_TIMEOUT";
}

const notForUs = (host: string, cause: unknown): Problem =>
  new Problem(
    "unauthenticated",
    `What ${host} answered is not a valid token for this sign-in. Sign in again; if that does not help, ask whoever runs the service.`,
    { cause },
  );

interface AskedIssuer {
  readonly host: string;
  readonly organizationClaim: string;
}

export const withoutOrganization = ({ host, organizationClaim }: AskedIssuer): Problem =>
  new Problem(
    "forbidden",
    `${host} signed you in, but its token names no organization (claim ${organizationClaim}). Whoever manages accounts there can add it.`,
  );

export const withoutScopes = ({ host }: AskedIssuer): Problem =>
  new Problem(
    "forbidden",
    `${host} signed you in, but grants you nothing of this service: its token has none of the service's scopes. Whoever manages accounts there can add them.`,
  );

export const notConfigured = (): Problem =>
  new Problem("not-found", "Nobody signs in here by OpenID Connect: OIDC_CLIENT_ID is not set.");
