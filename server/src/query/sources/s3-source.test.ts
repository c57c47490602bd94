/** What of a server of the S3 API the contract cannot show: its faults, and what is sent to it. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { GuardedOutbound } from "../../platform/net/guarded-outbound.ts";
import type { SourceObject } from "./object-source.ts";
import { type S3Settings, S3Source } from "./s3-source.ts";
import { SourceChangedError, SourceError, SourceUrlError } from "./source-error.ts";

const { signal } = new AbortController();
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  answer(request, response);
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
const open = new GuardedOutbound({ allowPrivateNetwork: true });
const shut = new GuardedOutbound({ allowPrivateNetwork: false });
const sources: S3Source[] = [];
afterEach(async () => {
  asked.length = 0;
  for (const source of sources.splice(0)) await source.close();
});
afterAll(async () => {
  await Promise.all([open.close(), shut.close()]);
  server.closeAllConnections();
  server.close();
});

function sourceOf(settings: Partial<S3Settings> = {}, outbound = open): S3Source {
  const source = new S3Source(
    {
      url: "s3://bucket/logs",
      endpoint: `http://127.0.0.1:${port}`,
      region: null,
      pathStyle: null,
      credentials: { accessKeyId: "THEKEYID", secretAccessKey: "the-secret" },
      ...settings,
    },
    outbound,
  );
  sources.push(source);
  return source;
}

const listing = (entries: readonly string[]): string =>
  `<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated>${entries
    .map((key) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`)
    .join("")}</ListBucketResult>`;
const refused = (status: number, code: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>m</Message></Error>`);
/** A document that does not end. */
const endless =
  (status: number, beginning: string, more: string) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    const some = more.repeat(1_000);
    response.writeHead(status).write(beginning);
    const go = (): void => {
      while (!response.destroyed && response.write(some));
    };
    response.on("drain", go);
    go();
  };
const object: SourceObject = { key: "logs/a", bytes: 5, modifiedAt: new Date(0), version: '"e"' };

async function listed(source: S3Source, prefix = "logs/"): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of source.list(prefix, signal)) keys.push(key);
  return keys;
}

async function read(source: S3Source, of = object): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read(of, signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failure(work: Promise<unknown>): Promise<SourceError> {
  const error = await work.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof SourceError) return error;
  throw error;
}

describe("what is sent", () => {
  test("is signed with the connector's credentials, for its region", async () => {
    answer = (_, response) => response.end(listing([]));
    await listed(sourceOf({ region: "eu-west-1" }));
    expect(asked[0]?.headers.authorization).toMatch(/Credential=THEKEYID\/\d+\/eu-west-1\/s3\//);
    const sessionToken = "the-session";
    const credentials = { accessKeyId: "K", secretAccessKey: "S", sessionToken };
    await listed(sourceOf({ credentials }));
    expect(asked[1]?.headers["x-amz-security-token"]).toBe(sessionToken);
  });

  test("is unsigned without credentials, whatever the service's own environment holds", async () => {
    const environment = {
      AWS_ACCESS_KEY_ID: "OPERATOR",
      AWS_SECRET_ACCESS_KEY: "of-the-operator",
      AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1",
    };
    Object.assign(process.env, environment);
    try {
      answer = (_, response) => response.end(listing([]));
      await listed(sourceOf({ credentials: null }));
      expect(asked[0]?.headers.authorization).toBeUndefined();
      expect(JSON.stringify(asked[0]?.rawHeaders)).not.toMatch(/OPERATOR|amz-security/);
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name];
    }
  });

  test("names the bucket in the path where there is an endpoint, unless told", async () => {
    answer = (_, response) => response.end(listing([]));
    await listed(sourceOf());
    expect(asked[0]?.url).toMatch(/^\/bucket\/?\?.*prefix=logs%2F/);
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const named = new GuardedOutbound({ allowPrivateNetwork: true, resolve });
    const endpoint = `http://s3.example.com:${port}`;
    await listed(sourceOf({ endpoint, pathStyle: false }, named));
    expect(asked[1]?.headers.host).toBe(`bucket.s3.example.com:${port}`);
    await named.close();
  });

  test("asks for the version that was listed", async () => {
    answer = (_, response) => response.setHeader("etag", '"e"').end("hello");
    expect(await read(sourceOf())).toBe("hello");
    expect(asked[0]?.headers["if-match"]).toBe('"e"');
  });

  test("goes nowhere where the address may not be reached", async () => {
    const source = sourceOf({}, shut);
    expect((await failure(listed(source))).failure).toBe("forbidden-address");
    const endpoint = `http://localhost:${port}`;
    const named = await failure(source.head("logs/a", signal));
    expect(named.failure).toBe("forbidden-address");
    const byName = await failure(listed(sourceOf({ endpoint }, shut)));
    expect(byName.message).toMatch(/localhost resolves to .*loopback/);
    const metadata = { endpoint: "http://169.254.169.254" };
    expect((await failure(listed(sourceOf(metadata)))).failure).toBe("forbidden-address");
    expect(asked).toHaveLength(0);
  });
});

