/**
 * Turns the cookie of the console into the principal whose session it is, or into the reason why there is
 * none. What changes something has to come from the console's own page, which says so twice: by the
 * origin that the browser names, and by the session's token in a header, which no other page can read.
 */
import { hash, timingSafeEqual } from "node:crypto";
import {
  notSignedIn,
  Problem,
  tooManyRequests,
  unauthenticated,
} from "../../platform/input/problem.ts";
import type { RequestFacts } from "../context/context.ts";
import type { Authentication } from "../http/routing/call.ts";
import type { Services } from "../services.ts";
import { attemptsOf } from "./attempt-limiter.ts";
import { senderOf } from "./request-origin.ts";
import { csrfTokenOf, hashSecret, sessionSecretOf } from "./session-cookie.ts";
import { callerOfSession, trustedIssuer, useSession } from "./session-store.ts";

const CSRF_HEADER = "x-csrf-token";
/** They change nothing (RFC 9110 §9.2.1). */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

const refused = (failure: Problem): Authentication => ({ principal: null, failure });

/** For a request without an `Authorization` header, which would win. */
export async function authenticateSession(
  services: Services,
  request: RequestFacts,
): Promise<Authentication> {
  const { headers, baseUrl } = request;
  const secret = sessionSecretOf(headers.cookie, baseUrl);
  // What another page embeds or asks for learns nothing of who is signed in; a link is followed.
  const isEmbedded = senderOf(request) === "other page" && headers["sec-fetch-mode"] !== "navigate";
  if (secret === null || (SAFE.has(request.method) && isEmbedded))
    return refused(unauthenticated());
  const hashed = hashSecret(secret);
  const row = await useSession(services.db, hashed, trustedIssuer(services.config));
  if (row === null) {
    const wait = attemptsOf(services).fail(request.ip);
    return refused(wait > 0 ? tooManyRequests(wait) : notSignedIn());
  }
  const csrfToken = csrfTokenOf(secret);
  const forgery = SAFE.has(request.method) ? null : forgeryIn(request, csrfToken);
  if (forgery !== null) return refused(new Problem("forbidden", forgery));
  const { organization_id, scopes, expires_at } = row;
  return {
    principal: {
      organizationId: organization_id,
      ...callerOfSession(row),
      scopes: new Set(scopes),
      session: { hash: hashed, csrfToken, expiresAt: expires_at },
    },
    failure: null,
  };
}

/** Why a request that changes something may not be the doing of whoever is signed in; else null. */
function forgeryIn(request: RequestFacts, csrfToken: string): string | null {
  if (senderOf(request) !== "own page") {
    return (
      "By a session, changes are asked for by pages of this origin alone. Where a proxy stands in " +
      "front of the service, DISTILLERY_PUBLIC_URL has to say what browsers see."
    );
  }
  const sent = request.headers[CSRF_HEADER];
  if (typeof sent === "string" && equals(sent, csrfToken)) return null;
  return `By a session, changes need the header ${CSRF_HEADER} with the csrf_token of GET /v1/session.`;
}

/** In a time that says nothing of what they are. */
const equals = (a: string, b: string): boolean =>
  timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
