/**
 * The contract of an object store, run on files, on s3rver, and on the server that
 * `DISTILLERY_TEST_S3_URL` names (the form of OBJECT_STORE_URL), whose faithfulness s3rver lacks.
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../config.ts";
import { FileObjectStore } from "./file-store.ts";
import {
  ObjectNotFoundError,
  type ObjectStore,
  ObjectStoreUnavailableError,
  readAll,
  readText,
  type StoreFailure,
} from "./object-store.ts";
import { createS3Client } from "./s3-client.ts";
import { S3ObjectStore } from "./s3-store.ts";
import { ObjectUrlSigner } from "./signed-url.ts";

const folder = await mkdtemp(join(tmpdir(), "distillery-objects-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const signer = new ObjectUrlSigner(randomBytes(32));

let s3rver: S3rver | undefined;
afterAll(() => s3rver?.close());

async function openS3rver(): Promise<ObjectStore> {
  s3rver = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: join(folder, "s3rver"),
    configureBuckets: [{ name: "bucket" }],
  });
  const { port } = await s3rver.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const location = {
    kind: "s3",
    bucket: "bucket",
    prefix: "some/prefix",
    endpoint,
    forcePathStyle: true,
  } as const;
  return new S3ObjectStore(location, client);
}

async function openNamed(url: string): Promise<ObjectStore> {
  const { objectStore } = parseConfig({ OBJECT_STORE_URL: url });
  if (objectStore.kind !== "s3") throw new Error("DISTILLERY_TEST_S3_URL names no bucket");
  return new S3ObjectStore({ ...objectStore, prefix: `${objectStore.prefix}/${randomUUID()}` });
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function* pieces(count: number, size: number, fail = false): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield new Uint8Array(size).fill(index);
  if (fail) throw new Error("the sender went away");
}

async function keys(store: ObjectStore, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found;
}

/** A server of which every answer to GET breaks off, as `respond` has it. */
async function openBreaking(respond: (request: IncomingMessage, socket: Socket) => void) {
  const server = createServer((request) => respond(request, request.socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const location = { kind: "s3", bucket: "bucket", prefix: "", forcePathStyle: true } as const;
  const store = new S3ObjectStore(
    location,
    createS3Client(
      {
        endpoint: `http://127.0.0.1:${port}`,
        region: "us-east-1",
        forcePathStyle: true,
        credentials: { accessKeyId: "id", secretAccessKey: "secret" },
      },
      1000,
    ),
  );
  return {
    store,
    close: async () => {
      await store.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("an object that breaks off is never taken for whole", () => {
  const HEAD = 'HTTP/1.1 200 OK\r\netag: "e"\r\n';
  test.each([
    ["announced", `${HEAD}content-length: 10\r\n\r\nabcde`],
    ["chunked", `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n`],
    ["ended by its connection alone", `${HEAD}connection: close\r\n\r\nabcde`],
  ])("%s", async (_, sent) => {
    const { store, close } = await openBreaking((request, socket) => {
      const said = `${HEAD}content-length: 10\r\nconnection: close\r\n\r\n`;
      socket.end(request.method === "HEAD" ? said : sent);
    });
    await expect(readAll(store.get("key"))).rejects.toThrow(ObjectStoreUnavailableError);
    const range = { offset: 2, length: 8 };
    await expect(readAll(store.get("key", { range }))).rejects.toThrow(ObjectStoreUnavailableError);
    await close();
  });

  test.each([undefined, { offset: 1, length: 8 }])(
    "and goes on where it broke off, of %j",
    async (range) => {
      const asked: (string | undefined)[] = [];
      const { store, close } = await openBreaking(({ headers }, socket) => {
        asked.push(`${headers.range} ${headers["if-match"]}`);
        const [, from, to = "9"] = /=(\d+)-(\d+)?/.exec(headers.range ?? "") ?? ["", "0"];
        const rest = "0123456789".slice(Number(from), Number(to) + 1);
        const says = `content-range: bytes ${from}-${to}/10\r\ncontent-length: ${rest.length}`;
        socket.end(
          `HTTP/1.1 206 Partial Content\r\netag: "e"\r\n${says}\r\n\r\n${rest.slice(0, 3)}`,
        );
      });
      const read = await readText(store.get("key", range ? { range } : {}));
      expect(read).toBe(range ? "12345678" : "0123456789");
      expect(asked).toEqual(
        range
          ? ["bytes=1-8 undefined", 'bytes=4-8 "e"', 'bytes=7-8 "e"']
          : ["undefined undefined", 'bytes=3- "e"', 'bytes=6- "e"', 'bytes=9- "e"'],
      );
      await close();
    },
  );

  test("is not pieced together of two that had one key", async () => {
    const { store, close } = await openBreaking(({ headers }, socket) => {
      const isRest = headers.range !== undefined;
      const status = isRest ? "412 Precondition Failed" : "200 OK";
      socket.end(`HTTP/1.1 ${status}\r\netag: "e"\r\ncontent-length: 10\r\n\r\nabcde`);
    });
    await expect(readAll(store.get("key"))).rejects.toThrow(ObjectStoreUnavailableError);
    await close();
  });

  test("a file that became shorter under its reader", async () => {
    const home = join(folder, "shrinking");
    const store = await FileObjectStore.open(home, signer);
    await store.put("key", new Uint8Array(1 << 20));
    const reader = store.get("key")[Symbol.asyncIterator]();
    await reader.next();
    await truncate(join(home, "objects", "key"), 300_000);
    const rest = async () => {
      for (let step = await reader.next(); !step.done; step = await reader.next());
    };
    await expect(rest()).rejects.toThrow(/shorter/);
    await store.close();
  });
});

describe("a server of the S3 API that is not there", () => {
  const location = {
    kind: "s3",
    bucket: "bucket",
    prefix: "",
    endpoint: "http://127.0.0.1:1",
    forcePathStyle: true,
  } as const;
  const store = new S3ObjectStore(
    location,
    new S3Client({
      endpoint: location.endpoint,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    }),
  );
  afterAll(() => store.close());

  test.each(["of an authority that nobody knows", "that speaks no TLS"])(
    "nor one %s",
    async (kind) => {
      const pem = (name: string) =>
        readFile(new URL(`../../testing/tls/${name}.pem`, import.meta.url));
      const plain = createServer((_, response) => response.end());
      const server =
        kind === "that speaks no TLS"
          ? plain
          : createTlsServer({ key: await pem("localhost-key"), cert: await pem("localhost") });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const endpoint = `https://localhost:${port}`;
      const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
      const other = new S3ObjectStore(
        { ...location, endpoint },
        createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials }),
      );
      await expect(other.put("key", bytes("hello"))).rejects.toMatchObject({ failure: "away" });
      await expect(other.check()).rejects.toMatchObject({ failure: "away" });
      await other.close();
      server.close();
    },
  );

  test.each<[string, () => Promise<unknown>]>([
    ["check", () => store.check()],
    ["put", () => store.put("key", bytes("hello"))],
    ["get", () => readAll(store.get("key"))],
    ["head", () => store.head("key")],
    ["delete", () => store.delete("key")],
  ])("%s says so", async (_, act) => {
    await expect(act()).rejects.toThrow(ObjectStoreUnavailableError);
  });
});

describe("a server of the S3 API that refuses the service, or has no room", () => {
  let answer: readonly [status: number, code: string] = [403, "AccessDenied"];
  let server: Server;
  let store: S3ObjectStore;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      const [status, code] = answer;
      response.writeHead(status, { "content-type": "application/xml" });
      const body = `<Error><Code>${code}</Code><Message>secret</Message></Error>`;
      response.end(request.method === "HEAD" ? undefined : body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
    store = new S3ObjectStore(
      { kind: "s3", bucket: "bucket", prefix: "", endpoint, forcePathStyle: true },
      createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials }),
    );
  });
  afterAll(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  const acts: Readonly<Record<string, () => Promise<unknown>>> = {
    check: () => store.check(),
    put: () => store.put("key", bytes("hello")),
    "put of parts": () => store.put("key", pieces(10, 1 << 20)),
    get: () => readAll(store.get("key")),
    head: () => store.head("key"),
    list: () => keys(store, "folder/"),
    delete: () => store.delete("key"),
  };

  test.each(Object.keys(acts))("%s says that it is refused", async (name) => {
    answer = [403, "AccessDenied"];
    const refused = acts[name]?.();
    await expect(refused).rejects.toMatchObject({ failure: "refusing" });
    await expect(refused).rejects.not.toThrow(/secret/);
  });

  test.each([
    [404, "NoSuchBucket"],
    [400, "AuthorizationHeaderMalformed"],
  ])("a check says so too, of a HEAD that is answered %i without a body", async (...given) => {
    answer = given;
    await expect(store.check()).rejects.toMatchObject({ failure: "refusing" });
  });

  test.each<[number, string, StoreFailure]>([
    [507, "XMinioStorageFull", "full"],
    [403, "QuotaExceeded", "full"],
    [400, "XMinioAdminBucketQuotaExceeded", "full"],
    [404, "NoSuchBucket", "refusing"],
    [404, "XAdminUserNotFound", "refusing"],
    [400, "AuthorizationHeaderMalformed", "refusing"],
    [503, "SlowDown", "away"],
  ])("%i %s", async (status, code, failure) => {
    answer = [status, code];
    await expect(acts["put"]?.()).rejects.toMatchObject({ failure });
    await expect(acts["get"]?.()).rejects.toMatchObject({ failure });
  });
});

describe("a server of the S3 API that fails within what it answers", () => {
  const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>${body}`;
  let server: Server;
  let store: S3ObjectStore;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        const { method, url = "" } = request;
        const say = (status: number, body = ""): void => {
          response.writeHead(status, { "content-type": "application/xml", etag: '"e"' });
          response.end(body);
        };
        if (method === "PUT") say(200);
        else if (method === "GET" && /[?&]uploads/.test(url)) {
          const upload = "<Key>folder/key</Key><UploadId>u</UploadId>";
          const begun = "<Initiated>2001-01-01T00:00:00.000Z</Initiated>";
          const listed = `<Upload>${upload}${begun}</Upload><IsTruncated>false</IsTruncated>`;
          say(200, xml(`<ListMultipartUploadsResult>${listed}</ListMultipartUploadsResult>`));
        } else if (/[?&]uploads/.test(url)) {
          const upload = "<Bucket>bucket</Bucket><Key>key</Key><UploadId>u</UploadId>";
          say(200, xml(`<InitiateMultipartUploadResult>${upload}</InitiateMultipartUploadResult>`));
        } else if (/[?&]uploadId/.test(url)) {
          say(404, xml("<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>"));
        } else if (/[?&]delete/.test(url)) {
          const error = "<Key>folder/key</Key><Code>SlowDown</Code><Message>later</Message>";
          say(200, xml(`<DeleteResult><Error>${error}</Error></DeleteResult>`));
        } else {
          const listed = "<Contents><Key>folder/key</Key><Size>1</Size></Contents>";
          const name = "<Name>bucket</Name><IsTruncated>false</IsTruncated>";
          say(200, xml(`<ListBucketResult>${name}${listed}</ListBucketResult>`));
        }
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
    store = new S3ObjectStore(
      { kind: "s3", bucket: "bucket", prefix: "", endpoint, forcePathStyle: true },
      createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials }),
    );
  });
  afterAll(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  test("an upload that it no longer knows, since the answer to its end was lost, may be tried again", async () => {
    await expect(store.put("key", pieces(10, 1 << 20))).rejects.toMatchObject({ failure: "away" });
  });

  test("an abandoned upload that another process aborts first is no fault", async () => {
    await expect(store.removeAbandonedUploads("folder/")).resolves.toBeUndefined();
  });

  test("keys that it has no time to delete", async () => {
    await expect(store.deletePrefix("folder/")).rejects.toMatchObject({ failure: "away" });
  });
});

test("what answers all alike, such as a page to sign in at, has kept nothing and has nothing", async () => {
  const { store, close } = await openBreaking((request, socket) => {
    const page = "<html>Welcome</html>";
    const said = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n`;
    request.resume().on("end", () => socket.write(request.method === "HEAD" ? said : said + page));
  });
  const acts = [
    store.put("key", bytes("hello")),
    store.put("key", pieces(10, 1 << 20)),
    readAll(store.get("key")),
    store.head("key"),
    keys(store, "folder/"),
  ];
  for (const outcome of await Promise.allSettled(acts)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { failure: "away" } });
  }
  await close();
});

