/** How a session of the console begins: by a link that is valid once, or by an API key. */

import type { Sql } from "../../platform/db/database.ts";
import { Problem, tooManyRequests } from "../../platform/input/problem.ts";
import type { Context } from "../context/context.ts";
import { hashApiKey } from "./api-key.ts";
import { attemptsOf } from "./attempt-limiter.ts";
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
  endSession,
  formerOwnerOfKey,
  LINK_MINUTES,
  ownerOfKey,
  type SessionOwner,
  type SessionRow,
  takeLink,
} from "./session-store.ts";

export interface SignedIn {
  readonly session: SessionRow;
  readonly csrfToken: string;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

const LINK_FAILURE = `This link was used before, or is older than ${LINK_MINUTES} minutes. In the folder of the service, npx -y pnpm@12 start link prints another. An API key signs in as well.`;
const KEY_FAILURE = "This API key is not valid: it was mistyped, was revoked, or has expired.";

type Scene = Pick<Context, "services" | "request" | "signsInAs">;

const namesOf = ({ organization_id, api_key_id }: SessionOwner) => ({
  organizationId: organization_id,
  keyId: api_key_id,
});

/** @throws Problem 401 where the link was used, or is too old */
export const signInByLink = (scene: Scene, token: string) =>
  signIn(scene, LINK_FAILURE, (sql) => takeLink(sql, hashSecret(token)));

/** @throws Problem 401 where the key may not be used */
export const signInByKey = (scene: Scene, key: string) =>
  signIn(scene, KEY_FAILURE, async (sql) => {
    const owner = await ownerOfKey(sql, hashApiKey(key));
    const known = owner ?? (await formerOwnerOfKey(sql, hashApiKey(key)));
    if (known !== null) scene.signsInAs(namesOf(known));
    return owner;
  });

async function signIn(
  { services, request, signsInAs }: Scene,
  failure: string,
  findOwner: (sql: Sql) => Promise<SessionOwner | null>,
): Promise<SignedIn> {
  // A page that signed people in to a session of its own choice would see what they then do.
  if (senderOf(request) === "other page") {
    throw new Problem("forbidden", "A page of another origin cannot sign anybody in.");
  }
  const { db } = services;
  const secret = newSecret();
  const session = await db.system(async (sql) => {
    const owner = await findOwner(sql);
    return owner === null ? null : await beginSession(sql, hashSecret(secret), owner);
  });
  if (session === null) {
    const wait = attemptsOf(services).fail(request.ip);
    throw wait > 0 ? tooManyRequests(wait) : new Problem("unauthenticated", failure);
  }
  signsInAs(namesOf(session));
  const { headers, baseUrl } = request;
  const previous = sessionSecretOf(headers.cookie, baseUrl);
  if (previous !== null) await endSession(db, hashSecret(previous));
  return {
    session,
    csrfToken: csrfTokenOf(secret),
    cookie: sessionCookie(secret, session.expires_at, baseUrl),
  };
}
