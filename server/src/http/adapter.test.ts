import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestHttp, type TestHttp } from "../testing/http-service.ts";
import { conflict, notFound, Problem, tooManyRequests, unprocessable } from "./problem.ts";
import { rawRoute } from "./raw-route.ts";
import { authed, publicProcedure, router } from "./trpc.ts";

const tags = ["Things"];
const id = z.object({ id: z.string() });
let calls = 0;
let gate: Promise<void> = Promise.resolve();

const things = router({
  echo: authed("datasets:read")
    .meta({ openapi: { method: "GET", path: "/v1/things/{id}", summary: "Echo", tags } })
    .input(
      z.object({
        path: id,
        query: z.object({
          limit: z.int().min(1).max(500).optional(),
          ratio: z.number().optional(),
          deep: z.boolean().default(false),
          tag: z.array(z.string()).optional(),
          status: z.enum(["pending", "running"]).optional(),
        }),
        header: z.object({ "if-match": z.string().optional() }),
      }),
    )
    .output(z.unknown())
    .query(({ input, ctx }) => {
      ctx.setHeader("etag", '"1"');
      return input;
    }),
  special: publicProcedure
    .meta({ openapi: { method: "GET", path: "/v1/things/special", summary: "Special", tags } })
    .output(z.string())
    .query(() => "the static route"),
  patch: authed("datasets:write")
    .meta({ openapi: { method: "PATCH", path: "/v1/things/{id}", summary: "Patch", tags } })
    .input(
      z.object({
        path: id,
        query: z.object({ updateMask: z.string().optional() }),
        body: z.strictObject({
          flag: z.boolean().optional(),
          count: z.int().optional(),
          note: z.string().nullable().optional(),
        }),
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
        creates: true,
        successStatus: 201,
      },
    })
    .input(
      z.object({ query: z.object({ name: z.string() }), body: z.object({ fail: z.boolean() }) }),
    )
    .output(z.object({ id: z.string(), calls: z.int(), name: z.string() }))
    .mutation(async ({ input, ctx }) => {
      calls++;
      await gate;
      if (input.body.fail) throw conflict("asked to fail");
      return { id: ctx.newId(), calls, name: input.query.name };
    }),
  small: publicProcedure
    .meta({
      openapi: { method: "POST", path: "/v1/small", summary: "Small", tags, bodyLimit: 64 },
    })
    .input(z.object({ body: z.unknown().optional() }))
    .output(z.unknown())
    .mutation(({ input }) => ({ body: input.body ?? null })),
  fail: publicProcedure
    .meta({ openapi: { method: "GET", path: "/v1/fail/{id}", summary: "Fail", tags } })
    .input(z.object({ path: id }))
    .output(z.object({ value: z.number() }))
    .query(({ input }) => {
      switch (input.path.id) {
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
  input: z.object({ query: z.object({ name: z.string().optional() }) }),
  request: { content: { "text/csv": {}, "application/json": {} } },
  responses: { 200: { description: "What came" } },
  async handler({ ctx, input, mediaType, body, json }) {
    calls++;
    if (mediaType?.type === "application/json") {
      return { json: await json(z.strictObject({ name: z.string() })) };
    }
    let size = 0;
    for await (const chunk of body()) size += (chunk as Buffer).length;
    return { json: { size, calls, name: input.query.name ?? null, key: ctx.auth.keyId } };
  },
});

const download = rawRoute({
  operation: { method: "GET", path: "/v1/files/{id}/{file+}", summary: "Download", tags },
  scope: null,
  input: z.object({ path: z.object({ id: z.string(), file: z.string() }) }),
  responses: { 200: { description: "The file", content: { "application/octet-stream": {} } } },
  handler: async ({ input }) => ({
    body: Readable.from([JSON.stringify(input.path)]),
    contentType: "application/octet-stream",
    headers: { "x-file": "yes" },
  }),
});

let http: TestHttp;
beforeAll(async () => {
  http = await createTestHttp(things, [upload, download]);
});
afterAll(() => http.app.close());
beforeEach(() => {
  calls = 0;
  gate = Promise.resolve();
});

async function ask(options: InjectOptions & { token?: string | null }) {
  const { token = "all", headers, ...rest } = options;
  const answer = await http.app.inject({
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
const json = { "content-type": "application/json" };

describe("requests", () => {
  it("reads a body whose content type has a charset", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "Application/JSON",
      "application/merge-patch+json",
    ]) {
      const { status, body } = await ask({
        method: "PATCH",
        url: "/v1/things/a",
        headers: { "content-type": type },
        payload: '{"count":3}',
      });
      expect([status, body.body]).toEqual([200, { count: 3 }]);
    }
  });

  it("passes the query of PATCH and POST", async () => {
    const patched = await ask({
      method: "PATCH",
      url: "/v1/things/a?updateMask=spec.listing,name",
      headers: json,
      payload: "{}",
    });
    expect(patched.body.query).toEqual({ updateMask: "spec.listing,name" });
    const created = await ask({
      method: "POST",
      url: "/v1/things?name=n%20m",
      headers: json,
      payload: '{"fail":false}',
    });
    expect([created.status, created.body.name]).toEqual([201, "n m"]);
  });

  it("coerces nothing in a body", async () => {
    const { status, body } = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: json,
      payload: '{"flag":"false","count":null,"note":null}',
    });
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      {
        loc: ["body", "flag"],
        msg: "Input should be a valid boolean",
        type: "bool_type",
        input: "false",
      },
      {
        loc: ["body", "count"],
        msg: "Input should be a valid integer",
        type: "int_type",
        input: null,
      },
    ]);
  });

  it("percent-decodes path parameters and keeps paths case-sensitive", async () => {
    const { body } = await ask({ url: "/v1/things/a%2Fb%20%C3%A9%25" });
    expect(body.path).toEqual({ id: "a/b é%" });
    expect((await ask({ url: "/v1/Things/a" })).status).toBe(404);
    expect((await ask({ url: "/V1/things/a" })).status).toBe(404);
    expect((await ask({ url: "/v1/things/a/" })).status).toBe(404);
    expect((await ask({ url: "/v1/things/%zz" })).status).toBe(400);
  });

  it("lets static routes win, for the methods that they have", async () => {
    expect((await ask({ url: "/v1/things/special" })).body).toBe("the static route");
    const other = await ask({
      url: "/v1/things/special",
      method: "PATCH",
      headers: json,
      payload: "{}",
    });
    expect(other.body.path).toEqual({ id: "special" });
  });

  it("takes trailing file paths", async () => {
    const { answer } = await ask({ url: "/v1/files/m/trees/a%20b/0.bin", token: null });
    expect(answer.body).toBe('{"id":"m","file":"trees/a b/0.bin"}');
    expect(answer.headers["x-file"]).toBe("yes");
  });

  it("reads query parameters strictly as their schema takes them", async () => {
    const { body } = await ask({
      url: "/v1/things/a?limit=20&ratio=-1.5e3&deep=true&tag=x&tag=y&status=running",
    });
    expect(body.query).toEqual({
      limit: 20,
      ratio: -1500,
      deep: true,
      tag: ["x", "y"],
      status: "running",
    });
    expect((await ask({ url: "/v1/things/a?tag=one" })).body.query.tag).toEqual(["one"]);
    for (const [query, type] of [
      ["limit=%2B20", "int_parsing"],
      ["limit=2.0", "int_parsing"],
      ["limit=", "int_parsing"],
      ["limit=%2020", "int_parsing"],
      ["limit=0x10", "int_parsing"],
      ["limit=1e2", "int_parsing"],
      ["limit=99999999999999999999", "int_parsing"],
      ["limit=0", "greater_than_equal"],
      ["limit=501", "less_than_equal"],
      ["limit=1&limit=2", "int_type"],
      ["ratio=NaN", "float_parsing"],
      ["ratio=Infinity", "float_parsing"],
      ["deep=1", "bool_parsing"],
      ["deep=True", "bool_parsing"],
      ["status=done", "literal_error"],
    ] as const) {
      const { status, body: refused } = await ask({ url: `/v1/things/a?${query}` });
      expect([query, status, refused.detail?.[0]?.type]).toEqual([query, 422, type]);
      expect(refused.detail[0].loc).toEqual(["query", query.split("=", 1)[0]]);
    }
  });

  it("passes declared headers alone", async () => {
    const { body, answer } = await ask({ url: "/v1/things/a", headers: { "if-match": '"0"' } });
    expect(body.header).toEqual({ "if-match": '"0"' });
    expect(answer.headers.etag).toBe('"1"');
  });

  it("answers HEAD as GET without a body", async () => {
    const get = await ask({ url: "/v1/things/a" });
    const head = await ask({ url: "/v1/things/a", method: "HEAD" });
    expect([head.status, head.answer.body]).toEqual([200, ""]);
    expect(head.answer.headers["content-length"]).toBe(get.answer.headers["content-length"]);
    const stream = await ask({ url: "/v1/files/a/b", method: "HEAD" });
    expect([stream.status, stream.answer.body]).toEqual([200, ""]);
  });
});

