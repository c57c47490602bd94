import { expect, it } from "vitest";
import {
  cookieName,
  csrfTokenOf,
  endedCookie,
  newSecret,
  sessionCookie,
  sessionSecretOf,
} from "./session-cookie.ts";

const HTTPS = "https://models.example.com";

it("is bound to the host and to https where the service is reached by that", () => {
  const secret = newSecret();
  const cookie = sessionCookie(secret, new Date("2031-04-07T00:00:00Z"), HTTPS);
  expect(cookie).toBe(
    `__Host-distillery_session=${secret}; Expires=Mon, 07 Apr 2031 00:00:00 GMT; Path=/; HttpOnly; SameSite=Strict; Secure`,
  );
  expect(endedCookie(HTTPS)).toBe(
    "__Host-distillery_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure",
  );
  expect(sessionSecretOf(cookie, HTTPS)).toBe(secret);
  expect(sessionSecretOf(`distillery_session=${secret}`, HTTPS)).toBeNull();
});

it("has the port in its name, which cookies otherwise know nothing of", () => {
  expect([cookieName("http://127.0.0.1:8080"), cookieName("http://[::1]:8081")]).toEqual([
    "distillery_session_8080",
    "distillery_session_8081",
  ]);
});

it("is another secret each time, which the token for changes does not tell", () => {
  const [first, second] = [newSecret(), newSecret()];
  expect(first).not.toBe(second);
  expect(csrfTokenOf(first)).toBe(csrfTokenOf(first));
  expect(new Set([first, second, csrfTokenOf(first), csrfTokenOf(second)]).size).toBe(4);
});
