import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ask as askOf, createOperations, json, state } from "../../../testing/http-operations.ts";
import type { TestHttp } from "../../../testing/http-service.ts";
import { parameterReader } from "./parameters.ts";

let http: TestHttp;
beforeAll(async () => {
  http = await createOperations();
});
afterAll(() => http.app.close());
beforeEach(() => {
  state.calls = 0;
});
const ask = (options: Parameters<typeof askOf>[1]) => askOf(http.app, options);

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
      expect([status, body]).toEqual([200, { id: "a", count: 3 }]);
    }
  });

  it("passes the query of PATCH and POST", async () => {
    const patched = await ask({
      method: "PATCH",
      url: "/v1/things/a?updateMask=spec.listing,name",
      headers: json,
      payload: "{}",
    });
    expect(patched.body).toEqual({ id: "a", updateMask: "spec.listing,name" });
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
    expect(body.id).toBe("a/b é%");
    expect((await ask({ url: "/v1/Things/a" })).status).toBe(404);
    expect((await ask({ url: "/V1/things/a" })).status).toBe(404);
    expect((await ask({ url: "/v1/things/a/" })).status).toBe(404);
    expect((await ask({ url: "/v1/things/%zz" })).status).toBe(400);
  });

  it("lets static routes win, also for methods that they do not have", async () => {
    expect((await ask({ url: "/v1/things/special" })).body).toBe("the static route");
    const other = await ask({
      url: "/v1/things/special",
      method: "PATCH",
      headers: json,
      payload: "{}",
    });
    expect(other.answer.statusCode).toBe(405);
    expect(other.answer.headers["allow"]).toBe("GET, HEAD");
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
    expect(body).toEqual({
      id: "a",
      limit: 20,
      ratio: -1500,
      deep: true,
      tag: ["x", "y"],
      status: "running",
    });
    expect((await ask({ url: "/v1/things/a?tag=one" })).body.tag).toEqual(["one"]);
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
    expect(body).toEqual({ id: "a", deep: false, ifMatch: '"0"' });
    expect(answer.headers.etag).toBe('"1"');
  });

  it("checks headers that the procedure does not want, and keeps them from it", async () => {
    const good = await ask({ url: "/v1/things/a", headers: { "x-unread": "abc" } });
    expect([good.status, good.body]).toEqual([200, { id: "a", deep: false }]);
    const long = await ask({ url: "/v1/things/a", headers: { "x-unread": "abcd" } });
    expect([long.status, long.body.detail[0].loc]).toEqual([422, ["header", "x-unread"]]);
  });

  it("places what an operation does not take in the part that it came in", async () => {
    const { status, body } = await ask({
      method: "PATCH",
      url: "/v1/things/a?flag=true",
      headers: json,
      payload: '{"updateMask":"count","id":"b"}',
    });
    expect(status).toBe(422);
    expect(body.detail.map((one: { loc: string[]; type: string }) => [one.loc, one.type])).toEqual([
      [["query", "flag"], "extra_forbidden"],
      [["body", "updateMask"], "extra_forbidden"],
      [["body", "id"], "extra_forbidden"],
    ]);
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
    expect((await post('{"a":2,"b":"__proto__"}')).body.body.a).toBe(2);
    for (const [sent, loc] of [
      ['{"a":1,"a":2}', ["a"]],
      ['{"a":1,"rows":[{},{"b":{"\\u0063":1,"c" :1}}]}', ["rows", 1, "b", "c"]],
    ] as const) {
      const twice = await post(sent);
      expect([twice.status, twice.body.detail]).toEqual([
        422,
        [
          {
            loc: ["body", ...loc],
            msg: "Value error, a member may be named but once",
            type: "value_error",
          },
        ],
      ]);
    }
    expect((await post('{"a":"\\"a\\":1","b":[{"a":1},{"a":2}]}')).status).toBe(200);
    for (const [name, sent] of [
      ["plain", '{"__proto__":{"polluted":true}}'],
      ["escaped", '{"rows":[{"a":1},{"_\\u005fprot\\u006F__":1}]}'],
    ]) {
      const refused = await post(sent!);
      expect([name, refused.status, refused.body.detail[0].loc]).toEqual([
        name,
        422,
        name === "plain" ? ["body", "__proto__"] : ["body", "rows", 1, "__proto__"],
      ]);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const part = z.strictObject({ limit: z.int().optional() });
    const query = parameterReader(part)(JSON.parse('{"__proto__":"1"}'));
    expect(part.safeParse(query).error?.issues).toMatchObject([{ keys: ["__proto__"] }]);
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

  it("are 422 for query parameters that an operation does not take, whether it takes others or none", async () => {
    for (const url of ["/v1/things/special?limit=1&a=2", "/v1/things/a?limit=1&a=2"]) {
      const { status, body } = await ask({ url });
      expect([url, status]).toEqual([url, 422]);
      const at = body.detail.map((one: { loc: string[]; type: string }) => [
        one.loc.join("."),
        one.type,
      ]);
      expect(at).toContainEqual(["query.a", "extra_forbidden"]);
    }
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
    const input = encodeURIComponent(JSON.stringify({ id: "a" }));
    const url = `/trpc/echo?input=${input}`;
    expect((await ask({ url, token: null })).status).toBe(401);
    const good = await ask({ url, token: "reader" });
    expect(good.body.result.data).toEqual({ id: "a", deep: false });
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
      payload: '{"id":"a","flag":1,"count":"2","extra":2}',
    });
    expect(invalid.status).toBe(422);
    expect(invalid.body.error.data.problem.detail.map((one: { type: string }) => one.type)).toEqual(
      ["bool_type", "int_type", "extra_forbidden"],
    );
    expect(invalid.body.error.message).toEqual(
      expect.stringMatching(
        /^flag: Input should be a valid boolean; count: Input should be a valid integer; extra: Extra inputs are not permitted; /,
      ),
    );
    const input = encodeURIComponent('{"id":"boom"}');
    const failed = await ask({ url: `/trpc/fail?input=${input}` });
    expect(failed.status).toBe(500);
    expect(failed.answer.body).not.toMatch(/secret|\.ts/);
  });

  it("names the closest members of one that is not known, as /v1 does", async () => {
    const payload = '{"id":"a","flagg":true}';
    const strayed = await ask({ method: "POST", url: "/trpc/patch", headers: json, payload });
    const [fault] = strayed.body.error.data.problem.detail;
    expect(fault.loc).toEqual(["flagg"]);
    const part = await ask({
      method: "PATCH",
      url: "/v1/things/a",
      headers: json,
      payload: '{"flagg":true}',
    });
    expect(fault.msg).toContain("the closest");
    expect(fault.msg).toContain("flag");
    expect(part.body.detail[0].msg).toContain("flag");
  });

  it("names members where /v1 names parts, for what is found after validation too", async () => {
    const send = (url: string, payload: string) =>
      ask({ method: "POST", url, headers: json, payload });
    const detail = { msg: "Value error, refused", type: "value_error" };
    const part = await send("/v1/small", '"refused"');
    expect(part.body).toEqual({ detail: [{ loc: ["body", "at", 0], ...detail }] });
    const member = await send("/trpc/small", '{"anything":"refused"}');
    expect([member.status, member.body.error.data.problem.detail]).toEqual([
      422,
      [{ loc: ["anything", "at", 0], ...detail }],
    ]);
    expect(member.body.error.message).toBe("anything.at.0: Value error, refused");
    const input = encodeURIComponent('{"id":"unprocessable"}');
    const metrics = await ask({ url: `/trpc/fail?input=${input}` });
    expect(metrics.body.error.data.problem.detail[0].loc).toEqual(["metrics", 0]);
    const absent = await send("/trpc/patch", "");
    expect([absent.status, absent.body.error.message]).toEqual([422, "Field required"]);
  });
});

