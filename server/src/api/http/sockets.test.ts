/** What only real connections show: uploads that break off, streams that are left, early answers. */
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { unprocessable } from "../../platform/input/problem.ts";
import { createTestHttp, type TestHttp } from "../../testing/http-service.ts";
import { rawRoute } from "./routing/raw-route.ts";
import { authed, router } from "./routing/trpc.ts";

const tags = ["T"];
let seen: { bytes: number; failed: boolean }[] = [];
let streamEnded: Promise<void>;

const upload = rawRoute({
  operation: { method: "POST", path: "/v1/up", summary: "Up", tags, creates: true },
  scope: "datasets:write",
  responses: { 200: { description: "ok" } },
  async handler({ body }) {
    const record = { bytes: 0, failed: true };
    seen.push(record);
    for await (const chunk of body()) record.bytes += (chunk as Buffer).length;
    record.failed = false;
    return { json: record };
  },
});
const half = rawRoute({
  operation: { method: "POST", path: "/v1/half", summary: "Half", tags, creates: true },
  scope: "datasets:write",
  input: z.object({ query: z.strictObject({ leave: z.string().optional() }) }),
  responses: { 200: { description: "ok" } },
  async handler({ body, input }) {
    for await (const _chunk of body()) {
      if (input.query.leave !== undefined) break;
      throw unprocessable(["body"], "a fault in its first rows");
    }
    return { json: {} };
  },
});
const events = rawRoute({
  operation: { method: "GET", path: "/v1/events", summary: "Events", tags },
  scope: null,
  responses: { 200: { description: "ok" } },
  async handler({ ctx }) {
    const { signal } = ctx.request;
    streamEnded = new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    async function* ticks() {
      for (;;) {
        yield "data: tick\n\n";
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    return { body: Readable.from(ticks()), contentType: "text/event-stream" };
  },
});
/** What the next answer of `/v1/cut` is made of. */
let cut: { pieces: readonly string[]; fails: boolean; headers?: Record<string, string> };
const cutShort = rawRoute({
  operation: { method: "GET", path: "/v1/cut", summary: "Cut", tags },
  scope: null,
  responses: { 200: { description: "ok" } },
  async handler() {
    const { pieces, fails, headers = {} } = cut;
    async function* body() {
      for (const piece of pieces) {
        yield Buffer.from(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (fails) throw new Error("the source broke off");
    }
    return {
      body: Readable.from(body(), { objectMode: false }),
      contentType: "text/event-stream",
      headers,
    };
  },
});
const routes = router({
  json: authed("datasets:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/json",
        summary: "J",
        tags,
        body: "value",
        bodyLimit: 1000,
      },
    })
    .input(z.strictObject({ value: z.unknown() }))
    .output(z.boolean())
    .mutation(() => true),
});

let http: TestHttp;
let port: number;
beforeAll(async () => {
  http = await createTestHttp(routes, [upload, half, events, cutShort]);
  await http.app.listen({ port: 0, host: "127.0.0.1" });
  port = (http.app.server.address() as AddressInfo).port;
});
afterAll(() => http.app.close());

const head = (path: string, length: number, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer all\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`;

it.each([null, "key-of-the-upload"])(
  "an upload that breaks off fails in the handler and is no fault of the service (%j)",
  async (key) => {
    seen = [];
    const socket = connect(port, "127.0.0.1");
    const more = key === null ? "" : `idempotency-key: ${key}\r\n`;
    socket.write(`${head("/v1/up", 1000, more)}${"x".repeat(100)}`);
    await expect.poll(() => seen[0]?.bytes).toBe(100);
    socket.destroy();
    const again = () =>
      fetch(`http://127.0.0.1:${port}/v1/up`, {
        method: "POST",
        headers: {
          authorization: "Bearer all",
          ...(key === null ? {} : { "idempotency-key": key }),
        },
        body: "whole",
      });
    // Under a key: 409 until the broken request has let go of it.
    let answer = await again();
    while (answer.status === 409) answer = await again();
    expect([answer.status, await answer.json()]).toEqual([200, { bytes: 5, failed: false }]);
    expect(seen[0]).toEqual({ bytes: 100, failed: true });
    expect(http.unexpected).toEqual([]);
  },
);