describe("bodies", () => {
  it("says where JSON breaks", async () => {
    const { status, body } = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: json,
      payload: '{"count": 1,}',
    });
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      {
        loc: ["body", 12],
        msg: "JSON decode error",
        type: "json_invalid",
        input: {},
        ctx: { error: "expecting a member name enclosed in double quotes" },
      },
    ]);
  });

  it("calls an absent body missing, and lets an optional one be absent", async () => {
    const { status, body } = await ask({ method: "PATCH", url: "/v1/things/a" });
    expect([status, body.detail]).toEqual([
      422,
      [{ loc: ["body"], msg: "Field required", type: "missing" }],
    ]);
    expect((await ask({ method: "POST", url: "/v1/small" })).body).toEqual({ body: null });
  });

  it("refuses other media types, charsets and encodings with 415", async () => {
    for (const headers of [
      { "content-type": "text/plain" },
      { "content-type": "application/x-www-form-urlencoded" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-type": "nonsense" },
      { ...json, "content-encoding": "br" },
      {},
    ]) {
      const { status, type, body } = await ask({
        method: "POST",
        url: "/v1/small",
        headers: headers as Record<string, string>,
        payload: Buffer.from("{}"),
      });
      expect([headers, status, type]).toEqual([
        headers,
        415,
        "application/problem+json; charset=utf-8",
      ]);
      expect(typeof body.detail).toBe("string");
    }
  });

  it("holds each operation's limit, before and after decompression", async () => {
    const post = (payload: Buffer, headers: Record<string, string> = {}) =>
      ask({ method: "POST", url: "/v1/small", headers: { ...json, ...headers }, payload });
    expect((await post(Buffer.from(JSON.stringify("x".repeat(62))))).status).toBe(200);
    expect((await post(Buffer.from(JSON.stringify("x".repeat(63))))).status).toBe(413);
    const gzip = { "content-encoding": "gzip" };
    expect((await post(gzipSync('"ok"'), gzip)).body).toEqual({ body: "ok" });
    expect((await post(gzipSync(JSON.stringify("x".repeat(1000))), gzip)).status).toBe(413);
    expect((await post(Buffer.from("not gzip"), gzip)).status).toBe(400);
  });

  it("is not fooled by invalid UTF-8, depth, __proto__ or repeated members", async () => {
    const post = (payload: string | Buffer) =>
      ask({ method: "POST", url: "/v1/small", headers: json, payload });
    const broken = await post(Buffer.from([0x22, 0xff, 0x22]));
    expect([broken.status, broken.body.detail[0].type]).toEqual([422, "json_invalid"]);
    const polluting = await post('{"__proto__":{"polluted":true},"a":1,"a":2}');
    expect(polluting.status).toBe(200);
    expect(polluting.body.body.a).toBe(2);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const deep = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: json,
      payload: "[".repeat(100_000),
    });
    expect([deep.status, deep.body.detail[0].loc]).toEqual([422, ["body", 100]]);
  });
});

