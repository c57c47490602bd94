/** Signing in by the OpenID Connect issuer: the way there, and what its answer begins. */

import { Problem, unprocessable } from "../../platform/input/problem.ts";
import type { Context } from "../context/context.ts";
import { ensureOrganization, findOrganization } from "./key-store.ts";
import {
  begunSignIn,
  browserCookie,
  browserSecretOf,
  newBrowserSecret,
  openedSignIn,
  SIGN_IN_MINUTES,
} from "./openid/browser-binding.ts";
import {
  NOT_OURS,
  notConfigured,
  USED_BEFORE,
  withoutOrganization,
  withoutScopes,
} from "./openid/faults.ts";
import { issuerOf } from "./openid/issuer.ts";
import type { IssuerClient } from "./openid/issuer-client.ts";
import { hashSecret } from "./session-cookie.ts";
import { takeState } from "./session-store.ts";
import { refusePagesOfOthers, type SignedIn, signIn, withFailureCounted } from "./sign-in.ts";

type Scene = Pick<Context, "services" | "request" | "signsInAs">;

/** Behind the console's address: to this the issuer sends browsers back, and it is registered there. */
const RETURN_PATH = "/sign-in/return";

interface WayToIssuer {
  /** For the browser to go to. */
  readonly url: string;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

/**
 * @param returnTo the view that was asked for
 * @throws Problem 404 where people do not sign in so, 502 or 503 where the issuer does not answer
 */
export async function wayToIssuer(scene: Scene, returnTo: string | null): Promise<WayToIssuer> {
  const { services, request } = scene;
  refusePagesOfOthers(request);
  const client = clientOf(scene);
  const { headers, baseUrl } = request;
  const secret = browserSecretOf(headers.cookie, baseUrl) ?? newBrowserSecret();
  const begun = begunSignIn(services.sealer, secret, returnTo);
  const url = await client.authorizationUrl(begun, baseUrl + RETURN_PATH);
  return { url, cookie: browserCookie(secret, baseUrl) };
}

/**
 * @param query with which the issuer sent the browser back, as it stands in the address
 * @throws Problem 401 where nobody signed in, 403 where the person may do nothing here, 502 or 503
 *   where the issuer failed
 */
export async function signInByIssuer(scene: Scene, query: string): Promise<SignedIn> {
  const { services, request, signsInAs } = scene;
  refusePagesOfOthers(request);
  const client = clientOf(scene);
  const answer = new URLSearchParams(query);
  const { headers, baseUrl } = request;
  const secret = browserSecretOf(headers.cookie, baseUrl);
  const states = answer.getAll("state");
  const [state] = states;
  if (state === undefined || states.length > 1) {
    throw unprocessable(["body", "authorization_response"], "has to hold one state");
  }
  const begun = secret === null ? null : openedSignIn(services.sealer, secret, state);
  return await withFailureCounted(scene, async () => {
    if (begun === null) throw new Problem("unauthenticated", NOT_OURS);
    const { subject, organization, scopes } = await client.identityOf(
      answer,
      begun,
      baseUrl + RETURN_PATH,
    );
    if (organization === null) throw withoutOrganization(client);
    if (scopes.size === 0) {
      // No organization is made for who may do nothing in it; one that there is hears of it.
      const known = await services.db.system((sql) => findOrganization(sql, organization));
      if (known !== null) signsInAs({ organizationId: known, kind: "oidc", subject, keyId: null });
      throw withoutScopes(client);
    }
    const organizationId = await services.db.system((sql) => ensureOrganization(sql, organization));
    signsInAs({ organizationId, kind: "oidc", subject, keyId: null });
    const signedIn = await signIn(scene, USED_BEFORE, async (sql) =>
      (await takeState(sql, hashSecret(state), SIGN_IN_MINUTES))
        ? {
            organization_id: organizationId,
            issuer: client.issuer,
            client_id: client.id,
            subject,
            scopes: [...scopes],
          }
        : null,
    );
    return { ...signedIn, returnTo: begun.returnTo };
  });
}

/**
 * Where a person who signed out here may sign out of the issuer as well.
 *
 * @returns null where the issuer does not say, or cannot be asked: who signs out is not kept for that
 */
export async function signOutOfIssuer({
  services,
  request,
}: Pick<Scene, "services" | "request">): Promise<string | null> {
  try {
    const client = issuerOf(services)?.client ?? null;
    return client === null ? null : await client.signOutUrl(`${request.baseUrl}/sign-in`);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function clientOf({ services }: Pick<Scene, "services">): IssuerClient {
  const client = issuerOf(services)?.client ?? null;
  if (client === null) throw notConfigured();
  return client;
}