it.each([
  ["an upload", "/v1/up", "authorization: Bearer all\r\n"],
  ["an upload under a key", "/v1/up", "authorization: Bearer all\r\nidempotency-key: slow\r\n"],
  ["JSON", "/v1/json", "authorization: Bearer all\r\n"],
  ["a body that was refused before it came", "/v1/up", "authorization: Bearer nobody\r\n"],
])("%s that hardly comes is ended, one that comes is not", async (name, path, more) => {
  const slow = await createTestHttp(routes, [upload], {
    arrivalLimits: { windowMs: 300, windowBytes: 30 },
  });
  await slow.app.listen({ port: 0, host: "127.0.0.1" });
  const { port: own } = slow.app.server.address() as AddressInfo;
  const send = (bytes: number, pieces: number): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(own, "127.0.0.1");
      let said = "";
      const length = bytes * pieces;
      const json = "content-type: application/json\r\n";
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\n${json}${more}content-length: ${length}\r\n\r\n`,
      );
      let sent = 0;
      const timer = setInterval(() => {
        if (sent++ < pieces) socket.write(" ".repeat(bytes));
      }, 20);
      const stop = (): void => {
        clearInterval(timer);
        socket.destroy();
        resolve(said);
      };
      socket.on("data", (data) => {
        said += data.toString().split("\r\n", 1)[0];
        if (!said.includes("401")) stop();
      });
      socket.on("error", stop).on("close", stop);
    });
  const isRefused = name.includes("refused");
  // A piece each 20 ms, for longer than this test may take.
  expect(await send(1, 900)).toBe(
    isRefused ? "HTTP/1.1 401 Unauthorized" : "HTTP/1.1 408 Request Timeout",
  );
  if (name === "JSON") expect(await send(20, 40)).toContain("422");
  expect(slow.unexpected).toEqual([]);
  await slow.app.close();
});

/** Sends requests over one kept connection, each with more body than any buffer holds. */
it.each([
  ["plain", {}],
  ["under a key", { "idempotency-key": "half" }],
  ["compressed", { "content-encoding": "gzip" }],
])(
  "an upload refused half-way (%s) is answered, and its connection serves on",
  async (_name, more) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const payload = randomBytes(3_000_000);
    const body = "content-encoding" in more ? gzipSync(payload) : payload;
    const sockets = new Set<unknown>();
    const post = () =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: "Bearer all", "content-length": body.length, ...more };
        const asked = request({ port, path: "/v1/half", method: "POST", agent, headers });
        asked.on("response", (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
        });
        asked.on("socket", (socket) => sockets.add(socket));
        asked.on("error", reject);
        asked.end(body);
      });
    expect([await post(), await post(), await post()]).toEqual([422, 422, 422]);
    expect(sockets.size).toBe(1);
    agent.destroy();
  },
);

it("an answer given before the body was read to its end is replayed for the whole same body", async () => {
  const post = (tail: string) =>
    fetch(`http://127.0.0.1:${port}/v1/half?leave=1`, {
      method: "POST",
      headers: { authorization: "Bearer all", "idempotency-key": "left" },
      body: "x".repeat(1_000_000) + tail,
    });
  expect((await post("a")).status).toBe(200);
  const replayed = await post("a");
  expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expect((await post("b")).status).toBe(422);
});

it("who sends a whole body that is too large before looking reads the answer all the same", async () => {
  const length = 30_000_000;
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", reject);
    socket.pause();
    socket.write(head("/v1/json", length));
    socket.write(Buffer.alloc(length, "x"), () => {
      socket.once("data", (data) => {
        resolve(data.toString().split("\r\n", 1)[0]!);
        socket.destroy();
      });
      socket.resume();
    });
  });
  expect(answer).toBe("HTTP/1.1 413 Payload Too Large");
});

