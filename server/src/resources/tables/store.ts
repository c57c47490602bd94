/** The SQL of tables, and (with `owned-store.ts` of workspaces) the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { type OwnedRow, OwnedStore } from "../workspaces/owned-store.ts";
import type { TableSpec } from "./spec.ts";

export interface TableRow extends OwnedRow {
  readonly catalog: string;
  readonly schema: string;
  readonly spec: TableSpec;
  readonly revision_hash: string;
}

const OWN = ["catalog", "schema", "spec", "revision_hash"] as const;
export const tableStore = new OwnedStore<TableRow>("catalog_tables", OWN);

/** Names of one table, without the workspace, of which there is one. */
export interface TablePath {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

type StoredTable = Omit<TableRow, "id" | "created_at" | "updated_at">;

/** Those of the tables that there are. */
export async function findTableRows(
  db: Database,
  organizationId: string,
  paths: readonly TablePath[],
): Promise<readonly StoredTable[]> {
  return db.read<StoredTable[]>(
    organizationId,
    (sql) => sql`
      select catalog, schema, name, spec, revision, revision_hash from catalog_tables
      where organization_id = ${organizationId}
        and (catalog, schema, name) in (
          select * from unnest(${paths.map(({ catalog }) => catalog)}::text[],
                               ${paths.map(({ schema }) => schema)}::text[],
                               ${paths.map(({ table }) => table)}::text[]))
      order by catalog, schema, name`,
  );
}

export async function listTablePaths(
  db: Database,
  organizationId: string,
): Promise<readonly TablePath[]> {
  return db.read<TablePath[]>(
    organizationId,
    (sql) => sql`
      select catalog, schema, name as table from catalog_tables
      where organization_id = ${organizationId}
      order by catalog, schema, name`,
  );
}

/** The first of the tables that use a connector, and how many there are in all. */
export async function tablesByConnector(
  sql: Sql,
  organizationId: string,
  connector: string,
  limit: number,
): Promise<{ readonly count: number; readonly tables: readonly TablePath[] }> {
  const rows = await sql<(TablePath & { readonly count: number })[]>`
    select catalog, schema, name as table, count(*) over () as count from catalog_tables
    where organization_id = ${organizationId} and connector = ${connector}
    order by catalog, schema, name limit ${limit}`;
  return {
    count: rows[0]?.count ?? 0,
    tables: rows.map(({ catalog, schema, table }) => ({ catalog, schema, table })),
  };
}