describe("a server of the S3 API that takes requests and never answers", () => {
  let server: Server;
  let store: S3ObjectStore;
  let asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
    store = new S3ObjectStore(
      { kind: "s3", bucket: "bucket", prefix: "", endpoint, forcePathStyle: true },
      createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials }, 100),
    );
  });
  afterAll(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  test.each<[string, () => Promise<unknown>]>([
    ["check", () => store.check()],
    ["put", () => store.put("key", bytes("hello"))],
    ["put of parts", () => store.put("key", pieces(10, 1 << 20))],
    ["get", () => readAll(store.get("key"))],
    ["head", () => store.head("key")],
    ["list", () => keys(store, "folder/")],
    ["delete", () => store.delete("key")],
  ])("%s ends as if it were not there, after one wait", async (_, act) => {
    asked = [];
    await expect(act()).rejects.toThrow(ObjectStoreUnavailableError);
    expect(asked).toHaveLength(1);
  });

  test("one that falls silent within an object", async () => {
    const { store: silent, close } = await openBreaking((request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: 10\r\n\r\n`);
      if (request.method === "GET") socket.write("abcde");
    });
    await expect(readAll(silent.get("key"))).rejects.toThrow(ObjectStoreUnavailableError);
    await close();
  });
});

/** @param faithful false for s3rver, which lists by folder and tears objects that are replaced */
function contract(name: string, open: () => Promise<ObjectStore>, faithful = true): void {
  describe(name, () => {
    let store: ObjectStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test("can be reached", async () => {
      await expect(store.check()).resolves.toBeUndefined();
    });

    test("gives back what was put, with its size and hash", async () => {
      const stored = await store.put("a/b.txt", bytes("hello"), { contentType: "text/plain" });
      expect(stored).toEqual({
        bytes: 5,
        sha256: createHash("sha256").update("hello").digest("hex"),
      });
      expect(await readText(store.get("a/b.txt"))).toBe("hello");
      expect(await store.head("a/b.txt")).toMatchObject({ key: "a/b.txt", bytes: 5 });
    });

    test("keeps an empty object", async () => {
      expect(await store.put("empty", new Uint8Array(0))).toMatchObject({ bytes: 0 });
      expect(await readAll(store.get("empty"))).toHaveLength(0);
      expect(await store.head("empty")).toMatchObject({ bytes: 0 });
    });

    test("streams what is larger than its parts", async () => {
      const expected = createHash("sha256");
      for await (const piece of pieces(20, 1_000_003)) expected.update(piece);
      const digest = expected.digest("hex");
      expect(await store.put("large", pieces(20, 1_000_003))).toEqual({
        bytes: 20 * 1_000_003,
        sha256: digest,
      });
      const read = createHash("sha256");
      for await (const piece of store.get("large")) read.update(piece);
      expect(read.digest("hex")).toBe(digest);
    });

    test("names the folders right below a folder", async () => {
      const names = async (prefix: string) => {
        const found: string[] = [];
        for await (const name of store.listFolders(prefix)) found.push(name);
        return found.toSorted();
      };
      for (const key of ["plain", "a/1", "a/x/1", "a/x/2", "ab/y/z/1", "b/1"]) {
        await store.put(`tree/${key}`, bytes("x"));
      }
      expect(await names("tree/")).toEqual(["a", "ab", "b"]);
      expect(await names("tree/a/")).toEqual(["x"]);
      expect(await names("tree/b/")).toEqual([]);
      expect(await names("no/such/folder/")).toEqual([]);
    });

    test("replaces, and a source that fails changes nothing", async () => {
      await store.put("replaced", bytes("one"));
      await store.put("replaced", bytes("two"));
      for (const size of [10, 2_000_000]) {
        await expect(store.put("replaced", pieces(10, size, true))).rejects.toThrow("went away");
        await expect(store.put("never", pieces(10, size, true))).rejects.toThrow("went away");
      }
      expect(await readText(store.get("replaced"))).toBe("two");
      expect(await store.head("never")).toBeNull();
      expect(await keys(store, "never")).toEqual([]);
    });

    test("reads ranges, also past the end", async () => {
      await store.put("range", bytes("0123456789"));
      const read = (offset: number, length?: number) =>
        readText(
          store.get("range", { range: { offset, ...(length !== undefined && { length }) } }),
        );
      expect(await read(2, 3)).toBe("234");
      expect(await read(7)).toBe("789");
      expect(await read(8, 100)).toBe("89");
      expect(await read(10)).toBe("");
      expect(await read(3, 0)).toBe("");
    });

    test("a missing object is not there, under any operation", async () => {
      await expect(readAll(store.get("missing"))).rejects.toThrow(ObjectNotFoundError);
      const range = { offset: 0, length: 0 };
      await expect(readAll(store.get("missing", { range }))).rejects.toThrow(ObjectNotFoundError);
      expect(await store.head("missing")).toBeNull();
      await expect(store.delete("missing")).resolves.toBeUndefined();
      await expect(store.deletePrefix("missing/")).resolves.toBeUndefined();
    });

    test("lists by text prefix, in byte order of keys", async () => {
      const put = ["l/b", "l/a/2", "l/a/10", "l/a-b", "l/a.c", "l/ä", "l/Z", "m/x", "l/a b+c&d%20"];
      for (const key of put) await store.put(key, bytes(key));
      const sorted = (list: string[]) =>
        list.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const listed = async (prefix: string) =>
        faithful ? await keys(store, prefix) : sorted(await keys(store, prefix));
      expect(await listed("l/")).toEqual(sorted(put.filter((key) => key.startsWith("l/"))));
      expect(await listed("l/a")).toEqual(sorted(put.filter((key) => key.startsWith("l/a"))));
      expect(await listed("l/a/")).toEqual(["l/a/10", "l/a/2"]);
      expect(await keys(store, "nothing/")).toEqual([]);
      for (const key of put) expect(await readText(store.get(key))).toBe(key);
    });

    test("deletes one, or a folder and nothing beside it", async () => {
      for (const key of ["d/one", "d/two/x", "d/two/y/z", "d/twofold"]) {
        await store.put(key, bytes(key));
      }
      await store.delete("d/one");
      await store.deletePrefix("d/two/");
      expect(await keys(store, "d/")).toEqual(["d/twofold"]);
    });

    test.each([
      "",
      "/a",
      "a/",
      "a//b",
      "..",
      "a/../b",
      "./a",
      "a\\b",
      "a\nb",
      "a\0b",
      "x".repeat(1001),
      `${"x".repeat(256)}`,
      "\ud800",
    ])("refuses the key %j", async (key) => {
      await expect(store.put(key, bytes("x"))).rejects.toThrow(RangeError);
      await expect(readAll(store.get(key))).rejects.toThrow(RangeError);
      await expect(store.head(key)).rejects.toThrow(RangeError);
      await expect(store.delete(key)).rejects.toThrow(RangeError);
      await expect(store.deletePrefix(`${key}/`)).rejects.toThrow(RangeError);
    });

    test.runIf(faithful)(
      "an object can be read while it is replaced, as one or the other",
      async () => {
        const versions = [new Uint8Array(300_000).fill(1), new Uint8Array(300_000).fill(2)];
        await store.put("busy", versions[0]!);
        const reading = Array.from({ length: 10 }, () => readAll(store.get("busy")));
        await store.put("busy", versions[1]!);
        for (const content of await Promise.all(reading)) {
          expect(content).toHaveLength(300_000);
          expect(new Set(content).size).toBe(1);
        }
      },
    );

    test("ending the iteration early releases the object", async () => {
      await store.put("early", pieces(5, 1_000_000));
      for await (const piece of store.get("early")) {
        expect(piece.byteLength).toBeGreaterThan(0);
        break;
      }
      await store.delete("early");
      expect(await store.head("early")).toBeNull();
    });
  });
}

contract("files", () => FileObjectStore.open(join(folder, "files"), signer));
contract("s3rver", openS3rver, false);

const named = process.env["DISTILLERY_TEST_S3_URL"];
if (named !== undefined) contract("the server of DISTILLERY_TEST_S3_URL", () => openNamed(named));
else test.skip("a real S3 server: DISTILLERY_TEST_S3_URL is not set", () => undefined);

test("S3: a presigned URL gives the object under its file name", async () => {
  const store = await openS3rver();
  await store.put("models/m 1/card.json", bytes("{}"));
  const url = await store.presign("models/m 1/card.json", {
    expiresInSeconds: 900,
    fileName: "card – 1.json",
    baseUrl: "http://ignored",
  });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("{}");
  expect(response.headers.get("content-disposition")).toContain("card%20%E2%80%93%201.json");
  await store.close();
});

describe("files", () => {
  test("what a killed process left half written is swept, what a live one writes is not", async () => {
    const place = join(folder, "swept");
    const store = await FileObjectStore.open(place, signer);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      yield bytes("a");
      await gate;
      yield bytes("b");
    }
    const put = store.put("slow", slow());
    const incoming = join(place, "incoming");
    const written = async () => (await readdir(incoming, { recursive: true })).length;
    while ((await written()) < 2) await Promise.resolve();
    // A container's process has the number that the one before it had.
    const left = join(incoming, `${process.pid}-left`);
    await writeFile(left, "half");
    const again = await FileObjectStore.open(place, signer);
    await again.removeAbandonedUploads("organizations/", 60);
    expect(await readdir(incoming)).toContain(`${process.pid}-left`);
    const before = new Date(Date.now() - 61_000);
    await utimes(left, before, before);
    await again.removeAbandonedUploads("organizations/", 60);
    expect(await readdir(incoming)).not.toContain(`${process.pid}-left`);
    release();
    await put;
    expect(await readText(again.get("slow"))).toBe("ab");
    await again.close();
    await store.close();
    expect(await readdir(incoming)).toEqual([]);
  });

  test("a key cannot be both an object and a folder", async () => {
    const store = await FileObjectStore.open(join(folder, "both"), signer);
    await store.put("a", bytes("a"));
    await expect(store.put("a/b", bytes("b"))).rejects.toThrow(/both an object and a folder/);
    await store.put("c/d", bytes("d"));
    await expect(store.put("c", bytes("c"))).rejects.toThrow(/both an object and a folder/);
    expect(await store.head("c")).toBeNull();
    await store.delete("c");
    expect(await readText(store.get("c/d"))).toBe("d");
  });

  test("puts and deletes of one folder at once lose nothing", async () => {
    const store = await FileObjectStore.open(join(folder, "race"), signer);
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await store.put(`f/g/${index}`, bytes(String(index)));
        if (index % 2 === 1) await store.delete(`f/g/${index}`);
      }),
    );
    expect(await keys(store, "f/")).toHaveLength(20);
  });
});
