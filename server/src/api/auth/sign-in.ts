/** How a session of the console begins: by a link that is valid once, or by an API key. */

import type { Sql } from "../../platform/db/database.ts";
import { Problem, tooManyRequests } from "../../platform/input/problem.ts";
import type { Context } from "../context/context.ts";
import { hashApiKey } from "./api-key.ts";
import { attemptsOf } from "./attempt-limiter.ts";
import { LINK_MINUTES, takeLink } from "./link-store.ts";
import { senderOf } from "./request-origin.ts";
import {
  csrfTokenOf,
  hashSecret,
  newSecret,
  sessionCookie,
  sessionSecretOf,
} from "./session-cookie.ts";
import {
  beginSession,
  callerOfSession,
  endSession,
  formerOwnerOfKey,
  ownerOfKey,
  type PersonOwner,
  type SessionOwner,
  type SessionRow,
} from "./session-store.ts";

export interface SignedIn {
  readonly session: SessionRow;
  readonly csrfToken: string;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
  /** The view that was asked for where the sign-in began; null where that is not known here. */
  readonly returnTo: string | null;
}

const LINK_FAILURE = `This link was used before, or is older than ${LINK_MINUTES} minutes. In the folder of the service, npx -y pnpm@12 start link prints another. An API key signs in as well.`;
const KEY_FAILURE = "This API key is not valid: it was mistyped, was revoked, or has expired.";

type Scene = Pick<Context, "services" | "request" | "signsInAs">;

const namesOf = ({ organization_id, api_key_id }: SessionOwner) => ({
  organizationId: organization_id,
  kind: "api_key" as const,
  subject: api_key_id,
  keyId: api_key_id,
});

/** @throws Problem 401 where the link was used, or is too old */
export const signInByLink = (scene: Scene, token: string) =>
  signInHere(scene, LINK_FAILURE, (sql) => takeLink(sql, hashSecret(token)));

/** @throws Problem 401 where the key may not be used */
export const signInByKey = (scene: Scene, key: string) =>
  signInHere(scene, KEY_FAILURE, async (sql) => {
    const owner = await ownerOfKey(sql, hashApiKey(key));
    const known = owner ?? (await formerOwnerOfKey(sql, hashApiKey(key)));
    if (known !== null) scene.signsInAs(namesOf(known));
    return owner;
  });

async function signInHere(
  scene: Scene,
  failure: string,
  findOwner: (sql: Sql) => Promise<SessionOwner | null>,
): Promise<SignedIn> {
  refusePagesOfOthers(scene.request);
  return await withFailureCounted(scene, () => signIn(scene, failure, findOwner));
}

/** A page that signed people in to a session of its own choice would see what they then do. */
export function refusePagesOfOthers(request: Scene["request"]): void {
  if (senderOf(request) === "other page") {
    throw new Problem("forbidden", "A page of another origin cannot sign anybody in.");
  }
}

/** Has the network wait that fails too often: 401 then becomes 429. */
export async function withFailureCounted<Answer>(
  { services, request }: Pick<Scene, "services" | "request">,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "unauthenticated") throw error;
    const wait = attemptsOf(services).fail(request.ip);
    throw wait > 0 ? tooManyRequests(wait) : error;
  }
}

/**
 * Begins a session, and ends the one whose cookie was sent.
 *
 * @param failure what is said where there is no owner
 * @throws Problem 401 where there is no owner
 */
export async function signIn(
  { services, request, signsInAs }: Scene,
  failure: string,
  findOwner: (sql: Sql) => Promise<SessionOwner | PersonOwner | null>,
): Promise<SignedIn> {
  const { db } = services;
  const secret = newSecret();
  const session = await db.system(async (sql) => {
    const owner = await findOwner(sql);
    return owner === null ? null : await beginSession(sql, hashSecret(secret), owner);
  });
  if (session === null) throw new Problem("unauthenticated", failure);
  signsInAs({ organizationId: session.organization_id, ...callerOfSession(session) });
  const { headers, baseUrl } = request;
  const previous = sessionSecretOf(headers.cookie, baseUrl);
  if (previous !== null) await endSession(db, hashSecret(previous));
  return {
    session,
    csrfToken: csrfTokenOf(secret),
    cookie: sessionCookie(secret, session.expires_at, baseUrl),
    returnTo: null,
  };
}
