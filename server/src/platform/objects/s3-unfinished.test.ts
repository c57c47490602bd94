import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createS3Client } from "./s3-client.ts";
import { S3ObjectStore } from "./s3-store.ts";
import { abortUnfinished } from "./s3-unfinished.ts";

interface Upload {
  readonly key: string;
  readonly id: string;
  readonly begun: string;
}

const OLD = "2001-01-01T00:00:00.000Z";
const OURS = "store/organizations/o/";
const left = (key: string, id: string, begun = OLD): Upload => ({ key, id, begun });
const PLACED: readonly Upload[] = [
  left("else/organizations/o/x", "1"),
  left(`${OURS}a`, "2"),
  left(`${OURS}a`, "3"),
  left(`${OURS}b`, "4"),
  left(`${OURS}young`, "5", new Date().toISOString()),
  left("store/organizationsX", "6"),
  left("store/other", "7"),
];
const KEPT = ["1", "5", "6", "7"];

/** What each kind of server lists; all of them page as they like. */
const LISTS: Readonly<Record<string, (prefix: string) => (upload: Upload) => boolean>> = {
  "lists by prefix, as Amazon's does": (prefix) => (upload) => upload.key.startsWith(prefix),
  "lists a whole key, and all without one, as MinIO does": (prefix) => (upload) =>
    prefix === "" || upload.key === prefix,
  "takes no notice of a prefix": () => () => true,
};

let there: Upload[] = [];
let asked: string[] = [];
let shown: (prefix: string) => (upload: Upload) => boolean = () => () => true;
let isStuck = false;
let server: Server;
let store: S3ObjectStore;
let endpoint: string;

/** Two a page, from behind the markers on. */
function list(query: URLSearchParams): string {
  const [key, id] = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""];
  const listed = there.filter(shown(query.get("prefix") ?? ""));
  const from = isStuck ? 0 : listed.findIndex((upload) => upload.key === key && upload.id === id);
  const page = listed.slice(isStuck ? 0 : from + 1).slice(0, 2);
  const isCut = isStuck || from + 1 + page.length < listed.length;
  const last = page.at(-1);
  const next =
    last &&
    `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`;
  const uploads = page.map(
    (upload) =>
      `<Upload><Key>${upload.key}</Key><UploadId>${upload.id}</UploadId><Initiated>${upload.begun}</Initiated></Upload>`,
  );
  return `<ListMultipartUploadsResult><IsTruncated>${isCut}</IsTruncated>${isCut && next ? next : ""}${uploads.join("")}</ListMultipartUploadsResult>`;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? "", "http://s3");
    const id = searchParams.get("uploadId");
    if (request.method === "DELETE" && id !== null) {
      const key = decodeURIComponent(pathname.slice("/bucket/".length));
      there = there.filter((upload) => upload.key !== key || upload.id !== id);
      response.writeHead(204).end();
    } else if (searchParams.has("uploads")) {
      asked.push(searchParams.get("prefix") ?? "");
      response.writeHead(200, { "content-type": "application/xml" }).end(list(searchParams));
    } else response.writeHead(500).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  store = new S3ObjectStore(
    { kind: "s3", bucket: "bucket", prefix: "store", endpoint, forcePathStyle: true },
    createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials }),
  );
});
afterAll(async () => {
  await store.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  there = [...PLACED];
  asked = [];
  isStuck = false;
});

test.each(Object.entries(LISTS))(
  "old uploads of ours alone go where a server %s",
  async (_, by) => {
    shown = by;
    await store.removeAbandonedUploads("organizations/");
    expect(there.map(({ id }) => id)).toEqual(KEPT);
  },
);

test("a server that never says another place to go on from is not asked for ever", async () => {
  shown = () => () => true;
  isStuck = true;
  await store.removeAbandonedUploads("organizations/");
  expect(asked.length).toBeLessThan(6);
});

test("no prefix at all is refused, since others' uploads would go", async () => {
  const client = createS3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  await expect(abortUnfinished(client, "bucket", "", Date.now())).rejects.toThrow(RangeError);
  client.destroy();
});