describe("the JSON of /trpc", () => {
  const send = (payload: string | Buffer, headers: Record<string, string> = json, path = "patch") =>
    ask({ method: "POST", url: `/trpc/${path}`, headers, payload });
  const fault = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [
    status,
    body.detail?.[0]?.loc,
    body.detail?.[0]?.type,
  ];

  it.each<[string, string | Buffer, unknown[]]>([
    ["a member named twice", '{"id":"a","count":1,"count":2}', ["body", "count"]],
    ["one in an escape", '{"id":"a","\\u0069d":"b"}', ["body", "id"]],
    ["a NUL character", '{"id":"a\\u0000"}', ["body", "id"]],
    ["half of a surrogate pair", '{"id":"\\ud800"}', ["body", "id"]],
    ["a member that is no other's like", '{"id":"a","__proto__":{}}', ["body", "__proto__"]],
  ])("is refused where it has %s, as that of /v1", async (_, payload, loc) => {
    expect(fault(await send(payload))).toEqual([422, loc, "value_error"]);
    const input = encodeURIComponent(payload.toString());
    expect(fault(await ask({ url: `/trpc/echo?input=${input}` }))).toEqual([
      422,
      loc,
      "value_error",
    ]);
  });

  it("is refused in a batch, and where it is none", async () => {
    const twice = '{"0":{"id":"a"},"1":{"id":"a","count":1,"count":2}}';
    const batch = await send(twice, json, "patch,patch?batch=1");
    expect(fault(batch)).toEqual([422, ["body", "1", "count"], "value_error"]);
    for (const payload of ['{"id":', Buffer.from([0x22, 0xff, 0x22])]) {
      expect(fault(await send(payload))).toEqual([422, expect.anything(), "json_invalid"]);
    }
  });

  it("is given once in an address, and within the limits of bodies", async () => {
    const input = encodeURIComponent('{"id":"a"}');
    const twice = await ask({ url: `/trpc/echo?input=${input}&input=${input}` });
    expect(fault(twice)).toEqual([422, ["query", "input"], "value_error"]);
    const deep = await ask({ url: `/trpc/echo?input=${"[".repeat(200)}` });
    expect(fault(deep)).toEqual([422, ["body"], "value_error"]);
  });

  it("has no Content-Encoding", async () => {
    const packed = await send(gzipSync("{}"), { ...json, "content-encoding": "gzip" });
    expect([packed.status, packed.body.detail]).toEqual([
      415,
      "A body under /trpc has no Content-Encoding.",
    ]);
  });

  it.each(["multipart/form-data; boundary=x", "application/octet-stream", "text/plain"])(
    "is no %s",
    async (type) => {
      const answer = await send('{"id":"a"}', { "content-type": type });
      expect([answer.status, answer.body.type]).toEqual([415, expect.any(String)]);
    },
  );
});

describe("raw routes", () => {
  it("stream bodies, validate their parts, and read JSON where they want", async () => {
    const post = (payload: string, headers: Record<string, string>, url = "/v1/uploads?name=x") =>
      ask({ method: "POST", url, headers, payload });
    const csv = await post("a,b\n1,2\n", { "content-type": "text/csv" });
    expect(csv.body).toEqual({ size: 8, calls: 1, name: "x", key: "all" });
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
