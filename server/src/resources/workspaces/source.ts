/**
 * Catalogs and schemas over a warehouse: their children are those that the warehouse has, read
 * through the connector when they are asked for, and changed only there.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { conflict, Problem, unprocessable } from "../../platform/input/problem.ts";
import type { Warehouse } from "../../query/sources/warehouse.ts";
import {
  findConnectorIn,
  findConnectors,
  missingConnector,
  openWarehouse,
} from "../connectors/service.ts";
import type { CatalogSource, SchemaSource } from "./catalog-store.ts";
import type { Change } from "./change.ts";
import { connectorParts, SEGMENT_ID, workspaceName } from "./names.ts";
import type { Occupancy } from "./owned-store.ts";

/** Children whose parent is relational are the source's. */
export function readOnly(
  kind: "catalog" | "schema",
  name: string,
  source: CatalogSource,
  children: "schemas" | "tables",
): Problem {
  return conflict(
    `The ${kind} '${name}' reads from '${source.connector}': its ${children} are those of the warehouse and cannot be changed here.`,
  );
}

/**
 * Whether the connector of a source may be named: one of this workspace, that exists, a warehouse.
 *
 * @throws UnprocessableError
 */
async function assertConnector(
  { sql, organizationId, workspace }: Change,
  source: CatalogSource | null,
): Promise<void> {
  if (source === null) return;
  const parts = connectorParts(source.connector);
  const loc = ["body", "relational", "connector"];
  if (parts.workspace !== workspace.name) {
    throw unprocessable(loc, `it must be a connector of '${workspaceName(workspace.name)}'`, {
      input: source.connector,
    });
  }
  const connector = await findConnectorIn(sql, organizationId, parts.connector);
  if (connector === null) {
    throw unprocessable(loc, missingConnector(parts.connector), { input: source.connector });
  }
  if (connector.kind !== "warehouse") {
    throw unprocessable(loc, "it must be a warehouse connector, and this is an object store", {
      input: source.connector,
    });
  }
}

/**
 * Whoever defines what reads with a connector's credentials reads by them.
 *
 * @throws 403
 */
export const assertMayName = (ctx: AuthedContext): unknown => assertScope(ctx, "connectors:read");

interface Reading {
  readonly relational: CatalogSource | SchemaSource | null;
}

/** What catalogs and schemas have in common: they own their children, or read them from a warehouse. */
export const readingFromWarehouse = <Kind, Child extends "schema" | "table">(
  kind: Kind,
  child: Child,
) => ({
  kind,
  tagOf: ({ revision }: { readonly revision: string }) => revision,
  writtenIn: ({ relational }: Reading) => ({ relational }),
  isUnchanged: (row: Reading, form: Reading) => isSameSource(row.relational, form.relational),
  async look(ctx: AuthedContext, { relational }: Reading) {
    if (relational !== null) assertMayName(ctx);
  },
  async columnsOf(change: Change, _name: string, { relational }: Reading) {
    await assertConnector(change, relational);
    return { relational };
  },
  beforeUpdate(name: string, { relational }: Reading, { count }: Occupancy): void {
    if (relational === null || count === 0) return;
    throw conflict(
      `The ${kind} '${name}' has ${child}s of its own (${count}); it cannot read from a warehouse until they are deleted.`,
    );
  },
});

function isSameSource(a: Reading["relational"], b: Reading["relational"]): boolean {
  if (a === null || b === null) return a === b;
  const schema = (source: CatalogSource | SchemaSource) =>
    "sourceSchema" in source ? source.sourceSchema : null;
  return (
    a.connector === b.connector && a.sourceCatalog === b.sourceCatalog && schema(a) === schema(b)
  );
}

/** Reading the names of a source's children must take no longer. */
const LISTING_MS = 30_000;

/**
 * Names of a source catalog's schemas, in byte order; without those that cannot be segments of a
 * name here.
 */
export function sourceSchemas(
  ctx: AuthedContext,
  source: CatalogSource,
): Promise<readonly string[]> {
  return namesOf(ctx, source.connector, (warehouse, signal) =>
    warehouse.listSchemas(source.sourceCatalog, signal),
  );
}

/** As `sourceSchemas`, of a source schema's tables and views. */
export function sourceTables(ctx: AuthedContext, source: SchemaSource): Promise<readonly string[]> {
  return namesOf(ctx, source.connector, (warehouse, signal) =>
    warehouse.listTables(source.sourceCatalog, source.sourceSchema, signal),
  );
}

async function namesOf(
  ctx: AuthedContext,
  connector: string,
  list: (warehouse: Warehouse, signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const signal = AbortSignal.any([ctx.request.signal, AbortSignal.timeout(LISTING_MS)]);
  const names = await list(await warehouseOf(ctx, connector), signal);
  // Segments are ASCII, whose default order is that of their bytes.
  return names.filter((name) => SEGMENT_ID.test(name)).sort();
}

/** @throws Problem 400 where there is no such warehouse, or what opening it throws */
async function warehouseOf(
  { services, auth }: AuthedContext,
  fullName: string,
): Promise<Warehouse> {
  const { connector: name } = connectorParts(fullName);
  const connectors = await findConnectors(services.db, auth.organizationId, [name]);
  const connector = connectors.get(name);
  if (connector?.kind === "warehouse") return openWarehouse(services, connector);
  const why = connector === undefined ? "does not exist" : "is no warehouse";
  throw new Problem("bad-request", `This reads from the connector '${fullName}', which ${why}.`);
}