describe("the connector's prefix", () => {
  test("bounds what is listed, looked at and read", async () => {
    const source = sourceOf();
    answer = (_, response) => response.end(listing(["logs/a", "logs/b/c", "logs"]));
    expect(await listed(source)).toEqual(["logs/a", "logs/b/c", "logs"]);
    answer = (_, response) => response.end(listing(["logs", "logs-old/a", "logs/a"]));
    expect(await listed(source, "logs")).toEqual(["logs", "logs/a"]);
    await expect(listed(source, "")).rejects.toThrow(SourceUrlError);
    await expect(listed(source, "log")).rejects.toThrow(SourceUrlError);
    await expect(source.head("logs-old/a", signal)).rejects.toThrow(SourceUrlError);
    const url = "s3://bucket/logs-old/a";
    expect(() => source.keyOf(url)).toThrow(/gives access to s3:\/\/bucket\/logs\//);
    expect(sourceOf({ url: "s3://bucket" }).keyOf(url)).toBe("logs-old/a");
  });
});

describe("a server's faults", () => {
  test("are tried again, but not for ever", async () => {
    answer = refused(503, "SlowDown");
    const error = await failure(listed(sourceOf()));
    expect([error.failure, asked.length]).toEqual(["unreachable", 3]);
    answer = (request, response) =>
      asked.length < 6
        ? refused(500, "InternalError")(request, response)
        : response.end(listing([]));
    expect(await listed(sourceOf())).toEqual([]);
  });

  test("lists and refusals without end are left, and objects of their size are not", async () => {
    answer = endless(200, "<ListBucketResult>", "<Contents><Key>logs/a</Key></Contents>");
    expect((await failure(listed(sourceOf()))).failure).toBe("broken");
    answer = endless(403, "<Error><Code>AccessDenied</Code><Message>", "and so on, ".repeat(100));
    expect((await failure(read(sourceOf()))).failure).toBe("broken");
    expect(asked).toHaveLength(2);
    const bytes = 9 * 1024 * 1024;
    answer = (_, response) => response.setHeader("etag", '"e"').end("x".repeat(bytes));
    expect((await read(sourceOf(), { ...object, bytes })).length).toBe(bytes);
  });

  test("refused credentials are not", async () => {
    answer = refused(403, "InvalidAccessKeyId");
    const error = await failure(listed(sourceOf()));
    expect([error.failure, asked.length]).toEqual(["refused", 1]);
    expect(error.message).not.toContain("THEKEYID");
  });

  test("another version than was asked for is told, also by a server without If-Match", async () => {
    answer = refused(412, "PreconditionFailed");
    await expect(read(sourceOf())).rejects.toThrow(SourceChangedError);
    answer = refused(404, "NoSuchKey");
    await expect(read(sourceOf())).rejects.toThrow(SourceChangedError);
    answer = (_, response) => response.setHeader("etag", '"f"').end("hello");
    await expect(read(sourceOf())).rejects.toThrow(SourceChangedError);
    answer = refused(404, "NoSuchBucket");
    expect((await failure(read(sourceOf()))).failure).toBe("not-found");
  });

  test("an object that is not there is told from a bucket that is not", async () => {
    /** Answers to HEAD have no body. */
    const missing =
      (bucketStatus: number): typeof answer =>
      ({ url = "" }, response) =>
        void response.writeHead(url.startsWith("/bucket/logs/") ? 404 : bucketStatus).end();
    for (const status of [200, 403]) {
      answer = missing(status);
      expect(await sourceOf().head("logs/a", signal)).toBeNull();
    }
    answer = missing(404);
    const error = await failure(sourceOf().head("logs/a", signal));
    expect([error.failure, error.message]).toEqual([
      "not-found",
      expect.stringMatching(/has no bucket bucket\.$/),
    ]);
  });

  test("a body of another length, or one that breaks off, is never taken for whole", async () => {
    for (const body of ["hell", "hello!"]) {
      answer = (_, response) => response.setHeader("etag", '"e"').end(body);
      expect((await failure(read(sourceOf()))).failure).toBe("broken");
    }
    answer = (_, response) => {
      response.writeHead(200, { etag: '"e"', "content-length": "5" });
      response.write("he", () => response.destroy());
    };
    expect((await failure(read(sourceOf()))).failure).toBe("unreachable");
  });

  test("a body that breaks off goes on from there, and only of the version that was listed", async () => {
    const asked: (string | undefined)[] = [];
    answer = ({ headers }, response) => {
      const [from, to] = headers.range?.match(/\d+/g)?.map(Number) ?? [0, 4];
      asked.push(headers.range);
      const range = headers.range && { "content-range": `bytes ${from}-${to}/5` };
      const length = { "content-length": 5 - from };
      response.writeHead(range ? 206 : 200, { etag: '"e"', ...range, ...length });
      response.write("hello".slice(from, from + 2), () => response.destroy());
    };
    const pieces = [];
    for await (const piece of sourceOf().read(object, signal)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe("hello");
    expect(asked).toEqual([undefined, "bytes=2-4", "bytes=4-4"]);
  });

  test("a range of another length, or that breaks off, is never taken for whole", async () => {
    const range = async () => {
      const chunks = sourceOf().readRange(object, { offset: 1, length: 3 }, signal);
      for await (const _ of chunks);
    };
    const asRange = { etag: '"e"', "content-range": "bytes 1-3/5" };
    for (const body of ["el", "ello", "hello"]) {
      for (const headers of [{ connection: "close" }, { "content-length": body.length }]) {
        answer = (_, response) => response.writeHead(206, { ...asRange, ...headers }).end(body);
        expect((await failure(range())).message).toMatch(
          /with a length other than the one it announced/,
        );
      }
    }
    for (const headers of [{ "content-length": 3 }, { "transfer-encoding": "chunked" }]) {
      answer = (_, response) => {
        response.writeHead(206, { ...asRange, ...headers });
        response.write("el", () => response.destroy());
      };
      expect((await failure(range())).failure).toBe("unreachable");
    }
    answer = (_, response) =>
      response.writeHead(206, { etag: '"e"', "content-range": "bytes 0-2/5" }).end("hel");
    expect((await failure(range())).failure).toBe("broken");
  });

  test.each(["-5", "abc", "8.5", "9000000000000000"])(
    "an object of %s bytes is a fault",
    async (size) => {
      answer = (_, response) =>
        response.end(listing(["logs/a"]).replace("<Size>1</Size>", `<Size>${size}</Size>`));
      const error = await failure(listed(sourceOf()));
      expect(error.failure).toBe("broken");
      expect(error.message).toMatch(/logs\/a has .* bytes, which no object has|does not answer as/);
    },
  );

  test("an object without a version, and what is no listing, are faults", async () => {
    answer = (_, response) =>
      response.end(
        "<ListBucketResult><Name>b</Name><Contents><Key>logs/a</Key></Contents></ListBucketResult>",
      );
    expect((await failure(listed(sourceOf()))).failure).toBe("broken");
    for (const text of ["<html></html>", "{}", ""]) {
      answer = (_, response) => response.end(text);
      expect((await failure(listed(sourceOf()))).failure).toBe("broken");
    }
  });

  test("causes hold nothing that the server wrote or was sent", async () => {
    answer = refused(403, "THEKEYID the-secret");
    const error = await failure(listed(sourceOf()));
    expect(String(error.cause)).toBe("Error: ?, status 403");
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/THEKEYID|the-secret/);
  });
});

test("caches of sources with other credentials are others", () => {
  const scopes = [
    sourceOf(),
    sourceOf({ credentials: null }),
    sourceOf({ credentials: { accessKeyId: "THEKEYID", secretAccessKey: "other" } }),
    sourceOf({ endpoint: "https://elsewhere.example.com" }),
    sourceOf({ region: "eu-west-1" }),
  ].map(({ cacheScope }) => cacheScope);
  expect(new Set(scopes).size).toBe(scopes.length);
  expect(sourceOf().cacheScope).toBe(scopes[0]);
  expect(scopes.join()).not.toMatch(/THEKEYID|the-secret/);
});