describe("failures", () => {
  it("are problem documents with a string detail", async () => {
    for (const [name, status, kind] of [
      ["missing", 404, "not-found"],
      ["busy", 429, "too-many-requests"],
      ["precondition", 412, "precondition-failed"],
    ] as const) {
      const { answer, type, body } = await ask({ url: `/v1/fail/${name}` });
      expect(type).toBe("application/problem+json; charset=utf-8");
      expect(body).toEqual({
        type: `urn:distillery:problem:${kind}`,
        title: expect.any(String),
        status,
        detail: expect.any(String),
      });
      expect(answer.statusCode).toBe(status);
      if (status === 429) expect(answer.headers["retry-after"]).toBe("7");
    }
  });

  it("of a service's own make leak nothing and are reported", async () => {
    for (const name of ["boom", "output"]) {
      http.unexpected.length = 0;
      const { status, answer, body } = await ask({ url: `/v1/fail/${name}` });
      expect(status).toBe(500);
      expect(answer.body).not.toMatch(/secret|\.ts|expected/);
      expect(body.request_id).toBe(answer.headers["x-request-id"]);
      expect(http.unexpected).toHaveLength(1);
    }
  });

  it("found after validation have the 422 shape too", async () => {
    const { status, body } = await ask({ url: "/v1/fail/unprocessable" });
    expect([status, body]).toEqual([
      422,
      {
        detail: [
          { loc: ["body", "metrics", 0], msg: "Value error, unknown metric", type: "value_error" },
        ],
      },
    ]);
  });

  it("are 404 for unknown paths and 405 with Allow for wrong methods", async () => {
    const unknown = await ask({ url: "/v1/nothing", token: null });
    expect([unknown.status, unknown.type]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ]);
    for (const [method, url, allow] of [
      ["DELETE", "/v1/things/a", "GET, HEAD, PATCH"],
      ["PUT", "/v1/things", "POST"],
      ["GET", "/v1/small", "POST"],
      ["POST", "/v1/files/a/b/c", "GET, HEAD"],
      ["OPTIONS", "/v1/small", "POST"],
      ["POST", "/openapi.json", "GET, HEAD"],
    ] as const) {
      const { status, answer } = await ask({ method, url });
      expect([method, url, status, answer.headers.allow]).toEqual([method, url, 405, allow]);
    }
  });

  it("carry the request's id, the caller's own where it is a sane one", async () => {
    const given = await ask({ url: "/v1/nothing", headers: { "x-request-id": "abc-1" } });
    expect(given.answer.headers["x-request-id"]).toBe("abc-1");
    const odd = await ask({ url: "/v1/nothing", headers: { "x-request-id": "a b" } });
    expect(odd.answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("authentication", () => {
  it("comes before everything that is said of the input", async () => {
    const missing = await ask({ method: "PATCH", url: "/v1/things/a", token: null });
    expect(missing.status).toBe(401);
    expect(missing.answer.headers["www-authenticate"]).toBe('Bearer realm="distillery"');
    const wrong = await ask({ method: "PATCH", url: "/v1/things/a", token: "nobody" });
    expect(wrong.status).toBe(401);
    expect(wrong.answer.headers["www-authenticate"]).toContain('error="invalid_token"');
    const reader = await ask({ method: "PATCH", url: "/v1/things/a", token: "reader" });
    expect(reader.status).toBe(403);
    expect(reader.body.detail).toBe("This needs the scope datasets:write.");
    expect((await ask({ url: "/v1/things/a", token: "reader" })).status).toBe(200);
    const raw = await ask({ method: "POST", url: "/v1/uploads", token: "reader" });
    expect(raw.status).toBe(403);
  });

  it("holds on /trpc alike", async () => {
    const input = encodeURIComponent(JSON.stringify({ path: { id: "a" }, query: {}, header: {} }));
    const url = `/trpc/echo?input=${input}`;
    expect((await ask({ url, token: null })).status).toBe(401);
    const good = await ask({ url, token: "reader" });
    expect(good.body.result.data.path).toEqual({ id: "a" });
    const patch = await ask({
      method: "POST",
      url: "/trpc/patch",
      headers: json,
      payload: "{}",
      token: "reader",
    });
    expect(patch.status).toBe(403);
    expect(patch.body.error.data.problem.status).toBe(403);
  });
});

describe("/trpc", () => {
  it("gives the 422 detail and leaks no stack", async () => {
    const invalid = await ask({
      method: "POST",
      url: "/trpc/patch",
      headers: json,
      payload: '{"path":{"id":"a"},"query":{},"body":{"flag":1,"extra":2}}',
    });
    expect(invalid.status).toBe(422);
    expect(invalid.body.error.data.problem.detail.map((one: { type: string }) => one.type)).toEqual(
      ["bool_type", "extra_forbidden"],
    );
    expect(invalid.body.error.message).toBe(
      "body.flag: Input should be a valid boolean; body.extra: Extra inputs are not permitted",
    );
    const input = encodeURIComponent('{"path":{"id":"boom"}}');
    const failed = await ask({ url: `/trpc/fail?input=${input}` });
    expect(failed.status).toBe(500);
    expect(failed.answer.body).not.toMatch(/secret|\.ts/);
  });
});

describe("raw routes", () => {
  it("stream bodies, validate their parts, and read JSON where they want", async () => {
    const post = (payload: string, headers: Record<string, string>, url = "/v1/uploads?name=x") =>
      ask({ method: "POST", url, headers, payload });
    const csv = await post("a,b\n1,2\n", { "content-type": "text/csv" });
    expect(csv.body).toEqual({ size: 8, calls: 1, name: "x", key: "key" });
    const read = await post('{"name":"n"}', json);
    expect(read.body).toEqual({ name: "n" });
    const wrong = await post('{"name":1,"more":2}', json);
    expect(wrong.status).toBe(422);
    expect(
      wrong.body.detail.map((one: { loc: unknown; type: string }) => [one.loc, one.type]),
    ).toEqual([
      [["body", "name"], "string_type"],
      [["body", "more"], "extra_forbidden"],
    ]);
    const twice = await post("", { "content-type": "text/csv" }, "/v1/uploads?name=a&name=b");
    expect([twice.status, twice.body.detail[0].loc]).toEqual([422, ["query", "name"]]);
  });
});

describe("Idempotency-Key", () => {
  const create = (key: string, fail = false, token = "all", name = "n") =>
    ask({
      method: "POST",
      url: `/v1/things?name=${name}`,
      headers: { ...json, "idempotency-key": key },
      payload: JSON.stringify({ fail }),
      token,
    });

  it("replays the first answer and runs nothing again", async () => {
    const first = await create("k1");
    const second = await create("k1");
    expect(calls).toBe(1);
    expect([second.status, second.body, second.type]).toEqual([201, first.body, first.type]);
    expect(second.answer.headers["idempotency-replayed"]).toBe("true");
    expect((await create("k1", false, "other")).body.calls).toBe(2);
  });

  it("refuses another request under the same key", async () => {
    await create("k2");
    const other = await create("k2", false, "all", "m");
    expect([other.status, other.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    expect((await create("k2", true)).status).toBe(422);
    expect(calls).toBe(1);
  });

  it("answers 409 while the first still runs", async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = create("k3");
    while (calls === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await create("k3")).status).toBe(409);
    open();
    expect((await first).status).toBe(201);
    expect((await create("k3")).status).toBe(201);
    expect(calls).toBe(1);
  });

  it("frees the key after a failure, and derives equal ids from equal keys", async () => {
    expect((await create("k4", true)).status).toBe(409);
    const first = await create("k4");
    expect(first.status).toBe(201);
    expect(first.body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    const bare = await ask({
      method: "POST",
      url: "/v1/things?name=n",
      headers: json,
      payload: '{"fail":false}',
    });
    expect(bare.body.id).not.toBe(first.body.id);
  });

  it("covers raw uploads by their bytes, multipart ones by their length", async () => {
    const upload = (payload: string, type: string, key: string) =>
      ask({
        method: "POST",
        url: "/v1/uploads",
        headers: { "content-type": type, "idempotency-key": key },
        payload,
      });
    const first = await upload("a,b\n1,2\n", "text/csv", "u1");
    expect((await upload("a,b\n1,2\n", "text/csv", "u1")).body).toEqual(first.body);
    expect((await upload("a,b\n1,3\n", "text/csv", "u1")).status).toBe(422);
    expect(calls).toBe(1);
    const form = (boundary: string) => `--${boundary}\r\n\r\nx\r\n--${boundary}--\r\n`;
    const type = (boundary: string) => `multipart/form-data; boundary=${boundary}`;
    await upload(form("aaaa"), type("aaaa"), "u2");
    expect((await upload(form("bbbb"), type("bbbb"), "u2")).status).toBe(200);
    expect(calls).toBe(2);
  });

  it("must be printable, and is not looked at where nothing is created", async () => {
    const { status, body } = await create("a b");
    expect([status, body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    const patched = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: { ...json, "idempotency-key": "a b" },
      payload: "{}",
    });
    expect(patched.status).toBe(200);
  });
});
