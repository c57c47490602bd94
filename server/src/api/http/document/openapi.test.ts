import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../../../package.json" with { type: "json" };
import { secret } from "../../../platform/input/schema-view.ts";
import { createTestHttp } from "../../../testing/http-service.ts";
import { rawRoute } from "../routing/raw-route.ts";
import { collectRoutes } from "../routing/routes.ts";
import { authed, publicProcedure, router } from "../routing/trpc.ts";
import { openApiDocument } from "./openapi.ts";

const widget = z.object({ id: z.string(), size: z.int() }).meta({ id: "Widget" });
const node: z.ZodType = z.lazy(() => z.object({ children: z.array(node) })).meta({ id: "Node" });

const widgets = router({
  widgets: router({
    patch: authed("datasets:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: "/v1/widgets/{id}",
          summary: "Patch",
          tags: ["Widgets"],
          errors: ["not-found", "precondition-failed"],
          responseHeaders: z.object({ ETag: z.string().describe("The revision's hash.") }),
          query: ["updateMask", "limit"],
          headers: { "if-match": "ifMatch" },
        },
      })
      .input(
        z.strictObject({
          id: z.string(),
          updateMask: z.string().optional(),
          limit: z.int().max(9).default(3),
          ifMatch: z.string().optional(),
          size: z.int().min(1),
          token: secret(z.string()).optional(),
          node,
        }),
      )
      .output(widget)
      .mutation(() => ({ id: "", size: 1 })),
    make: authed("any")
      .meta({
        openapi: {
          method: "POST",
          path: "/v1/widgets",
          summary: "Make",
          tags: ["Widgets"],
          body: "widget",
          creates: true,
          successStatus: 201,
        },
      })
      .input(z.strictObject({ widget: widget.optional() }))
      .output(z.object({ widget, next: z.union([z.int(), z.null()]) }))
      .mutation(() => ({ widget: { id: "", size: 1 }, next: null })),
  }),
  open: publicProcedure
    .meta({
      openapi: { method: "GET", path: "/v1/open", summary: "Open", tags: ["Open"], protect: false },
    })
    .output(z.array(widget))
    .query(() => []),
});
const file = rawRoute({
  operation: { method: "GET", path: "/v1/files/{name+}", summary: "File", tags: ["Files"] },
  scope: "models:read",
  input: z.object({ path: z.object({ name: z.string() }) }),
  responses: {
    200: { description: "Bytes", content: { "application/octet-stream": {} } },
    206: { description: "Some bytes" },
  },
  handler: async () => ({ body: "", contentType: "application/octet-stream" }),
});
const upload = rawRoute({
  operation: { method: "PUT", path: "/v1/files/{name+}", summary: "Put", tags: ["Files"] },
  scope: "models:write",
  input: z.object({ path: z.object({ name: z.string() }) }),
  request: {
    content: { "text/csv": { schema: { type: "string" } }, "application/json": { schema: widget } },
  },
  responses: {
    200: { description: "Stored", content: { "application/json": { schema: widget } } },
  },
  handler: async () => ({ json: {} }),
});

// Through JSON, as clients get it.
const document = JSON.parse(
  JSON.stringify(openApiDocument(collectRoutes(widgets, [file, upload]))),
);

