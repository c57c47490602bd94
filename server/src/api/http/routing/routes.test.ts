import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type ProcedureMeta, parsePathTemplate } from "./operation.ts";
import { rawRoute } from "./raw-route.ts";
import { collectRoutes } from "./routes.ts";
import { authed, publicProcedure, router } from "./trpc.ts";

const meta = (over: Partial<ProcedureMeta>): { openapi: ProcedureMeta } => ({
  openapi: { method: "GET", path: "/v1/x", summary: "X", tags: ["T"], protect: false, ...over },
});
const withId = z.strictObject({ id: z.string() });

describe("path templates", () => {
  it("are read into a pattern, a document path and an expression", () => {
    const plain = parsePathTemplate("/v1/a.b/{id}/c");
    expect([plain.pattern, plain.document]).toEqual(["/v1/a.b/:id/c", "/v1/a.b/{id}/c"]);
    expect(plain.expression.test("/v1/a.b/x%2Fy/c")).toBe(true);
    expect(plain.expression.test("/v1/aXb/x/c")).toBe(false);
    expect(plain.expression.test("/v1/a.b/x/y/c")).toBe(false);
    const trailing = parsePathTemplate("/v1/{id}/{file+}");
    expect([trailing.pattern, trailing.document]).toEqual(["/v1/:id/*", "/v1/{id}/{file}"]);
    expect(trailing.expression.test("/v1/a/b/c")).toBe(true);
  });

  it.each(["/v1/{a+}/b", "/v1/{a}{b}", "/v1/x{a}", "/v1/{a}/{a}", "/v1/{}", "/v1/{1a}"])(
    "%s is refused",
    (path) => {
      expect(() => parsePathTemplate(path)).toThrow(Error);
    },
  );
});

describe("the table", () => {
  const query = publicProcedure.output(z.string());
  it.each([
    ["a mutation under GET", { a: query.meta(meta({})).mutation(() => "") }, /must be a query/],
    [
      "a query under POST",
      { a: query.meta(meta({ method: "POST" })).query(() => "") },
      /must be a mutation/,
    ],
    ["no output", { a: publicProcedure.meta(meta({})).query(() => "") }, /output/],
    [
      "an input that is no object",
      {
        a: query
          .meta(meta({}))
          .input(z.string())
          .query(() => ""),
      },
      /z\.strictObject/,
    ],
    [
      "a public operation that is said to be protected",
      { a: query.meta(meta({ protect: true })).query(() => "") },
      /protect/,
    ],
    [
      "a protected operation that is said to be public",
      {
        a: authed("any")
          .output(z.string())
          .meta(meta({}))
          .query(() => ""),
      },
      /protect/,
    ],
    [
      "a path name that is no member",
      { a: query.meta(meta({ path: "/v1/{id}" })).query(() => "") },
      /a \(GET \/v1\/\{id\}\): the path names id, which the input does not have/,
    ],
    [
      "two operations in one place",
      {
        a: query
          .meta(meta({ path: "/v1/{id}" }))
          .input(withId)
          .query(() => ""),
        b: query
          .meta(meta({ path: "/v1/{name}" }))
          .input(z.strictObject({ name: z.string() }))
          .query(() => ""),
      },
      /b and a both serve GET/,
    ],
  ])("refuses %s", (_name, record, message) => {
    expect(() => collectRoutes(router(record), [])).toThrow(message);
  });

  it.each([
    ["a flat input", "/v1/x", { id: z.string() }, /part id/],
    ["a part that is no object", "/v1/x", { query: z.string() }, /must be a z\.object/],
    [
      "a query that takes anything",
      "/v1/x",
      { query: z.object({ id: z.string() }) },
      /strictObject/,
    ],
    ["a body", "/v1/x", { body: z.string() }, /by media type/],
    ["a path member too many", "/v1/x", { path: z.object({ id: z.string() }) }, /names nothing/],
    ["a path member too few", "/v1/{id}", {}, /the path names id/],
    ["an upper-case header", "/v1/x", { header: z.object({ ETag: z.string() }) }, /lower case/],
  ] as const)("refuses %s of a raw route", (_name, path, input, message) => {
    const raw = rawRoute({
      operation: { method: "GET", path, summary: "X", tags: ["T"] },
      scope: null,
      input: z.object(input),
      responses: {},
      handler: async () => ({ json: {} }),
    });
    expect(() => collectRoutes(router({}), [raw])).toThrow(message);
  });

  it("leaves procedures without REST meta to /trpc", () => {
    const routes = collectRoutes(
      router({ only: query.query(() => ""), both: query.meta(meta({})).query(() => "") }),
      [],
    );
    expect(routes.map(({ id }) => id)).toEqual(["both"]);
  });
});
