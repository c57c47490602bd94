/** An object that is replaced between the list and each read of it: a conflict, and no half of either. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SharedServer } from "./support/shared-server.ts";

const KEY = "changing/rows.parquet";
const BYTES = 4096;

let bucket: Server;
let server: SharedServer;
let version = 0;

/** A bucket of one object, which is another version whenever somebody asks for it. */
function changingBucket(): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://bucket");
    const etag = `"version-${version++}"`;
    if (searchParams.has("list-type")) {
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(
        `<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><KeyCount>1</KeyCount>
         <IsTruncated>false</IsTruncated><Contents><Key>${KEY}</Key><Size>${BYTES}</Size>
         <LastModified>2024-02-29T10:00:00.000Z</LastModified><ETag>${etag}</ETag></Contents></ListBucketResult>`,
      );
    } else if (request.method === "HEAD" && pathname === `/bucket/${KEY}`) {
      response.writeHead(200, { etag, "content-length": BYTES });
      response.end();
    } else {
      const changed = pathname === `/bucket/${KEY}` && request.headers["if-match"] !== undefined;
      const [status, code] = changed ? [412, "PreconditionFailed"] : [404, "NoSuchKey"];
      response.writeHead(status, { "content-type": "application/xml" });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    }
  });
}

beforeAll(async () => {
  bucket = changingBucket();
  bucket.listen(0, "127.0.0.1");
  await once(bucket, "listening");
  const { port } = bucket.address() as AddressInfo;
  server = await SharedServer.join();
  await server.post("/v1/connectors/objstore", {
    connector_name: "bucket",
    url: "s3://bucket/",
    endpoint: `http://127.0.0.1:${port}`,
  });
  await server.post("/v1/workspaces", {
    name: "workspaces/w",
    sqlDefaults: { defaultCatalog: "c", defaultSchema: "s" },
  });
  await server.post("/v1/workspaces/w/catalogs?catalogId=c");
  await server.post("/v1/workspaces/w/catalogs/c/schemas?schemaId=s");
  await server.post("/v1/workspaces/w/catalogs/c/schemas/s/tables?tableId=t", {
    spec: {
      listing: {
        connector: "workspaces/w/connectors/bucket",
        tablePaths: ["s3://bucket/changing/"],
      },
    },
  });
});
afterAll(async () => {
  bucket.closeAllConnections();
  bucket.close();
});

const TABLE = "/v1/workspaces/w/catalogs/c/schemas/s/tables/t";

it.each([
  ["a query", "POST", "/v1/workspaces/w/query", { sql: "SELECT * FROM t" }],
  ["a plan", "POST", "/v1/workspaces/w/query:explain", { sql: "SELECT * FROM t" }],
  ["an export", "POST", "/v1/workspaces/w/query:export", { sql: "SELECT * FROM t", format: "csv" }],
  ["a preview", "GET", `${TABLE}/preview`, null],
  ["a profile", "GET", `${TABLE}/profile`, null],
  ["a dataset", "POST", "/v1/datasets", { name: "rows", table: "t" }],
])("%s says which object changed", async (_, method, path, body) => {
  const response = await server.request(method, path, {
    headers: { "content-type": "application/json" },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const problem: { detail: string } = await response.json();
  expect(response.status, problem.detail).toBe(409);
  expect(problem.detail).toContain(`s3://bucket/${KEY}`);
  expect(await server.get("/v1/datasets")).toMatchObject({ datasets: [] });
});
