/** Signing in, and a workspace with its connectors, catalogs and queries. */

import { S3ObjectStore } from "../../server/src/platform/objects/s3-store.ts";
import { API_KEY } from "../../test/support/server.ts";
import { ask, bodyOf, endpoint, PUBLIC, postgres, s3, server } from "./stage.ts";

const BUCKET = "bucket";
const SALES = ["region;amount;year", "north;120.5;2031", "south;80;2031", "north;99.5;2030"];

const WORKSPACE = "/v1/workspaces/acme";
const CATALOGS = `${WORKSPACE}/catalogs`;
const SCHEMAS = `${CATALOGS}/retail/schemas`;
const TABLES = `${SCHEMAS}/public/tables`;

export async function signIn(): Promise<void> {
  const path = "/v1/session";
  await ask("session_methods", "GET", `${path}/methods`);
  const way = { path: `${path}/authorization`, body: bodyOf("session_authorize") };
  await ask("session_authorize", "POST", way);
  const body = { api_key: API_KEY };
  await ask("session_create", "POST", { path, body });
  const response = await server.request("POST", path, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const [cookie = ""] = response.headers.getSetCookie().map((each) => each.split(";")[0]);
  const session = await ask("session_get", "GET", { path, cookie });
  const headers = { origin: PUBLIC, "x-csrf-token": String(session["csrf_token"]) };
  await ask("session_delete", "DELETE", { path, cookie, headers });
}

export async function catalog(): Promise<void> {
  await ask("organization_get", "GET", "/v1/organization");
  const key = await ask("apiKeys_create", "POST", {
    path: "/v1/api_keys",
    body: bodyOf("apiKeys_create"),
  });
  await ask("apiKeys_list", "GET", "/v1/api_keys");
  await ask("apiKeys_revoke", "DELETE", `/v1/api_keys/${key["id"]}`);
  await ask("scopes_list", "GET", "/v1/scopes");
  await ask("audit_list", "GET", "/v1/audit_events");
  for (const part of ["workers", "queue", "settings"]) {
    await ask(`service_${part}`, "GET", `/v1/service/${part}`);
  }
  await ask("workspaces_create", "POST", {
    path: "/v1/workspaces",
    body: bodyOf("workspaces_create"),
  });
  await sources();
  await ask("catalogs_create", "POST", {
    path: `${CATALOGS}?catalogId=shop`,
    body: bodyOf("catalogs_create"),
  });
  await ask(null, "POST", `${CATALOGS}?catalogId=retail`);
  await ask("catalogs_list", "GET", CATALOGS);
  await ask("catalogs_get", "GET", `${CATALOGS}/shop`);
  await ask("catalogs_patch", "PATCH", {
    path: `${CATALOGS}/shop`,
    body: bodyOf("catalogs_patch"),
  });
  await ask("schemas_create", "POST", {
    path: `${SCHEMAS}?schemaId=public`,
    body: bodyOf("schemas_create"),
  });
  await ask(null, "POST", `${SCHEMAS}?schemaId=orders`);
  await ask("schemas_patch", "PATCH", {
    path: `${SCHEMAS}/orders`,
    body: bodyOf("schemas_patch"),
  });
  await ask("schemas_list", "GET", SCHEMAS);
  await ask("schemas_get", "GET", `${SCHEMAS}/public`);
  await ask("tables_create", "POST", {
    path: `${TABLES}?tableId=sales`,
    body: bodyOf("tables_create"),
  });
  await ask("tables_list", "GET", TABLES);
  await ask("tables_get", "GET", `${TABLES}/sales`);
  await ask("tables_patch", "PATCH", { path: `${TABLES}/sales`, body: bodyOf("tables_patch") });
  await ask("tables_preview", "GET", `${TABLES}/sales/preview`);
  await ask("queries_profile", "GET", `${TABLES}/sales/profile`);
  await ask("queries_run", "POST", { path: `${WORKSPACE}/query`, body: bodyOf("queries_run") });
  await ask("queries_explain", "POST", {
    path: `${WORKSPACE}/query:explain`,
    body: bodyOf("queries_explain"),
  });
  const statements = `${WORKSPACE}/statements`;
  const statement = `${statements}/sales_by_region`;
  await ask("statements_create", "POST", {
    path: `${statements}?statementId=sales_by_region`,
    body: bodyOf("statements_create"),
  });
  await ask("statements_patch", "PATCH", {
    path: `${statement}?updateMask=title`,
    body: bodyOf("statements_patch"),
  });
  await ask("statements_list", "GET", statements);
  await ask("statements_get", "GET", statement);
  await ask("statements_delete", "DELETE", statement);
  await ask("workspaces_patch", "PATCH", { path: WORKSPACE, body: bodyOf("workspaces_patch") });
  await ask("workspaces_list", "GET", "/v1/workspaces");
  await ask("workspaces_get", "GET", WORKSPACE);
}

async function sources(): Promise<void> {
  await postgres.administer([
    "CREATE ROLE reader LOGIN PASSWORD 'a secret'",
    "CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0",
  ]);
  await postgres.administer(
    [
      "CREATE TABLE public.orders (id bigint primary key, note text)",
      "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
      "ALTER ROLE reader PASSWORD 'another secret'",
    ],
    "shop",
  );
  const store = new S3ObjectStore({
    kind: "s3",
    bucket: BUCKET,
    prefix: "sales",
    endpoint,
    forcePathStyle: true,
  });
  await store.put("2031.csv", Buffer.from(SALES.join("\n")));
  await store.close();
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.credentials;
  const files = "/v1/connectors/objstore";
  await ask("objectStoreConnectors_create", "POST", {
    path: files,
    body: {
      ...bodyOf("objectStoreConnectors_create"),
      endpoint,
      path_style: true,
      credentials: { access_key_id: AWS_ACCESS_KEY_ID, secret_access_key: AWS_SECRET_ACCESS_KEY },
    },
  });
  await ask("objectStoreConnectors_list", "GET", files);
  await ask("objectStoreConnectors_get", "GET", `${files}/lake`);
  await ask("objectStoreConnectors_patch", "PATCH", {
    path: `${files}/lake`,
    body: bodyOf("objectStoreConnectors_patch"),
  });
  await ask("objectStoreConnectors_test", "POST", `${files}/lake/test`);
  const warehouses = "/v1/connectors/warehouse";
  await ask("warehouseConnectors_create", "POST", {
    path: warehouses,
    body: {
      ...bodyOf("warehouseConnectors_create"),
      url: `postgres://127.0.0.1:${postgres.port}/shop?sslmode=disable`,
    },
  });
  await ask("warehouseConnectors_patch", "PATCH", {
    path: `${warehouses}/shop`,
    body: bodyOf("warehouseConnectors_patch"),
  });
  await ask("warehouseConnectors_list", "GET", warehouses);
  await ask("warehouseConnectors_get", "GET", `${warehouses}/shop`);
  await ask("warehouseConnectors_test", "POST", `${warehouses}/shop/test`);
}

export async function removal(datasetId: string, modelId: string): Promise<void> {
  await ask(null, "DELETE", `/v1/models/${modelId}`);
  await ask("datasets_delete", "DELETE", `/v1/datasets/${datasetId}`);
  await ask("tables_delete", "DELETE", `${TABLES}/sales`);
  await ask("schemas_delete", "DELETE", `${SCHEMAS}/public`);
  await ask("catalogs_delete", "DELETE", `${CATALOGS}/shop`);
  await ask("objectStoreConnectors_delete", "DELETE", "/v1/connectors/objstore/lake?force=true");
  await ask("warehouseConnectors_delete", "DELETE", "/v1/connectors/warehouse/shop?force=true");
  await ask("workspaces_delete", "DELETE", `${WORKSPACE}?force=true`);
}
