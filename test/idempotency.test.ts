/** A request that is sent again with its `Idempotency-Key` after what it made was deleted makes nothing again. */

import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { Organization } from "./support/catalog.ts";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
let organization: Organization;
beforeAll(async () => {
  server = await SharedServer.join();
  organization = new Organization(server);
  await organization.ok("POST", "/v1/workspaces", { body: { name: "workspaces/kept" } });
  await organization.ok("POST", "/v1/workspaces/kept/catalogs?catalogId=c", { body: {} });
});

const json = (body: object): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

interface Made {
  readonly path: string;
  readonly init: () => RequestInit;
  /** Where what was made is, by the answer. */
  readonly place: (answer: Readonly<Record<string, unknown>>) => string;
  /** A delete leaves a row that says so. */
  readonly isMarked?: boolean;
}

const WORKSPACE = "/v1/workspaces/kept";
const MADE: Readonly<Record<string, Made>> = {
  dataset: {
    path: "/v1/datasets?name=d",
    init: () => ({ headers: { "content-type": "text/csv" }, body: "a,b\n1,2\n3,4\n" }),
    place: ({ dataset_id }) => `/v1/datasets/${dataset_id}`,
  },
  upload: {
    path: "/v1/uploads",
    init: () => json({ bytes: 12, file_name: "d.csv" }),
    place: ({ upload_id }) => `/v1/uploads/${upload_id}`,
  },
  document: {
    path: "/v1/documents",
    init: () => {
      const body = new FormData();
      body.set("files", new Blob(["Invoice 7\nTotal 12.50\n"]), "invoice.txt");
      return { body };
    },
    place: ({ documents }) =>
      `/v1/documents/${(documents as readonly { document_id: string }[])[0]?.document_id}`,
  },
  catalog: {
    path: `${WORKSPACE}/catalogs?catalogId=gone`,
    init: () => json({}),
    place: () => `${WORKSPACE}/catalogs/gone`,
  },
  schema: {
    path: `${WORKSPACE}/catalogs/c/schemas?schemaId=gone`,
    init: () => json({}),
    place: () => `${WORKSPACE}/catalogs/c/schemas/gone`,
  },
  connector: {
    path: "/v1/connectors/objstore",
    init: () =>
      json({ connector_name: "gone", url: "s3://bucket/", endpoint: "https://a.invalid" }),
    place: () => "/v1/connectors/objstore/gone",
  },
  statement: {
    path: `${WORKSPACE}/statements?statementId=gone`,
    init: () => json({ title: "Gone", sql: "SELECT 1" }),
    place: () => `${WORKSPACE}/statements/gone`,
  },
  "API key": {
    path: "/v1/api_keys",
    init: () => json({ name: "gone", scopes: ["datasets:read"] }),
    place: ({ id }) => `/v1/api_keys/${id}`,
    isMarked: true,
  },
};

it.each(Object.entries(MADE))("%s", async (_, { path, init, place, isMarked = false }) => {
  const key = randomUUID();
  const send = async () => {
    const { headers, ...rest } = init();
    const response = await server.request("POST", path, {
      ...rest,
      headers: { ...headers, "idempotency-key": key },
    });
    const replayed = response.headers.get("idempotency-replayed");
    return { status: response.status, replayed, body: await response.text() };
  };
  const first = await send();
  expect(first).toMatchObject({ status: 200, replayed: null });
  const at = place(JSON.parse(first.body));
  await organization.ok("DELETE", at);
  expect(await send()).toEqual({ ...first, replayed: "true" });
  if (!isMarked) expect((await organization.ask("GET", at)).status).toBe(404);
  const { body } = await organization.ok("GET", "/v1/audit_events?limit=3");
  expect(body["audit_events"]).toMatchObject([
    { status: 200, is_replay: true },
    { status: 200, is_replay: false },
    { status: 200, is_replay: false },
  ]);
});
