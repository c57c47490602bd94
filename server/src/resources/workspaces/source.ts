/**
 * Catalogs and schemas over a warehouse: their children are those that the warehouse has, read
 * through the connector when they are asked for, and changed only there.
 */

import type { AuthedContext } from "../../api/context/context.ts";
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
export async function assertConnector(
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

export function isSameSource(
  a: CatalogSource | SchemaSource | null,
  b: CatalogSource | SchemaSource | null,
): boolean {
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

/** The page after a name, and one name more where there is a further page. */
export function pageOfNames(
  names: readonly string[],
  after: string,
  pageSize: number,
): readonly { readonly name: string }[] {
  const start = names.findIndex((name) => name > after);
  if (start < 0) return [];
  return names.slice(start, start + pageSize + 1).map((name) => ({ name }));
}
