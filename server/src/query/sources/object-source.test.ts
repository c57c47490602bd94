/**
 * The contract of an object source, run on files, on s3rver, and on the server that
 * `DISTILLERY_TEST_S3_URL` names (the form of OBJECT_STORE_URL, credentials by the environment).
 */
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../platform/config.ts";
import { GuardedOutbound } from "../../platform/net/guarded-outbound.ts";
import { createS3Client } from "../../platform/objects/s3-client.ts";
import { S3Service } from "../../testing/s3-service.ts";
import { FileSource } from "./file-source.ts";
import type { ObjectSource, SourceObject } from "./object-source.ts";
import { S3Source } from "./s3-source.ts";
import { SourceChangedError, SourceUrlError } from "./source-error.ts";

/** A source with the other end in the test's hands. */
interface Place {
  readonly source: ObjectSource;
  /** The source's own URL, ending in a slash. */
  readonly url: string;
  put(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
afterAll(() => outbound.close());

async function openFiles(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "distillery-source-"));
  const root = join(folder, "a root");
  await mkdir(root);
  const url = `file://${folder}/a%20root/`;
  return {
    source: await FileSource.open(url, [folder]),
    url,
    put: async (key, text) => {
      await mkdir(dirname(join(root, key)), { recursive: true });
      await writeFile(join(root, key), text);
    },
    remove: (key) => rm(join(root, key)),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function openS3(
  objectStoreUrl: string,
  accessKeyId: string,
  secretAccessKey: string,
): Promise<Place> {
  const { objectStore } = parseConfig({ OBJECT_STORE_URL: objectStoreUrl });
  if (objectStore.kind !== "s3") throw new Error("the URL names no bucket");
  const { bucket, endpoint = null, region = null } = objectStore;
  const credentials = { accessKeyId, secretAccessKey };
  const client = createS3Client({
    ...(endpoint !== null && { endpoint }),
    region: region ?? "us-east-1",
    forcePathStyle: objectStore.forcePathStyle,
    credentials,
  });
  const prefix = `${randomUUID()}/a root`;
  const url = `s3://${bucket}/${prefix.replace(" ", "%20")}/`;
  const at = (key: string) => ({ Bucket: bucket, Key: `${prefix}/${key}` });
  return {
    source: new S3Source(
      { url, endpoint, region, pathStyle: objectStore.forcePathStyle, credentials },
      outbound,
    ),
    url,
    put: async (key, text) => {
      await client.send(new PutObjectCommand({ ...at(key), Body: Buffer.from(text) }));
    },
    remove: async (key) => {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    close: async () => client.destroy(),
  };
}

const { signal } = new AbortController();

async function collect(objects: AsyncIterable<SourceObject>): Promise<SourceObject[]> {
  const found: SourceObject[] = [];
  for await (const object of objects) found.push(object);
  return found;
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

/** @param faithful false for s3rver, which lists by folder */
function contract(name: string, open: () => Promise<Place>, faithful = true): void {
  describe(name, () => {
    let place: Place;
    let source: ObjectSource;
    let base: string;
    beforeAll(async () => {
      place = await open();
      ({ source } = place);
      base = source.keyOf(place.url);
    });
    afterAll(async () => {
      await source.close();
      await place.close();
    });
    const listed = (key: string) => collect(source.list(base + key, signal));
    const mustHead = async (key: string): Promise<SourceObject> => {
      const object = await source.head(base + key, signal);
      if (object === null) throw new Error(`${key} is not there`);
      return object;
    };

    test("URLs stand for keys, decoded, their last slash kept", () => {
      expect(place.url.startsWith(source.identity)).toBe(true);
      expect(source.keyOf(`${place.url}a/b%20c.csv`)).toBe(`${base}a/b c.csv`);
      expect(source.keyOf(`${place.url}a/`)).toBe(`${base}a/`);
      expect(source.keyOf(`${place.url}größe%3F=1`)).toBe(`${base}größe?=1`);
    });

    test.each([
      "../x",
      "a/../../x",
      "%2e%2e/x",
      "a/%2E%2e/%2e%2E/x",
      ".",
      "a/./b",
      "a%2fb",
      "a%2F..%2Fb",
      "a\\b",
      "a%5c..%5cb",
      "a%00b",
      "a\0b",
      "a\nb",
      "100%",
      "%ff",
      "a?b",
      "a#b",
    ])("%j leads nowhere", (path) => {
      expect(() => source.keyOf(place.url + path)).toThrow(SourceUrlError);
    });

    test.each([
      (url: string) => url.slice(0, -3),
      (url: string) => `${url.slice(0, -1)}-beside/x`,
      (url: string) => url.replace("://", "://user:password@"),
      (url: string) => url.replace(/^\w+:/, "https:"),
      (url: string) => url.replace(/^\w+:\/\/[^/]*/, "s3://another-bucket"),
      (url: string) => url.replace(/^\w+:\/\/[^/]*/, "file://host"),
      () => "",
      () => "relative/path",
    ])("a URL that is not of the source is refused (%#)", (change) => {
      expect(() => source.keyOf(change(place.url))).toThrow(SourceUrlError);
    });

    test("tells of an object", async () => {
      const before = Date.now();
      await place.put("told/one.csv", "hello");
      const object = await mustHead("told/one.csv");
      expect(object).toMatchObject({ key: `${base}told/one.csv`, bytes: 5 });
      expect(Math.abs(object.modifiedAt.getTime() - before)).toBeLessThan(60_000);
      expect(object.version).not.toBe("");
      expect(await listed("told/one.csv")).toEqual([object]);
      expect(await source.head(`${base}told/two.csv`, signal)).toBeNull();
      expect(await source.head(`${base}told`, signal)).toBeNull();
      expect(await source.head(`${base}told/`, signal)).toBeNull();
      expect(await source.head(`${base}told/one.csv/below`, signal)).toBeNull();
    });

    test("lists by prefix, in byte order", async () => {
      const names = ["a.csv", "a/2/y", "a/1/x", "a/1/z", "a-b/x", "ab", "b/größe", "b/ÿ", "b/😀"];
      for (const key of names) await place.put(`listed/${key}`, key);
      const below = async (prefix: string) =>
        (await listed(`listed/${prefix}`)).map(({ key }) => key.slice(`${base}listed/`.length));
      const sorted = (keys: readonly string[]) =>
        [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const all = await below("");
      expect(faithful ? all : sorted(all)).toEqual(sorted(names));
      const few = await below("a");
      expect(faithful ? few : sorted(few)).toEqual(
        sorted(names.filter((key) => key.startsWith("a"))),
      );
      expect(await below("a/1/")).toEqual(["a/1/x", "a/1/z"]);
      expect(await below("a/1")).toEqual(["a/1/x", "a/1/z"]);
      expect(await below("c")).toEqual([]);
      expect(await below("ab/")).toEqual([]);
    });

    test("reads exactly the version that was listed", async () => {
      await place.put("read", "x".repeat(700_000));
      const first = await mustHead("read");
      expect(await textOf(source.read(first, signal))).toHaveLength(700_000);
      await place.put("read", "y".repeat(700_000));
      await expect(textOf(source.read(first, signal))).rejects.toThrow(SourceChangedError);
      const second = await mustHead("read");
      expect(second.version).not.toBe(first.version);
      expect(await textOf(source.read(second, signal))).toBe("y".repeat(700_000));
      await place.remove("read");
      await expect(textOf(source.read(second, signal))).rejects.toThrow(SourceChangedError);
    });

    test("reads an empty object, and ranges", async () => {
      await place.put("empty", "");
      expect(await textOf(source.read(await mustHead("empty"), signal))).toBe("");
      if (source.readRange === undefined) throw new Error("both sources have ranges");
      await place.put("range", "0123456789");
      const object = await mustHead("range");
      const range = async (offset: number, length: number) =>
        textOf(source.readRange!(object, { offset, length }, signal));
      expect(await range(0, 4)).toBe("0123");
      expect(await range(6, 4)).toBe("6789");
      expect(await range(3, 0)).toBe("");
      await place.put("range", "9876543210!");
      await expect(range(0, 4)).rejects.toThrow(SourceChangedError);
    });

    test("keys that lead out are refused, whoever made them", async () => {
      for (const key of ["../out", "a/../../out", "/etc/passwd"]) {
        const outside = source.identity === "file://" ? key : key.replace(/^(a\/)?\/?/, "x/");
        await expect(source.head(outside, signal)).rejects.toThrow(SourceUrlError);
        await expect(collect(source.list(`${outside}/`, signal))).rejects.toThrow(SourceUrlError);
        const object = { key: outside, bytes: 1, modifiedAt: new Date(0), version: "v" };
        await expect(textOf(source.read(object, signal))).rejects.toThrow(SourceUrlError);
      }
    });

    test("ends with the reason of whoever stops it", async () => {
      await place.put("stopped", "x".repeat(2_000_000));
      const object = await mustHead("stopped");
      const reason = new Error("enough");
      const stopped = AbortSignal.abort(reason);
      await expect(source.head(object.key, stopped)).rejects.toBe(reason);
      await expect(collect(source.list(base, stopped))).rejects.toBe(reason);
      await expect(textOf(source.read(object, stopped))).rejects.toBe(reason);
      const later = new AbortController();
      const reading = async () => {
        for await (const _ of source.read(object, later.signal)) later.abort(reason);
      };
      await expect(reading()).rejects.toBe(reason);
    });
  });
}

contract("files", openFiles);

let s3rver: S3Service | undefined;
afterAll(() => s3rver?.remove());
contract(
  "s3rver",
  async () => {
    s3rver = await S3Service.create();
    return await openS3(s3rver.url("ignored"), "S3RVER", "S3RVER");
  },
  false,
);

const named = process.env["DISTILLERY_TEST_S3_URL"];
describe.skipIf(!named)("a server of the S3 API", () => {
  const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
  contract("as named", () => openS3(named ?? "", AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY));

  test("refuses credentials that are not its own", async () => {
    for (const [id, secret] of [
      ["nobody", AWS_SECRET_ACCESS_KEY],
      [AWS_ACCESS_KEY_ID, "not the secret"],
    ] as const) {
      const { source, url } = await openS3(named ?? "", id, secret);
      const listing = collect(source.list(source.keyOf(url), signal));
      await expect(listing).rejects.toMatchObject({ name: "SourceError", failure: "refused" });
      await source.close();
    }
  });
});
