/**
 * The cookie of a session of the console: no script reads it, and requests that begin at other sites do
 * not carry it (RFC 6265bis). Cookies of one host go to all its ports, so its name has the port: servers
 * side by side do not sign each other's people out.
 */
import { createHmac, hash, randomBytes } from "node:crypto";

const NAME = "distillery_session";
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** What a browser keeps of a session, or a link has behind its `#`. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** What is stored and looked up. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** Follows from the session's secret, which it does not tell. */
export const csrfTokenOf = (secret: string): string =>
  createHmac("sha256", secret).update("distillery console csrf").digest("base64url");

/** @param baseUrl where the browser finds the service */
export function cookieName(baseUrl: string, of: string = NAME): string {
  const { protocol, port } = new URL(baseUrl);
  const name = port === "" ? of : `${of}_${port}`;
  return protocol === "https:" ? `__Host-${name}` : name;
}

/**
 * The session's secret in a request; null where there is none. Where there are several of the name, somebody
 * else has planted one, and none is taken.
 */
export function sessionSecretOf(cookies: string | undefined, baseUrl: string): string | null {
  return secretIn(cookies, cookieName(baseUrl));
}

/** @param name of the cookie */
export function secretIn(cookies: string | undefined, name: string): string | null {
  if (cookies === undefined) return null;
  const values = cookies.split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [secret] = values;
  return secret !== undefined && values.length === 1 && SECRET.test(secret) ? secret : null;
}

/** The value of `Set-Cookie`. */
export const sessionCookie = (secret: string, expiresAt: Date, baseUrl: string): string =>
  `${cookieName(baseUrl)}=${secret}; Expires=${expiresAt.toUTCString()}; ${attributes(baseUrl)}`;

export const endedCookie = (baseUrl: string): string =>
  `${cookieName(baseUrl)}=; Max-Age=0; ${attributes(baseUrl)}`;

/** Of every cookie that is set here. */
export const attributes = (baseUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Strict${baseUrl.startsWith("https:") ? "; Secure" : ""}`;