describe("the document", () => {
  it("is valid OpenAPI 3.1, of the package's version", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect([document.openapi, document.info.version]).toEqual(["3.1.0", manifest.version]);
  });

  it("resolves every reference and names every operation once", () => {
    const ids: string[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, member] of Object.entries(value)) {
        if (key === "$ref" && typeof member === "string" && member.startsWith("#/components")) {
          let at: unknown = document;
          for (const step of member.slice(2).split("/")) {
            at = (at as Record<string, unknown> | undefined)?.[step];
          }
          expect([member, at !== undefined]).toEqual([member, true]);
        }
        if (key === "operationId") ids.push(String(member));
        visit(member);
      }
    };
    visit(document);
    expect(ids.toSorted()).toEqual([
      "GET_v1_files_name_",
      "PUT_v1_files_name_",
      "open",
      "widgets_make",
      "widgets_patch",
    ]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("tells the parts, the true success code, the 422 and every problem of an operation", () => {
    const { patch } = document.paths["/v1/widgets/{id}"];
    expect(
      patch.parameters.map((one: { in: string; name: string; required?: boolean }) => [
        one.in,
        one.name,
        one.required ?? false,
      ]),
    ).toEqual([
      ["path", "id", true],
      ["query", "updateMask", false],
      ["query", "limit", false],
      ["header", "if-match", false],
    ]);
    expect(Object.keys(patch.responses)).toEqual([
      "200",
      "400",
      "401",
      "403",
      "404",
      "408",
      "412",
      "413",
      "415",
      "422",
      "429",
      "431",
      "500",
      "503",
      "507",
    ]);
    expect(patch.responses["422"]).toEqual({ $ref: "#/components/responses/UnprocessableContent" });
    expect(patch.responses["200"].headers.ETag.description).toBe("The revision's hash.");
    expect(patch.security).toEqual([{ bearer: [] }, { cookieAuth: [] }]);
    expect(patch.requestBody.required).toBe(true);
    const { properties } = patch.requestBody.content["application/json"].schema;
    expect(properties.size).toEqual({ type: "integer", minimum: 1 });
    expect(properties.token).toEqual({ type: "string", writeOnly: true, format: "password" });
    const { post } = document.paths["/v1/widgets"];
    expect(Object.keys(post.responses)).toContain("201");
    expect(Object.keys(post.responses)).toContain("409");
    expect(post.parameters.map((one: { name: string }) => one.name)).toEqual(["Idempotency-Key"]);
    expect(post.requestBody.required).toBe(false);
    expect(document.paths["/v1/open"].get.security).toEqual([]);
    expect(Object.keys(document.paths["/v1/open"].get.responses)).toEqual([
      "200",
      "400",
      "422",
      "431",
      "500",
    ]);
  });

  it("holds raw routes with their media types", () => {
    const { get, put } = document.paths["/v1/files/{name}"];
    expect(Object.keys(get.responses["200"].content)).toEqual(["application/octet-stream"]);
    expect(Object.keys(put.requestBody.content)).toEqual(["text/csv", "application/json"]);
    expect(put.requestBody.content["application/json"].schema).toEqual({
      $ref: "#/components/schemas/Widget",
    });
  });
});

describe("what is served", () => {
  let app: FastifyInstance;
  let referenceFolder: string;
  beforeAll(async () => {
    referenceFolder = await mkdtemp(join(tmpdir(), "distillery-reference-"));
    await mkdir(join(referenceFolder, "html"));
    await writeFile(join(referenceFolder, "html/index.html"), "<!doctype html><p>The engine</p>");
    ({ app } = await createTestHttp(widgets, [file, upload], { referenceFolder }));
  });
  afterAll(async () => {
    await app.close();
    await rm(referenceFolder, { recursive: true });
  });

  it("is the document, and a page that fetches nothing from elsewhere", async () => {
    const served = await app.inject("/openapi.json");
    expect(served.json()).toEqual(document);
    const page = await app.inject("/docs");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(links).toContain("/docs/swagger-ui-bundle.js");
    expect(links).toContain("/docs/engine/");
    for (const link of links) {
      expect(link.startsWith("/") && !link.startsWith("//")).toBe(true);
      const asset = await app.inject(link);
      expect([link, asset.statusCode]).toEqual([link, 200]);
      const again = await app.inject({
        url: link,
        headers: { "if-none-match": String(asset.headers.etag) },
      });
      expect([again.statusCode, again.body]).toEqual([304, ""]);
    }
    expect((await app.inject("/")).body).toContain('href="/docs"');
  });
});
