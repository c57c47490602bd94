/** Changes of one organization's catalog at once: every order of their steps, over a real database. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { Problem, UnprocessableError } from "../../platform/input/problem.ts";
import { Interleaver, permutations } from "../../testing/interleaving.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { changeConnector, deleteConnector } from "../connectors/changes.ts";
import { insertConnector } from "../connectors/store.ts";
import { catalogsOf } from "../workspaces/catalogs.ts";
import { createWorkspace, getWorkspace } from "../workspaces/operations.ts";
import { catalogRequest, schemaRequest, workspaceRequest } from "../workspaces/record.ts";
import { schemasOf } from "../workspaces/schemas.ts";
import { advanceWorkspace, lockWorkspace } from "../workspaces/service.ts";
import { tables } from "./operations.ts";
import { type Table, tableRequest } from "./record.ts";
import { connectorUsers, tablesWithin } from "./service.ts";

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(async () => {
  await temporary.close();
});

/** Each transaction: lock and read, write, commit. The names of tables are parameters. */
const HALTS = /for no key update|insert into \?|update \?|delete from|update connectors/;
const ORDERS = permutations([3, 3]);

const contextOf = (db: Database, organizationId: string): AuthedContext =>
  ({
    // No folder may be read, so that nothing is known of its tables' logs.
    services: { db, config: { fileRoots: [] } },
    auth: { organizationId, scopes: new Set(["*"]) },
    newId: randomUUID,
    setHeader: () => undefined,
    request: { signal: new AbortController().signal },
    // Operations on stored tables touch nothing more.
  }) as unknown as AuthedContext;

/** As the service is assembled. */
const OWNER = { usersOf: connectorUsers, lock: lockWorkspace, changed: advanceWorkspace };

const W = "acme";
const SCHEMA = { workspace_id: W, catalog_id: "main", schema_id: "public" };
const catalogs = catalogsOf(tablesWithin);
const schemas = schemasOf(tablesWithin);

const spec = (formatOptions: Record<string, string>) => ({
  listing: {
    connector: "workspaces/acme/connectors/files",
    tablePaths: ["file:///nowhere/a/"],
    snapshot: { options: { fileType: "csv", formatOptions } },
  },
});
const form = (formatOptions = {}) => tableRequest.parse({ spec: spec(formatOptions) });

/** A new organization with one empty schema, and with the table where it is wanted. */
async function prepare(withTable: boolean): Promise<string> {
  const organizationId = randomUUID();
  const ctx = contextOf(temporary.database, organizationId);
  await createWorkspace(ctx, workspaceRequest.parse({ name: `workspaces/${W}` }));
  await temporary.database.forOrganization(organizationId, (sql) =>
    insertConnector(sql, organizationId, {
      id: randomUUID(),
      name: "files",
      kind: "objstore",
      credentialName: "",
      settings: { url: "file:///nowhere/", endpoint: null, region: null, path_style: null },
      sealed: null,
    }),
  );
  await catalogs.create(ctx, { workspace_id: W }, "main", catalogRequest.parse({}));
  const catalog = { workspace_id: W, catalog_id: "main" };
  await schemas.create(ctx, catalog, "public", schemaRequest.parse({}));
  if (withTable) await tables.create(ctx, SCHEMA, "orders", form());
  return organizationId;
}

type Work = (ctx: AuthedContext) => Promise<unknown>;

interface Outcome {
  /** Null = it succeeded; else the kind of its refusal. */
  readonly refusals: readonly (string | null)[];
  readonly table: Table | null;
  /** By how much the workspace's revision rose. */
  readonly advanced: number;
}

async function race(order: readonly number[], withTable: boolean, works: Work[]): Promise<Outcome> {
  const organizationId = await prepare(withTable);
  const ctx = contextOf(temporary.database, organizationId);
  const before = (await getWorkspace(ctx, W)).revision;
  const interleaver = new Interleaver(temporary.address, works.length, HALTS);
  try {
    const outcomes = await interleaver.run(
      order,
      works.map((work) => (db: Database) => work(contextOf(db, organizationId))),
    );
    return {
      refusals: outcomes.map((outcome) => {
        if (outcome.status === "fulfilled") return null;
        if (outcome.reason instanceof UnprocessableError) return "unprocessable";
        if (outcome.reason instanceof Problem) return outcome.reason.kind;
        throw outcome.reason;
      }),
      table: await tables.get(ctx, SCHEMA, "orders").catch((error: unknown) => {
        if (error instanceof Problem && error.kind === "not-found") return null;
        throw error;
      }),
      advanced: (await getWorkspace(ctx, W)).revision - before,
    };
  } finally {
    await interleaver.close();
  }
}

