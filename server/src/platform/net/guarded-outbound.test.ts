import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CheckedAddress } from "./destination.ts";
import { GuardedOutbound } from "./guarded-outbound.ts";
import { OutboundFailedError, type OutboundRefusal, OutboundRefusedError } from "./outbound.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let base: string;
let port: number;
const paths: Record<string, Handler> = {
  "/echo": async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
  },
  "/empty": (_, response) => response.writeHead(204).end(),
  "/never": () => undefined,
  "/large": (_, response) => response.end(Buffer.alloc(100_000)),
  "/bomb": (_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1_000_000))),
  "/drip": (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("."), 10);
    response.on("close", () => clearInterval(timer));
  },
  "/broken": (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  },
  "/loop": (_, response) => response.writeHead(302, { location: "/loop" }).end(),
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", base);
    const to = url.searchParams.get("to");
    if (to !== null) response.writeHead(Number(url.pathname.slice(1)), { location: to }).end();
    else paths[url.pathname]?.(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  base = `http://127.0.0.1:${port}`;
});
const open = new GuardedOutbound({ allowPrivateNetwork: true });
const shut = new GuardedOutbound({ allowPrivateNetwork: false });
afterAll(async () => {
  await Promise.all([open.close(), shut.close()]);
  server.closeAllConnections();
  server.close();
});

async function refusal(work: Promise<unknown>): Promise<OutboundRefusal> {
  const error = await work.then(
    () => new Error("it was let through"),
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundRefusedError) return error.code;
  throw error;
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof OutboundFailedError) return error.failure;
  throw error;
}

