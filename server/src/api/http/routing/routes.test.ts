import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type OperationMeta, parsePathTemplate } from "./operation.ts";
import { collectRoutes } from "./routes.ts";
import { publicProcedure, router } from "./trpc.ts";

const meta = (over: Partial<OperationMeta>): { openapi: OperationMeta } => ({
  openapi: { method: "GET", path: "/v1/x", summary: "X", tags: ["T"], ...over },
});
const withPath = z.object({ path: z.object({ id: z.string() }) });

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
      "a flat input",
      {
        a: query
          .meta(meta({}))
          .input(z.object({ id: z.string() }))
          .query(() => ""),
      },
      /part id/,
    ],
    [
      "an input that is no object",
      {
        a: query
          .meta(meta({}))
          .input(z.string())
          .query(() => ""),
      },
      /z\.object/,
    ],
    [
      "a query that takes anything",
      {
        a: query
          .meta(meta({}))
          .input(z.object({ query: z.object({ id: z.string() }) }))
          .query(() => ""),
      },
      /strictObject/,
    ],
    [
      "a body under GET",
      {
        a: query
          .meta(meta({}))
          .input(z.object({ body: z.string() }))
          .query(() => ""),
      },
      /no body/,
    ],
    [
      "a path member too many",
      {
        a: query
          .meta(meta({}))
          .input(withPath)
          .query(() => ""),
      },
      /the path names nothing, the input id/,
    ],
    [
      "a path member too few",
      { a: query.meta(meta({ path: "/v1/{id}" })).query(() => "") },
      /the path names id/,
    ],
    [
      "two operations in one place",
      {
        a: query
          .meta(meta({ path: "/v1/{id}" }))
          .input(withPath)
          .query(() => ""),
        b: query
          .meta(meta({ path: "/v1/{name}" }))
          .input(z.object({ path: z.object({ name: z.string() }) }))
          .query(() => ""),
      },
      /b and a both serve GET/,
    ],
    [
      "an upper-case header",
      {
        a: query
          .meta(meta({}))
          .input(z.object({ header: z.object({ ETag: z.string() }) }))
          .query(() => ""),
      },
      /lower case/,
    ],
  ])("refuses %s", (_name, record, message) => {
    expect(() => collectRoutes(router(record), [])).toThrow(message);
  });

  it("leaves procedures without REST meta to /trpc", () => {
    const routes = collectRoutes(
      router({ only: query.query(() => ""), both: query.meta(meta({})).query(() => "") }),
      [],
    );
    expect(routes.map(({ id }) => id)).toEqual(["both"]);
  });
});
