/** What other rooms ask of the catalog, over a real database, for one of two organizations. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthedContext } from "../../api/context/context.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { insertConnector } from "../connectors/store.ts";
import { catalogsOf } from "../workspaces/catalogs.ts";
import { createWorkspace } from "../workspaces/operations.ts";
import { catalogRequest, schemaRequest, workspaceRequest } from "../workspaces/record.ts";
import { schemasOf } from "../workspaces/schemas.ts";
import {
  advanceWorkspace,
  findRelationalCatalogs,
  findRelationalSchemas,
  findWorkspace,
  listRelationalParents,
  requireWorkspace,
} from "../workspaces/service.ts";
import { tables } from "./operations.ts";
import { tableRequest } from "./record.ts";
import { connectorUsers, findTables, listTableNames, tablesWithin } from "./service.ts";

let temporary: TemporaryDatabase;
const mine = randomUUID();
const other = randomUUID();
const W = "acme";
const LAKE = `workspaces/${W}/connectors/lake`;
const catalogSource = { connector: LAKE, sourceCatalog: "db" };
const schemaSource = { ...catalogSource, sourceSchema: "sales" };

const contextOf = (organizationId: string): AuthedContext =>
  ({
    // No folder may be read, so that nothing is known of its tables' logs.
    services: { db: temporary.database, config: { fileRoots: [] } },
    auth: { organizationId, scopes: new Set(["*"]) },
    newId: randomUUID,
    setHeader: () => undefined,
    request: { signal: new AbortController().signal },
  }) as unknown as AuthedContext;

async function fill(organizationId: string): Promise<void> {
  const ctx = contextOf(organizationId);
  await createWorkspace(
    ctx,
    workspaceRequest.parse({
      name: `workspaces/${W}`,
      sqlDefaults: { defaultCatalog: "main" },
    }),
  );
  await temporary.database.forOrganization(organizationId, async (sql) => {
    const connector = { credentialName: "", sealed: null };
    await insertConnector(sql, organizationId, {
      ...connector,
      id: randomUUID(),
      name: "files",
      kind: "objstore",
      settings: { url: "file:///nowhere/", endpoint: null, region: null, path_style: null },
    });
    await insertConnector(sql, organizationId, {
      ...connector,
      id: randomUUID(),
      name: "lake",
      kind: "warehouse",
      settings: { engine: "postgres", url: "postgres://db.example.com:5432/db" },
    });
  });
  const [catalogs, schemas] = [catalogsOf(tablesWithin), schemasOf(tablesWithin)];
  const workspace = { workspace_id: W };
  const catalog = { ...workspace, catalog_id: "main" };
  await catalogs.create(ctx, workspace, "main", catalogRequest.parse({}));
  await catalogs.create(
    ctx,
    workspace,
    "shop",
    catalogRequest.parse({ relational: catalogSource }),
  );
  await schemas.create(ctx, catalog, "public", schemaRequest.parse({}));
  await schemas.create(ctx, catalog, "bought", schemaRequest.parse({ relational: schemaSource }));
  for (const [table, connector] of [
    ["b", "files"],
    ["a", "files"],
    ["c", "lake"],
  ] as const) {
    const name = `workspaces/${W}/connectors/${connector}`;
    const spec =
      connector === "lake"
        ? { relational: { ...schemaSource, sourceTable: table } }
        : { listing: { connector: name, tablePaths: [`file:///nowhere/${table}/`] } };
    const schema = { ...catalog, schema_id: "public" };
    await tables.create(ctx, schema, table, tableRequest.parse({ spec }));
  }
}

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  await fill(mine);
});
afterAll(async () => {
  await temporary.close();
});

const path = (table: string) => ({ catalog: "main", schema: "public", table });

describe("the workspace", () => {
  it("is found by its organization, and required by its id", async () => {
    const { database } = temporary;
    const found = await findWorkspace(database, mine);
    expect(found).toMatchObject({
      id: W,
      name: "workspaces/acme",
      sqlDefaults: { catalog: "main", schema: null },
    });
    expect(await requireWorkspace(database, mine, W)).toEqual(found);
    await expect(requireWorkspace(database, mine, "b")).rejects.toThrow(/no such workspace/);
    await expect(requireWorkspace(database, other, W)).rejects.toThrow(/no such workspace/);
    expect(await findWorkspace(database, other)).toBeNull();
  });

  it("is advanced within a transaction, and where there is none nothing is", async () => {
    const { database } = temporary;
    const before = (await findWorkspace(database, mine))?.revision ?? 0;
    await database.forOrganization(mine, (sql) => advanceWorkspace(sql, mine));
    await database.forOrganization(other, (sql) => advanceWorkspace(sql, other));
    expect((await findWorkspace(database, mine))?.revision).toBe(before + 1);
  });
});

describe("relational parents", () => {
  it("are found by name and listed", async () => {
    const { database } = temporary;
    const catalog = { catalog: "shop", source: catalogSource };
    const schema = { catalog: "main", schema: "bought", source: schemaSource };
    expect(await findRelationalCatalogs(database, mine, ["shop", "main", "none"])).toEqual([
      catalog,
    ]);
    const pairs = [
      { catalog: "main", schema: "bought" },
      { catalog: "main", schema: "public" },
      { catalog: "shop", schema: "bought" },
    ];
    expect(await findRelationalSchemas(database, mine, pairs)).toEqual([schema]);
    expect(await listRelationalParents(database, mine)).toEqual({
      catalogs: [catalog],
      schemas: [schema],
    });
    expect(await findRelationalCatalogs(database, other, ["shop"])).toEqual([]);
    expect(await listRelationalParents(database, other)).toEqual({ catalogs: [], schemas: [] });
  });
});

describe("tables", () => {
  it("are found by many names at once, and listed by name", async () => {
    const { database } = temporary;
    const found = await findTables(database, mine, [path("c"), path("a"), path("none")]);
    expect(found.map(({ table }) => table)).toEqual(["a", "c"]);
    expect(found[0]).toMatchObject({
      ...path("a"),
      revision: 1,
      revisionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      spec: { relational: null, listing: { tablePaths: ["file:///nowhere/a/"], snapshot: null } },
    });
    expect(await findTables(database, mine, [])).toEqual([]);
    expect(await findTables(database, other, [path("a")])).toEqual([]);
    expect(await listTableNames(database, mine)).toEqual([path("a"), path("b"), path("c")]);
    expect(await listTableNames(database, other)).toEqual([]);
  });

  it("and their parents are those who use a connector", async () => {
    const users = (organizationId: string, connector: string) =>
      temporary.database.forOrganization(organizationId, (sql) =>
        connectorUsers(sql, organizationId, connector),
      );
    expect(await users(mine, "files")).toEqual({
      count: 2,
      examples: ["main.public.a", "main.public.b"],
    });
    expect(await users(mine, "lake")).toEqual({
      count: 3,
      examples: ["main.bought", "shop", "main.public.c"],
    });
    expect(await users(mine, "none")).toEqual({ count: 0, examples: [] });
    expect(await users(other, "files")).toEqual({ count: 0, examples: [] });
  });
});

describe("row-level security", () => {
  it("shows one organization nothing of another, whatever a statement asks", async () => {
    for (const table of ["workspaces", "catalogs", "catalog_schemas", "catalog_tables"]) {
      const count = (organizationId: string) =>
        temporary.database.forOrganization(organizationId, async (sql) => {
          const [row] = await sql`select count(*) as count from ${sql(table)}`;
          return row?.["count"];
        });
      expect(await count(mine), table).toBeGreaterThan(0);
      expect(await count(other), table).toBe(0);
    }
  });
});