describe("what is refused", () => {
  test.each<[string, OutboundRefusal]>([
    ["http://127.0.0.1/", "loopback"],
    ["http://2130706433/", "loopback"],
    ["http://0x7f.1/", "loopback"],
    ["http://0177.0.0.1/", "loopback"],
    ["http://[::1]/", "loopback"],
    ["http://[::ffff:127.0.0.1]/", "loopback"],
    ["http://[64:ff9b::7f00:1]/", "loopback"],
    ["https://0/", "unspecified"],
    ["http://10.1.2.3:8080/", "private"],
    ["http://169.254.169.254/latest/meta-data/", "metadata"],
    ["http://[fd00:ec2::254]/", "metadata"],
    ["http://[fe80::1]/", "link-local"],
    ["http://localhost/", "loopback"],
    ["http://LOCALHOST:8080/", "loopback"],
    ["http://user:secret@example.com/", "credentials"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["not a url", "malformed"],
    ["http://", "malformed"],
  ])("%s: %s", async (url, code) => {
    expect(await refusal(shut.fetch(url))).toBe(code);
  });

  test("as a connection too", async () => {
    const { signal } = new AbortController();
    expect(await refusal(shut.connect("127.0.0.1", 5432, signal))).toBe("loopback");
    expect(await refusal(shut.connect("0x7f.1", 5432, signal))).toBe("loopback");
    expect(await refusal(shut.connect("[::1]", 5432, signal))).toBe("loopback");
    expect(await refusal(shut.connect("::1", 5432, signal))).toBe("loopback");
    expect(await refusal(shut.connect("localhost", 5432, signal))).toBe("loopback");
    expect(await refusal(shut.connect("a b", 5432, signal))).toBe("malformed");
  });

  test("metadata services also where the private network is allowed", async () => {
    expect(await refusal(open.fetch("http://169.254.169.254/"))).toBe("metadata");
    expect(await refusal(open.fetch("http://[::ffff:a9fe:a9fe]/"))).toBe("metadata");
  });

  test("the message says why and how it can be allowed, and repeats no secret", async () => {
    const told = await shut.fetch("http://user:secret@10.0.0.1/").catch((error: Error) => error);
    expect(String(told)).not.toContain("secret");
    await expect(shut.fetch("http://10.0.0.1/")).rejects.toThrow(
      /10\.0\.0\.1 is a private address.*DISTILLERY_ALLOW_PRIVATE_NETWORK/,
    );
  });
});

describe("names", () => {
  const answering = (...answers: (readonly string[])[]) => {
    let asked = 0;
    const resolve = async (): Promise<readonly CheckedAddress[]> => {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    };
    return { resolve, asked: () => asked };
  };

  test("are resolved once, and the connection goes to what was checked", async () => {
    const { resolve, asked } = answering(["127.0.0.1"], ["169.254.169.254"]);
    const outbound = new GuardedOutbound({ allowPrivateNetwork: true, resolve });
    const answer = await outbound.fetch(`http://rebinding.example:${port}/echo`);
    const { headers } = (await answer.json()) as { headers: Record<string, string> };
    expect(headers["host"]).toBe(`rebinding.example:${port}`);
    expect(asked()).toBe(1);
    await outbound.close();
    const socket = await new GuardedOutbound({
      allowPrivateNetwork: true,
      ...answering(["127.0.0.1", "127.0.0.2"], ["169.254.169.254"]),
    }).connect("rebinding.example", port, new AbortController().signal);
    expect(socket.remoteAddress).toMatch(/^127\.0\.0\.[12]$/);
    socket.destroy();
  });

  test("are refused where one of their addresses is, before anything is sent", async () => {
    const { resolve } = answering(["93.184.216.34", "10.0.0.1"]);
    const outbound = new GuardedOutbound({ allowPrivateNetwork: false, resolve });
    expect(await refusal(outbound.fetch("https://both.example/"))).toBe("private");
    await outbound.close();
  });

  test("that do not exist are a failure that names them", async () => {
    await expect(shut.fetch("http://nowhere.invalid/")).rejects.toThrow(
      /nowhere\.invalid cannot be resolved/,
    );
  });
});

describe("answers", () => {
  test("come with status, headers and body; requests carry theirs", async () => {
    const answer = await open.fetch(`${base}/echo`, {
      method: "post",
      headers: { "X-Own": "1" },
      body: "hello",
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toMatchObject({
      method: "POST",
      headers: { "x-own": "1" },
      body: "hello",
    });
    const empty = await open.fetch(`${base}/empty`);
    expect([empty.status, empty.body]).toEqual([204, null]);
  });

  test("end at their size, unpacked", async () => {
    const large = await open.fetch(`${base}/large`, { maxBytes: 99_999 });
    expect(await failure(large.arrayBuffer())).toBe("too-large");
    const bomb = await open.fetch(`${base}/bomb`, { maxBytes: 10_000 });
    expect(await failure(bomb.arrayBuffer())).toBe("too-large");
    const fits = await open.fetch(`${base}/large`, { maxBytes: 100_000 });
    expect((await fits.arrayBuffer()).byteLength).toBe(100_000);
  });

  test("end at their time: no headers, or a body that drips", async () => {
    expect(await failure(open.fetch(`${base}/never`, { timeoutMs: 50 }))).toBe("timeout");
    const drip = await open.fetch(`${base}/drip`, { bodyTimeoutMs: 50 });
    expect(await failure(drip.text())).toBe("timeout");
  });

  test("that break off are a failure", async () => {
    const broken = await open.fetch(`${base}/broken`);
    expect(await failure(broken.text())).toBe("unreachable");
  });

  test("end with the caller's own reason", async () => {
    const reason = new Error("the caller left");
    const waiting = new AbortController();
    const asked = open.fetch(`${base}/never`, { signal: waiting.signal });
    waiting.abort(reason);
    await expect(asked).rejects.toBe(reason);
    const reading = new AbortController();
    const drip = await open.fetch(`${base}/drip`, { signal: reading.signal });
    setTimeout(() => reading.abort(reason), 20);
    await expect(drip.text()).rejects.toBe(reason);
  });

  test("of nobody are a failure that names the place", async () => {
    const dead = createTcp().listen(0, "127.0.0.1");
    await once(dead, "listening");
    const { port: free } = dead.address() as AddressInfo;
    dead.close();
    await once(dead, "close");
    await expect(open.fetch(`http://127.0.0.1:${free}/`)).rejects.toThrow(
      `127.0.0.1:${free} cannot be connected to`,
    );
    // A server that speaks no TLS.
    expect(await failure(open.fetch(`https://127.0.0.1:${port}/`))).toBe("unreachable");
  });
});

describe("redirects", () => {
  const to = (url: string, status = 302) => `${base}/${status}?to=${encodeURIComponent(url)}`;

  test("are the answer unless they may be followed", async () => {
    const answer = await open.fetch(to("/echo"));
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/echo"]);
    expect((await open.fetch(to("/echo"), { redirects: 1 })).status).toBe(200);
    expect((await open.fetch(`${base}/loop`, { redirects: 5 })).status).toBe(302);
  });

  test("are checked again", async () => {
    const metadata = "http://169.254.169.254/latest/";
    expect(await refusal(open.fetch(to(metadata), { redirects: 5 }))).toBe("metadata");
    expect(await refusal(open.fetch(to(to(metadata)), { redirects: 5 }))).toBe("metadata");
    expect(await refusal(open.fetch(to("file:///etc/passwd"), { redirects: 5 }))).toBe("scheme");
    const inner = await refusal(open.fetch(to("http://u:p@127.0.0.1/"), { redirects: 5 }));
    expect(inner).toBe("credentials");
  });

  const echoed = async (url: string, method = "GET") => {
    const headers = { Authorization: "Bearer s", "X-Api-Key": "s", Accept: "text/csv" };
    const body = method === "GET" ? {} : { body: "hello" };
    const answer = await open.fetch(url, { redirects: 2, method, headers, ...body });
    return (await answer.json()) as {
      method: string;
      headers: Record<string, string>;
      body: string;
    };
  };

  test("take secrets to the same origin alone", async () => {
    const same = await echoed(to("/echo"));
    expect(same.headers).toMatchObject({ authorization: "Bearer s", "x-api-key": "s" });
    const other = await echoed(to(`http://localhost:${port}/echo`));
    expect(other.headers["authorization"]).toBeUndefined();
    expect(other.headers["x-api-key"]).toBeUndefined();
    expect(other.headers["accept"]).toBe("text/csv");
  });

  test.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [307, "POST", "POST", "hello"],
    [308, "PUT", "PUT", "hello"],
    [302, "PUT", "PUT", "hello"],
  ])("%i makes of %s a %s", async (status, method, after, body) => {
    expect(await echoed(to("/echo", status), method)).toMatchObject({ method: after, body });
  });
});
