import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestHttp } from "../../../testing/http-service.ts";
import { trustIn } from "./client-address.ts";
import { publicProcedure, router } from "./trpc.ts";

const where = publicProcedure
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/where",
      summary: "Where",
      tags: ["Where"],
      protect: false,
    },
  })
  .output(z.object({ ip: z.string(), baseUrl: z.string() }))
  .query(({ ctx }) => ({ ip: ctx.request.ip, baseUrl: ctx.request.baseUrl }));

const apps: Record<string, FastifyInstance> = {};

beforeAll(async () => {
  const trustedProxies = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"];
  for (const [name, options] of Object.entries({
    direct: {},
    proxied: { trustedProxies },
    public: { trustedProxies, publicUrl: "https://ml.example.com/distillery" },
  })) {
    apps[name] = (await createTestHttp(router({ where }), [], options)).app;
  }
});
afterAll(() => Promise.all(Object.values(apps).map((app) => app.close())));

async function ask(app: string, remoteAddress: string, headers: Record<string, string> = {}) {
  const answer = await apps[app]!.inject({ url: "/v1/where", remoteAddress, headers });
  return answer.json<{ ip: string; baseUrl: string }>();
}

describe("the client's address", () => {
  it.each([
    ["direct", "10.1.1.1", "203.0.113.5", "10.1.1.1"],
    ["proxied", "198.51.100.1", "203.0.113.5", "198.51.100.1"],
    ["proxied", "10.1.1.1", "203.0.113.5", "203.0.113.5"],
    ["proxied", "10.1.1.1", "6.6.6.6, 203.0.113.5", "203.0.113.5"],
    ["proxied", "10.1.1.1", "6.6.6.6, 203.0.113.5, 192.0.2.1", "203.0.113.5"],
    ["proxied", "::ffff:10.1.1.1", "203.0.113.5", "203.0.113.5"],
    ["proxied", "2001:db8::7", "[2001:470::9]:4711", "2001:470::9"],
    ["proxied", "10.1.1.1", "203.0.113.5:4711", "203.0.113.5"],
    ["proxied", "10.1.1.1", "unknown", "10.1.1.1"],
    ["proxied", "10.1.1.1", "6.6.6.6, unknown, 10.2.2.2", "10.2.2.2"],
    ["proxied", "10.1.1.1", "10.9.9.9", "10.9.9.9"],
  ])("%s, from %s with X-Forwarded-For %s, is %s", async (app, remote, forwarded, expected) => {
    expect((await ask(app, remote, { "x-forwarded-for": forwarded })).ip).toBe(expected);
  });

  it("is never what a client wrote left of the address that the proxy saw", async () => {
    const text = fc.stringMatching(/^[\x21-\x2b\x2d-\x7e ]{0,40}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (forged) => {
        const forwarded = [...forged, "203.0.113.5"].join(", ");
        const { ip } = await ask("proxied", "10.1.1.1", { "x-forwarded-for": forwarded });
        expect(ip).toBe("203.0.113.5");
      }),
      { numRuns: 200 },
    );
  });

  it("trusts nobody where no proxy is named", () => {
    expect(trustIn([])).toBe(false);
  });
});

describe("links", () => {
  const forwarded = { "x-forwarded-host": "ml.example.com", "x-forwarded-proto": "https" };

  it("follow the request, and a proxy's word only where it is trusted", async () => {
    const host = { host: "here.example.com" };
    expect((await ask("direct", "10.1.1.1", { ...host, ...forwarded })).baseUrl).toBe(
      "http://here.example.com",
    );
    expect((await ask("proxied", "10.1.1.1", { ...host, ...forwarded })).baseUrl).toBe(
      "https://ml.example.com",
    );
    expect((await ask("proxied", "198.51.100.1", { ...host, ...forwarded })).baseUrl).toBe(
      "http://here.example.com",
    );
  });

  it("begin with the public URL where there is one, whatever Host was sent", async () => {
    const headers = { host: "evil.example.com", "x-forwarded-host": "evil.example.com" };
    const { baseUrl } = await ask("public", "10.1.1.1", headers);
    expect(baseUrl).toBe("https://ml.example.com/distillery");
    const document = (await apps["public"]!.inject({ url: "/openapi.json" })).json();
    expect(document.servers).toEqual([{ url: baseUrl }]);
  });
});
