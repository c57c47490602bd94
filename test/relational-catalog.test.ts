/** Catalogs and schemas over a warehouse: their children are what a real PostgreSQL has. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CatalogServer, type Json, type Organization } from "./support/catalog.ts";
import { PostgresServer } from "./support/postgres.ts";

const CATALOGS = "/v1/workspaces/acme/catalogs";
const LAKE = "workspaces/acme/connectors/lake";

let service: CatalogServer;
let postgres: PostgresServer;
let organization: Organization;
beforeAll(async () => {
  [service, postgres] = await Promise.all([CatalogServer.start(), PostgresServer.create()]);
  await postgres.administer([
    "CREATE ROLE reader LOGIN PASSWORD 'read'",
    "CREATE DATABASE shop ENCODING 'UTF8' TEMPLATE template0",
  ]);
  await postgres.administer(
    [
      "CREATE SCHEMA sales",
      'CREATE SCHEMA "Not A Segment"',
      "CREATE TABLE sales.orders (id bigint primary key, note text)",
      "CREATE VIEW sales.notes AS SELECT note FROM sales.orders",
      'CREATE TABLE sales."Upper" (id int)',
      ...Array.from({ length: 5 }, (_, index) => `CREATE TABLE sales.part_${index} (id int)`),
      "GRANT USAGE ON SCHEMA sales TO reader",
      "GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader",
    ],
    "shop",
  );
  organization = await service.withWorkspace();
  await organization.ok("POST", "/v1/connectors/warehouse", {
    body: {
      connector_name: "lake",
      kind: "postgres",
      url: `postgres://127.0.0.1:${postgres.port}/shop?sslmode=disable`,
      credentials: { username: "reader", password: "read" },
    },
  });
  const source = { connector: LAKE, sourceCatalog: "shop" };
  await organization.ok("POST", `${CATALOGS}?catalogId=shop`, { body: { relational: source } });
  await organization.ok("POST", `${CATALOGS}?catalogId=main`);
  await organization.ok("POST", `${CATALOGS}/main/schemas?schemaId=bought`, {
    body: { relational: { ...source, sourceSchema: "sales" } },
  });
});
afterAll(async () => {
  await service?.stop();
  await postgres?.remove();
});

async function names(path: string, list: string, pageSize: number): Promise<unknown[]> {
  const found: unknown[] = [];
  let token = "";
  do {
    const query = new URLSearchParams({ pageSize: String(pageSize), pageToken: token });
    const { body } = await organization.ok("GET", `${path}?${query}`);
    const page = body[list] as readonly Json[];
    expect(page.length).toBeLessThanOrEqual(pageSize);
    found.push(...page.map(({ name }) => name));
    token = String(body["nextPageToken"]);
  } while (token !== "");
  return found;
}

const TABLE_IDS = ["notes", "orders", "part_0", "part_1", "part_2", "part_3", "part_4"];

describe("a relational catalog", () => {
  const SCHEMAS = `${CATALOGS}/shop/schemas`;
  const parent = "workspaces/acme/catalogs/shop/schemas";

  it("shows the schemas of its source that can be named", async () => {
    const shown = await names(SCHEMAS, "schemas", 1);
    expect(shown).toContain(`${parent}/sales`);
    expect(shown).not.toContain(`${parent}/Not A Segment`);
    expect(shown).toEqual(shown.toSorted());
    expect((await organization.ok("GET", `${SCHEMAS}/sales`)).body).toEqual({
      name: `${parent}/sales`,
      relational: { connector: LAKE, sourceCatalog: "shop", sourceSchema: "sales" },
      revision: "0",
      createTime: null,
      updateTime: null,
    });
    expect((await organization.problem("GET", `${SCHEMAS}/nothing`))[0]).toBe(404);
  });

  it("shows their tables, each defined over the source's", async () => {
    const tables = `${SCHEMAS}/sales/tables`;
    const expected = TABLE_IDS.map((id) => `${parent}/sales/tables/${id}`);
    expect(await names(tables, "tables", 3)).toEqual(expected);
    const { body, etag } = await organization.ok("GET", `${tables}/orders`);
    const relational = {
      connector: LAKE,
      snapshot: null,
      sourceCatalog: "shop",
      sourceSchema: "sales",
      sourceTable: "orders",
    };
    const canonical = JSON.stringify({ spec: { listing: null, relational } });
    const revisionHash = createHash("sha256").update(canonical).digest("hex");
    expect(body).toEqual({
      name: `${parent}/sales/tables/orders`,
      spec: { relational, listing: null },
      createTime: null,
      updateTime: null,
      revision: "0",
      revisionHash,
    });
    expect(etag).toBe(`"${revisionHash}"`);
    expect((await organization.problem("GET", `${tables}/nothing`))[0]).toBe(404);
    expect((await organization.problem("GET", `${SCHEMAS}/nothing/tables`))[0]).toBe(404);
    expect((await organization.problem("GET", `${SCHEMAS}/nothing/tables/t`))[0]).toBe(404);
  });
});

describe("a relational schema", () => {
  const TABLES = `${CATALOGS}/main/schemas/bought/tables`;

  it("shows the tables and views of its source", async () => {
    const parent = "workspaces/acme/catalogs/main/schemas/bought/tables";
    expect(await names(TABLES, "tables", 100)).toEqual(TABLE_IDS.map((id) => `${parent}/${id}`));
    const { body } = await organization.ok("GET", `${TABLES}/notes`);
    expect(body).toMatchObject({
      name: `${parent}/notes`,
      spec: { relational: { sourceSchema: "sales", sourceTable: "notes" }, listing: null },
    });
    expect((await organization.problem("GET", `${TABLES}/nothing`))[0]).toBe(404);
  });

  it("keeps its connector from being deleted but by force", async () => {
    const [status, detail] = await organization.problem("DELETE", "/v1/connectors/warehouse/lake");
    expect([status, detail]).toEqual([409, expect.stringContaining("main.bought")]);
  });

  it("answers 502 while its source is down, and 200 once it is back", async () => {
    await postgres.stop();
    for (const path of [
      `${CATALOGS}/shop/schemas`,
      `${CATALOGS}/shop/schemas/sales`,
      TABLES,
      `${TABLES}/orders`,
    ]) {
      const [status, detail] = await organization.problem("GET", path);
      expect([status, detail], path).toEqual([502, expect.not.stringContaining("read@")]);
    }
    await postgres.start();
    await organization.ok("GET", `${TABLES}/orders`);
  });
});
