/**
 * What ties a sign-in at the issuer to the browser in which it began. The browser keeps one secret for a few
 * minutes; the `state` that goes to the issuer and back is sealed for that secret, and `nonce` and
 * `code_verifier` follow from both. So nothing is stored, whichever process gets the answer opens it, and
 * several tabs of a browser sign in side by side.
 *
 * The cookie is SameSite=Strict: the issuer sends the browser to a page, which needs no cookie, and it is
 * that page, of this origin, which sends the answer on.
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Sealer, UnsealError } from "../../../platform/secrets/seal.ts";
import { attributes, cookieName, hashSecret, newSecret, secretIn } from "../session-cookie.ts";

const NAME = "distillery_sign_in";
/** From the click until the answer of the issuer is back. */
export const SIGN_IN_MINUTES = 10;

export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** The view that was asked for, a path of this origin. */
  readonly returnTo: string | null;
}

/** The browser's secret, where it has one; others that it was given by other tabs stay good. */
export const browserSecretOf = (cookies: string | undefined, baseUrl: string): string | null =>
  secretIn(cookies, cookieName(baseUrl, NAME));

export const newBrowserSecret = newSecret;

/** The value of `Set-Cookie`. */
export const browserCookie = (secret: string, baseUrl: string): string =>
  `${cookieName(baseUrl, NAME)}=${secret}; Max-Age=${SIGN_IN_MINUTES * 60}; ${attributes(baseUrl)}`;

const contentSchema = z.object({ until: z.number(), returnTo: z.string().nullable() });

/** @param secret of the browser */
export function begunSignIn(sealer: Sealer, secret: string, returnTo: string | null): BegunSignIn {
  const content: z.input<typeof contentSchema> = {
    until: Date.now() + SIGN_IN_MINUTES * 60_000,
    returnTo,
  };
  return signInOf(sealer.seal(JSON.stringify(content), ownerOf(secret)), secret, returnTo);
}

/** @returns null where it began in another browser, too long ago, or nowhere */
export function openedSignIn(sealer: Sealer, secret: string, state: string): BegunSignIn | null {
  try {
    const { until, returnTo } = contentSchema.parse(
      JSON.parse(sealer.open(state, ownerOf(secret))),
    );
    return until > Date.now() ? signInOf(state, secret, returnTo) : null;
  } catch (error) {
    if (error instanceof UnsealError) return null;
    throw error;
  }
}

const ownerOf = (secret: string): readonly string[] => [
  "console sign-in",
  hashSecret(secret).toString("base64url"),
];

/** A verifier of 43 characters, as RFC 7636 §4.1 wants it. */
function signInOf(state: string, secret: string, returnTo: string | null): BegunSignIn {
  const derived = (purpose: string): string =>
    createHmac("sha256", secret).update(`${purpose}\n${state}`).digest("base64url");
  return { state, nonce: derived("nonce"), codeVerifier: derived("code_verifier"), returnTo };
}
