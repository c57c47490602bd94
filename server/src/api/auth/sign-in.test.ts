import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Problem } from "../../platform/input/problem.ts";
import type { RequestFacts } from "../context/context.ts";
import type { Services } from "../services.ts";
import { authenticateSession } from "./session-authenticator.ts";
import { signInByKey, signInByLink } from "./sign-in.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** With a database that knows nobody. */
const services = () =>
  ({
    config: {},
    db: { system: async () => null, systemQuery: async () => [] },
  }) as unknown as Services;

const requestFrom = (ip: string, headers: RequestFacts["headers"] = {}) => {
  const url = "http://localhost:8080";
  return { method: "GET", ip, headers, baseUrl: url, hostUrl: url } as RequestFacts;
};

const sceneOf = (known: Services, request: RequestFacts) => ({
  services: known,
  request,
  signsInAs: () => {},
});

const failureOf = (asked: Promise<unknown>): Promise<Problem> =>
  asked.then(
    () => Promise.reject(new Error("it was taken")),
    (failure: Problem) => failure,
  );

it("tells a network that tries many keys, links and cookies to wait, and no other one", async () => {
  const unknown = services();
  const cookie = `distillery_session_8080=${"A".repeat(43)}`;
  const statuses: number[] = [];
  for (let round = 0; round < 101; round++) {
    const request = requestFrom("192.0.2.7", { cookie });
    const byKey = await failureOf(signInByKey(sceneOf(unknown, request), "nobody's"));
    const byLink = await failureOf(signInByLink(sceneOf(unknown, request), "nobody's"));
    const { failure } = await authenticateSession(unknown, request);
    statuses.push(byKey.status, byLink.status, failure?.status ?? 200);
  }
  expect(new Set(statuses.slice(0, 300))).toEqual(new Set([401]));
  expect(statuses.slice(300)).toEqual([429, 429, 429]);
  const limited = await failureOf(
    signInByKey(sceneOf(unknown, requestFrom("192.0.2.7")), "nobody's"),
  );
  expect(limited.headers).toEqual({ "retry-after": "1" });
  const other = await failureOf(
    signInByKey(sceneOf(unknown, requestFrom("192.0.2.8")), "nobody's"),
  );
  expect(other.status).toBe(401);
});
