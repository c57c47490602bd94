import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestHttp, type TestHttp } from "../../../testing/http-service.ts";
import { rawRoute } from "./raw-route.ts";
import { router } from "./trpc.ts";

const MIB = 2 ** 20;
/** Beyond what the system takes of a connection that nobody reads. */
const LARGE = Buffer.alloc(48 * MIB, 1);

/** Answers in memory of their own, as they were made. */
let own: Buffer[];

const ownRoute = rawRoute({
  operation: { method: "GET", path: "/v1/own", operationId: "own", tags: [], summary: "Bytes" },
  scope: "datasets:read",
  input: z.object({}),
  responses: { 200: { description: "Bytes." } },
  handler: async () => {
    const body = Buffer.alloc(48 * MIB, 1);
    own.push(body);
    return { body, contentType: "application/octet-stream", isOwn: true };
  },
});

/** Works until nobody waits for it. */
const endless = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/endless",
    operationId: "endless",
    tags: [],
    summary: "None",
  },
  scope: "datasets:read",
  input: z.object({}),
  responses: { 200: { description: "Never." } },
  handler: ({ ctx }) =>
    new Promise((_, reject) => {
      const { signal } = ctx.request;
      signal.addEventListener("abort", () => {
        ended.resolve();
        reject(signal.reason);
      });
      begun.resolve();
    }),
});
let begun: PromiseWithResolvers<void>;
let ended: PromiseWithResolvers<void>;

const route = (path: `/v1/${string}`, body: Buffer) =>
  rawRoute({
    operation: { method: "GET", path, operationId: path.slice(4), tags: [], summary: "Bytes" },
    scope: "datasets:read",
    input: z.object({}),
    responses: { 200: { description: "Bytes." } },
    handler: async () => ({ body, contentType: "application/octet-stream" }),
  });

let http: TestHttp;
let port: number;
let sockets: Socket[];
async function start(idleReaderMs?: number): Promise<void> {
  sockets = [];
  own = [];
  const routes = [
    ownRoute,
    endless,
    route("/v1/large", LARGE),
    route("/v1/small", Buffer.from("small")),
  ];
  http = await createTestHttp(router({}), routes, {
    ...(idleReaderMs === undefined ? {} : { idleReaderMs }),
    unsentLimits: { ofOrganization: 100 * MIB, ofAll: 150 * MIB },
  });
  await http.app.listen({ port: 0, host: "127.0.0.1" });
  ({ port } = http.app.server.address() as AddressInfo);
}
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await http.app.close();
});

/** Asks, and reads the first bytes of the answer alone. */
async function begin(path: string, token: string): Promise<{ socket: Socket; head: string }> {
  const socket = connect({ port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  const [chunk] = await once(socket, "data");
  socket.pause();
  return { socket, head: String(chunk).split("\r\n\r\n", 1)[0] };
}

describe("memory of an answer that is nobody else's", () => {
  it("is given back once it is sent, and once its caller has gone", async () => {
    await start();
    const { socket } = await begin("/v1/own", "all");
    expect(own[0]!.buffer.byteLength).toBe(48 * MIB);
    socket.destroy();
    await expect.poll(() => own[0]!.buffer.byteLength).toBe(0);
    const response = await fetch(`http://127.0.0.1:${port}/v1/own`, {
      headers: { authorization: "Bearer all" },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(LARGE)).toBe(true);
    await expect.poll(() => own[1]!.buffer.byteLength).toBe(0);
  });
});

describe("answers that nobody reads", () => {
  it("have room for so many bytes of an organization, and of all", async () => {
    await start();
    const [first, second] = [await begin("/v1/large", "all"), await begin("/v1/large", "all")];
    expect([first.head, second.head].join()).toMatch(/^HTTP\/1.1 200 .*,HTTP\/1.1 200 /s);
    expect((await begin("/v1/large", "all")).head).toMatch(/^HTTP\/1.1 429 .*retry-after: 5/s);
    // Small ones are answered, and other organizations until all have no room.
    expect((await begin("/v1/small", "all")).head).toMatch(/^HTTP\/1.1 200 /);
    expect((await begin("/v1/large", "other")).head).toMatch(/^HTTP\/1.1 200 /);
    expect((await begin("/v1/large", "other")).head).toMatch(/^HTTP\/1.1 503 .*retry-after: 5/s);
    first.socket.destroy();
    await expect.poll(async () => (await begin("/v1/large", "all")).head).toMatch(/ 200 /);
  });

  it("end with their connection once nothing is taken of them for a while, and make room", async () => {
    await start(300);
    const { socket } = await begin("/v1/large", "all");
    await begin("/v1/large", "all");
    // What the system holds is read; the rest never comes.
    await expect.poll(async () => (await begin("/v1/large", "all")).head).toMatch(/ 200 /);
    let bytes = 0;
    socket.on("data", (chunk) => (bytes += chunk.length));
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    expect(bytes).toBeLessThan(LARGE.length);
    expect(http.unexpected).toEqual([]);
  });

  it("are whole for whoever reads slowly", async () => {
    await start();
    const { socket } = await begin("/v1/large", "all");
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 2);
    });
    socket.resume();
    await expect.poll(() => bytes).toBeGreaterThan(LARGE.length - 65_536);
  });
});

it("work that ends because its caller left is no failure of the service", async () => {
  await start();
  [begun, ended] = [Promise.withResolvers(), Promise.withResolvers()];
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write("GET /v1/endless HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer all\r\n\r\n");
  await begun.promise;
  socket.destroy();
  await ended.promise;
  // Behind what was rejected with the signal.
  await http.app.inject({ url: "/v1/small", headers: { authorization: "Bearer all" } });
  expect(http.unexpected).toEqual([]);
});
