import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { things } from "../../testing/http-operations.ts";
import { createTestHttp } from "../../testing/http-service.ts";

const APP = "https://app.example.com";
let closed: FastifyInstance;
let open: FastifyInstance;
let any: FastifyInstance;

beforeAll(async () => {
  [closed, open, any] = (await Promise.all(
    [[], [APP, "http://localhost:3000"], ["*"]].map(
      async (corsOrigins) => (await createTestHttp(things, [], { corsOrigins })).app,
    ),
  )) as [FastifyInstance, FastifyInstance, FastifyInstance];
});
afterAll(() => Promise.all([closed, open, any].map((app) => app.close())));

async function ask(app: FastifyInstance, options: InjectOptions) {
  const { statusCode, headers, body } = await app.inject(options);
  const sent = Object.entries(headers).filter(([name]) => name.startsWith("access-control-"));
  return { status: statusCode, headers, cors: Object.fromEntries(sent), body };
}

const preflight = (url: string, origin = APP, method = "PATCH"): InjectOptions => ({
  method: "OPTIONS",
  url,
  headers: {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type",
  },
});

const get = (origin: string, token = "all"): InjectOptions => ({
  method: "GET",
  url: "/v1/things/a",
  headers: { origin, authorization: `Bearer ${token}` },
});

describe("cross-origin requests", () => {
  it("are not answered for unless an origin is named", async () => {
    expect(await ask(closed, get(APP))).toMatchObject({ status: 200, cors: {} });
    expect(await ask(closed, preflight("/v1/things/a"))).toMatchObject({ status: 405, cors: {} });
  });

  it("are allowed to the origins that are named, and to no other", async () => {
    const allowed = await ask(open, get(APP));
    expect(allowed.status).toBe(200);
    expect(allowed.cors).toEqual({
      "access-control-allow-origin": APP,
      "access-control-expose-headers": expect.stringContaining("ETag"),
    });
    expect(allowed.headers.vary).toMatch(/origin/i);
    for (const origin of [
      "https://evil.example.com",
      "null",
      `${APP}.evil.com`,
      "https://APP.example.com",
    ]) {
      const refused = await ask(open, get(origin));
      expect(refused).toMatchObject({ status: 200, cors: {} });
      expect(refused.headers.vary).toMatch(/origin/i);
      expect((await ask(open, preflight("/v1/things/a", origin))).cors).toEqual({});
    }
  });

  it("are told of failures too, so that a page can read them", async () => {
    const failures = await Promise.all([
      ask(open, get(APP, "wrong")),
      ask(open, { ...get(APP), url: "/v1/nothing" }),
      ask(open, { ...get(APP), method: "DELETE" }),
    ]);
    expect(failures.map(({ status }) => status)).toEqual([401, 404, 405]);
    for (const { cors } of failures) expect(cors["access-control-allow-origin"]).toBe(APP);
  });

  it("ask before, without a token, what a path takes", async () => {
    const answer = await ask(open, preflight("/v1/things/a"));
    expect(answer).toMatchObject({ status: 204, body: "" });
    expect(answer.cors).toEqual({
      "access-control-allow-origin": APP,
      "access-control-allow-methods": expect.stringMatching(/^(?=.*GET)(?=.*PATCH)(?!.*OPTIONS)/),
      "access-control-allow-headers": "authorization,content-type",
      "access-control-expose-headers": expect.any(String),
      "access-control-max-age": "7200",
    });
    expect((await ask(open, preflight("/v1/nothing"))).status).toBe(404);
    const plain = await ask(open, {
      method: "OPTIONS",
      url: "/v1/things/a",
      headers: { origin: APP },
    });
    expect(plain).toMatchObject({ status: 405, cors: {} });
  });

  it("never lend a page what a browser keeps of its user", async () => {
    for (const app of [open, any]) {
      for (const request of [get(APP), preflight("/v1/things/a")]) {
        const { cors } = await ask(app, request);
        expect(cors["access-control-allow-origin"]).toBe(app === any ? "*" : APP);
        expect(cors).not.toHaveProperty("access-control-allow-credentials");
      }
    }
  });
});
