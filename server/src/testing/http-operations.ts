/** Operations of every kind, and a way to ask them: for the tests of the HTTP room. */
import { Readable } from "node:stream";
import type { FastifyInstance, InjectOptions } from "fastify";
import { z } from "zod";
import { rawRoute } from "../api/http/routing/raw-route.ts";
import { authed, publicProcedure, router } from "../api/http/routing/trpc.ts";
import {
  conflict,
  notFound,
  Problem,
  tooManyRequests,
  unprocessable,
} from "../platform/input/problem.ts";
import { createTestHttp, type TestHttp } from "./http-service.ts";

const tags = ["Things"];
const id = z.string();

/** What the tests look at and hold. */
export const state = {
  /** Operations run so far. */
  calls: 0,
  /** What `create` waits for. */
  gate: Promise.resolve() as Promise<void>,
};

export const things = router({
  echo: authed("datasets:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/things/{id}",
        summary: "Echo",
        tags,
        headers: { "if-match": "ifMatch" },
        requestHeaders: z.object({ "x-unread": z.string().max(3).optional() }),
      },
    })
    .input(
      z.strictObject({
        id,
        limit: z.int().min(1).max(500).optional(),
        ratio: z.number().optional(),
        deep: z.boolean().default(false),
        tag: z.array(z.string()).optional(),
        status: z.enum(["pending", "running"]).optional(),
        ifMatch: z.string().optional(),
      }),
    )
    .output(z.unknown())
    .query(({ input, ctx }) => {
      ctx.setHeader("etag", '"1"');
      return input;
    }),
  special: publicProcedure
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/things/special",
        summary: "Special",
        tags,
        protect: false,
      },
    })
    .output(z.string())
    .query(() => "the static route"),
  patch: authed("datasets:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/v1/things/{id}",
        summary: "Patch",
        tags,
        query: ["updateMask"],
      },
    })
    .input(
      z.strictObject({
        id,
        updateMask: z.string().optional(),
        flag: z.boolean().optional(),
        count: z.int().optional(),
        note: z.string().nullable().optional(),
      }),
    )
    .output(z.unknown())
    .mutation(({ input }) => input),
  create: authed("datasets:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/things",
        summary: "Create",
        tags,
        query: ["name"],
        creates: true,
        successStatus: 201,
      },
    })
    .input(z.strictObject({ name: z.string(), fail: z.boolean() }))
    .output(z.object({ id: z.string(), calls: z.int(), name: z.string() }))
    .mutation(async ({ input, ctx }) => {
      state.calls++;
      await state.gate;
      if (input.fail) throw conflict("asked to fail");
      return { id: ctx.newId(), calls: state.calls, name: input.name };
    }),
  small: publicProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/small",
        summary: "Small",
        tags,
        protect: false,
        body: "anything",
        bodyLimit: 64,
      },
    })
    .input(z.strictObject({ anything: z.unknown().optional() }))
    .output(z.unknown())
    .mutation(({ input }) => {
      if (input.anything === "refused") throw unprocessable(["body", "at", 0], "refused");
      return { body: input.anything ?? null };
    }),
  fail: publicProcedure
    .meta({
      openapi: { method: "GET", path: "/v1/fail/{id}", summary: "Fail", tags, protect: false },
    })
    .input(z.strictObject({ id }))
    .output(z.object({ value: z.number() }))
    .query(({ input }) => {
      switch (input.id) {
        case "missing":
          throw notFound("thing");
        case "busy":
          throw tooManyRequests(7);
        case "precondition":
          throw new Problem("precondition-failed", "The thing has changed.");
        case "unprocessable":
          throw unprocessable(["body", "metrics", 0], "unknown metric");
        case "output":
          return { value: "no number" } as never;
        default:
          throw new Error("at secretFunction (/srv/secret.ts:1)", { cause: "secret cause" });
      }
    }),
});

const upload = rawRoute({
  operation: { method: "POST", path: "/v1/uploads", summary: "Upload", tags, creates: true },
  scope: "datasets:write",
  input: z.object({ query: z.strictObject({ name: z.string().optional() }) }),
  request: { content: { "text/csv": {}, "application/json": {} } },
  responses: { 200: { description: "What came" } },
  async handler({ ctx, input, mediaType, body, json }) {
    state.calls++;
    if (mediaType?.type === "application/json") {
      return { json: await json(z.strictObject({ name: z.string() })) };
    }
    let size = 0;
    for await (const chunk of body()) size += (chunk as Buffer).length;
    return {
      json: { size, calls: state.calls, name: input.query.name ?? null, key: ctx.auth.keyId },
    };
  },
});

const download = rawRoute({
  operation: { method: "GET", path: "/v1/files/{id}/{file+}", summary: "Download", tags },
  scope: null,
  input: z.object({ path: z.object({ id, file: z.string() }) }),
  responses: { 200: { description: "The file", content: { "application/octet-stream": {} } } },
  handler: async ({ input }) => ({
    body: Readable.from([JSON.stringify(input.path)]),
    contentType: "application/octet-stream",
    headers: { "x-file": "yes" },
  }),
});

export interface Asked {
  readonly token?: string | null;
}

/** Asks with the token `all` unless told, and reads JSON where it comes. */
export async function ask(app: FastifyInstance, options: InjectOptions & Asked) {
  const { token = "all", headers, ...rest } = options;
  const answer = await app.inject({
    ...rest,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
  const type = String(answer.headers["content-type"] ?? "");
  return {
    answer,
    status: answer.statusCode,
    type,
    body: type.includes("json") && answer.body !== "" ? answer.json() : answer.body,
  };
}
export const json = { "content-type": "application/json" };

export const createOperations = (): Promise<TestHttp> => createTestHttp(things, [upload, download]);