const MAP = "spec.listing.snapshot.options.formatOptions";
const setOption = (key: string): Work => {
  const body = { spec: spec({ [key]: key }) };
  const request = { body, updateMask: `${MAP}.${key}`, allowMissing: false, ifMatch: undefined };
  return (ctx) => tables.patch(ctx, SCHEMA, "orders", request);
};
const optionsOf = (table: Table | null) => table?.spec.listing?.snapshot?.options?.formatOptions;

/** Of every new organization's table. */
let firstHash: string;
beforeAll(async () => {
  const ctx = contextOf(temporary.database, await prepare(true));
  firstHash = (await tables.get(ctx, SCHEMA, "orders")).revisionHash;
});

it("there are twenty orders of two times three steps", () => {
  expect(new Set(ORDERS.map(String)).size).toBe(20);
});

/** Where both do the same, an order and its mirror are one. */
const UNMIRRORED = ORDERS.filter(([first]) => first === 0);

describe.each(UNMIRRORED.map((order) => [order.join(""), order] as const))(
  "of two that do the same, in the order %s",
  (_, order) => {
    it("patches of two members both stay", async () => {
      const { refusals, table, advanced } = await race(order, true, [
        setOption("quote_style"),
        setOption("time_format"),
      ]);
      expect(refusals).toEqual([null, null]);
      expect(optionsOf(table)).toEqual({
        quote_style: "quote_style",
        time_format: "time_format",
      });
      expect([table?.revision, advanced]).toEqual(["3", 2]);
    });

    it("of two creates of one name, one makes it", async () => {
      const create: Work = (ctx) => tables.create(ctx, SCHEMA, "orders", form());
      const { refusals, table, advanced } = await race(order, false, [create, create]);
      expect(refusals.toSorted()).toEqual(["conflict", null].toSorted());
      expect([table?.revision, advanced]).toEqual(["1", 1]);
    });
  },
);

describe.each(ORDERS.map((order) => [order.join(""), order] as const))(
  "in the order %s",
  (_, order) => {
    it("of two writers at one revision or one tag, the later is refused", async () => {
      const write = (key: string, revision: number, ifMatch?: string): Work => {
        const body = { spec: spec({ [key]: key }), revision };
        return (ctx) => tables.patch(ctx, SCHEMA, "orders", { body, allowMissing: false, ifMatch });
      };
      // Every organization's table begins the same, so the tag is that of the table that is raced for.
      const { refusals, table, advanced } = await race(order, true, [
        write("quote_style", 1),
        write("time_format", 0, `"${firstHash}"`),
      ]);
      const won = refusals.indexOf(null);
      expect(refusals.toSorted()).toEqual(
        won === 0 ? ["precondition-failed", null].toSorted() : ["conflict", null].toSorted(),
      );
      expect(optionsOf(table)).toEqual(
        won === 0 ? { quote_style: "quote_style" } : { time_format: "time_format" },
      );
      expect([table?.revision, advanced]).toEqual(["2", 1]);
    });

    it("a patch and a delete leave no table, whoever comes first", async () => {
      const { refusals, table, advanced } = await race(order, true, [
        setOption("quote_style"),
        (ctx) => tables.delete(ctx, SCHEMA, "orders", { force: false }),
      ]);
      expect(refusals[1]).toBeNull();
      expect([null, "not-found"]).toContain(refusals[0]);
      expect(table).toBeNull();
      expect(advanced).toBe(refusals[0] === null ? 2 : 1);
    });

    it("a table is made in a schema that stays, or not at all", async () => {
      const { refusals, table, advanced } = await race(order, false, [
        (ctx) => tables.create(ctx, SCHEMA, "orders", form()),
        (ctx) =>
          schemas.delete(ctx, { workspace_id: W, catalog_id: "main" }, "public", { force: false }),
      ]);
      expect([
        [null, "conflict"],
        ["not-found", null],
      ]).toContainEqual(refusals);
      expect(table === null).toBe(refusals[0] !== null);
      expect(advanced).toBe(1);
    });

    it("a table is made over a connector that stays, or not at all", async () => {
      const { refusals, table, advanced } = await race(order, false, [
        (ctx) => tables.create(ctx, SCHEMA, "orders", form()),
        (ctx) => deleteConnector(ctx, OWNER, "objstore", "files", false),
      ]);
      expect([
        [null, "conflict"],
        ["unprocessable", null],
      ]).toContainEqual(refusals);
      expect(table === null).toBe(refusals[0] !== null);
      expect(advanced).toBe(1);
    });

    it("a table and its connector are changed, one behind the other", async () => {
      const { refusals, table, advanced } = await race(order, true, [
        setOption("quote_style"),
        (ctx) =>
          changeConnector(
            ctx,
            OWNER,
            "objstore",
            { connector_name: "files", credential_name: "renamed" },
            async ({ settings }) => ({ settings, moved: false }),
          ),
      ]);
      expect(refusals).toEqual([null, null]);
      expect(optionsOf(table)).toEqual({ quote_style: "quote_style" });
      expect(advanced).toBe(2);
    });
  },
);
