/** What other rooms ask of tables. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { relationalParentsOf } from "../workspaces/service.ts";
import type { TableSpec } from "./spec.ts";
import {
  findTableRows,
  listTablePaths,
  type TablePath,
  tableStore,
  tablesByConnector,
} from "./store.ts";

export type { ListingTableSpec, RelationalTableSpec, TableSpec } from "./spec.ts";
export { armOf } from "./spec.ts";
export type { TablePath } from "./store.ts";

export interface DefinedTable extends TablePath {
  readonly spec: TableSpec;
  /** Advances with each change of the definition, and never comes back after a deletion. */
  readonly revision: number;
  /** SHA-256 of the definition, lowercase hex. */
  readonly revisionHash: string;
}

/**
 * Those of the tables that are defined, in one statement; by name. Tables of relational catalogs and
 * schemas are not stored: for them ask `findRelationalCatalogs` and `findRelationalSchemas`.
 */
export async function findTables(
  db: Database,
  organizationId: string,
  paths: readonly TablePath[],
): Promise<readonly DefinedTable[]> {
  if (paths.length === 0) return [];
  const rows = await findTableRows(db, organizationId, paths);
  return rows.map(({ catalog, schema, name, spec, revision, revision_hash }) => ({
    catalog,
    schema,
    table: name,
    spec,
    revision,
    revisionHash: revision_hash,
  }));
}

/** The names of all tables that are defined, in order. */
export function listTableNames(
  db: Database,
  organizationId: string,
): Promise<readonly TablePath[]> {
  return listTablePaths(db, organizationId);
}

/** How many tables a catalog or a schema holds: asked before they are deleted. */
export const tablesWithin = tableStore.within;

export interface ConnectorUsers {
  readonly count: number;
  /** Some of them, such as `sales.public.orders`. */
  readonly examples: readonly string[];
}

/**
 * The tables, relational catalogs and relational schemas that use a connector: asked before it is
 * deleted.
 *
 * @param connector the last segment of its name
 */
export async function connectorUsers(
  sql: Sql,
  organizationId: string,
  connector: string,
): Promise<ConnectorUsers> {
  const { count, tables } = await tablesByConnector(sql, organizationId, connector, EXAMPLES);
  const parents = await relationalParentsOf(sql, organizationId, connector);
  const names = [
    ...parents,
    ...tables.map(({ catalog, schema, table }) => `${catalog}.${schema}.${table}`),
  ];
  return { count: count + parents.length, examples: names.slice(0, EXAMPLES) };
}

const EXAMPLES = 3;