it("a body that is too large or unwanted is answered before it has come", async () => {
  const answerTo = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("data", (data) => {
        resolve(data.toString().split("\r\n", 1)[0]!);
        socket.destroy();
      });
      socket.once("error", reject);
      socket.write(text);
    });
  expect(await answerTo(head("/v1/json", 5000))).toBe("HTTP/1.1 413 Payload Too Large");
  expect(await answerTo(head("/v1/json", 500).replace("all", "nobody"))).toBe(
    "HTTP/1.1 401 Unauthorized",
  );
  expect(await answerTo(head("/v1/none", 500))).toBe("HTTP/1.1 404 Not Found");
});

it.each([
  ["GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400],
  ["POST /v1/slow HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n", 400],
  ["NONSENSE\r\n\r\n", 400],
  ["GET /v1/events HTTP/1.1\r\n\r\n", 400],
  ["POST /v1/json HTTP/1.1\r\nauthorization: Bearer all\r\ncontent-length: 9\r\n\r\n", 400],
  [`GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"y".repeat(20_000)}\r\n\r\n`, 431],
])("what is no request is a problem all the same: %.60s", async (bytes, status) => {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
  const [head, body] = text.split("\r\n\r\n");
  expect(head).toMatch(
    new RegExp(`^HTTP/1.1 ${status} .*content-type: application/problem\\+json`, "s"),
  );
  expect(JSON.parse(body ?? "")).toMatchObject({ status, detail: expect.stringMatching(/\.$/) });
});

it("a stream ends when its reader goes away", async () => {
  const stop = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, { signal: stop.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const reader = answer.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain("data: tick");
  stop.abort();
  await streamEnded;
  expect(http.unexpected).toEqual([]);
});

const TEN = { "content-length": "10" };

it.each([
  ["events, when what they tell of fails", ["data: 1\n\n"], true, {}],
  ["a download, when its source fails", ["abcde"], true, TEN],
  ["a download whose source ends early, as if in good order", ["abcde"], false, TEN],
  ["a download whose source has more than was announced", ["abcde", "fghijk"], false, TEN],
])("a stream that breaks off is never taken for whole: %s", async (_, pieces, fails, headers) => {
  http.unexpected.length = 0;
  cut = { pieces, fails, headers };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/cut`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow(/terminated/);
  expect(http.unexpected).toHaveLength(1);
});

it.each([
  [[], true],
  [[], false],
])(
  "a download that breaks off before its first byte is a failure (%j, %s)",
  async (pieces, fails) => {
    http.unexpected.length = 0;
    cut = { pieces, fails, headers: TEN };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/cut`);
    expect([answer.status, (await answer.json()).title]).toEqual([500, "Internal error"]);
    expect(http.unexpected).toHaveLength(1);
  },
);

it("a download of the announced length is whole, and its connection serves on", async () => {
  http.unexpected.length = 0;
  cut = { pieces: ["abcde", "fghij"], fails: false, headers: TEN };
  for (let count = 0; count < 2; count++) {
    expect(await (await fetch(`http://127.0.0.1:${port}/v1/cut`)).text()).toBe("abcdefghij");
  }
  expect(http.unexpected).toEqual([]);
});

/** What is answered before the connection ends, or the first byte behind the answer that is awaited. */
const answerTo = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });

it.each(["Host: y", "AUTHORIZATION: Bearer other", "content-type: text/plain"])(
  "a head with another %s is refused: who reads it elsewhere may take the other",
  async (line) => {
    const one = await answerTo(`${head("/v1/json", 2)}{}`);
    expect(one).toMatch(/^HTTP\/1\.1 200 /);
    const two = await answerTo(`${head("/v1/json", 2, `${line}\r\n`)}{}`);
    expect(two).toMatch(/^HTTP\/1\.1 400 /);
    expect(two).toMatch(/connection: close/i);
    expect(two).toContain(`A request has one header ${line.split(":")[0]} at most.`);
  },
);

it("a head without a Host is one of HTTP/1.0 alone", async () => {
  const bare = (version: string): string =>
    `POST /v1/json HTTP/${version}\r\nauthorization: Bearer all\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  expect(await answerTo(bare("1.0"))).toMatch(/ 200 /);
  expect(await answerTo(bare("1.1"))).toContain("An HTTP/1.1 request must have a Host header.");
});
