/** The SQL of tables, and (with `occupancy.ts`) the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";
import type { TableSpec } from "./spec.ts";

export interface TableRow {
  readonly id: string;
  readonly catalog: string;
  readonly schema: string;
  /** The last segment of its name. */
  readonly name: string;
  readonly spec: TableSpec;
  readonly revision_hash: string;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Names of one table, without the workspace, of which there is one. */
export interface TablePath {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

const COLUMNS = "id, catalog, schema, name, spec, revision_hash, revision, created_at, updated_at";

export interface NewTable extends Pick<TableRow, "id" | "spec" | "revision_hash" | "revision"> {
  /** The last segment of the name of the spec's connector. */
  readonly connector: string;
}

/** Null where there is one of this name. */
export async function insertTable(
  sql: Sql,
  organizationId: string,
  path: TablePath,
  table: NewTable,
): Promise<TableRow | null> {
  const rows = await sql<TableRow[]>`
    insert into catalog_tables (organization_id, catalog, schema, name, id, connector, spec,
                                revision_hash, revision, created_at, updated_at)
    values (${organizationId}, ${path.catalog}, ${path.schema}, ${path.table}, ${table.id},
            ${table.connector}, ${JSON.stringify(table.spec)}::text::json, ${table.revision_hash},
            ${table.revision}, clock_timestamp(), clock_timestamp())
    on conflict do nothing
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

/** By the path of its name, in one statement over two primary keys. */
export async function findTable(
  db: Database,
  organizationId: string,
  workspace: string,
  path: TablePath,
): Promise<TableRow | null> {
  const rows = await db.read<TableRow[]>(
    organizationId,
    (sql) => sql`
      select t.id, t.catalog, t.schema, t.name, t.spec, t.revision_hash, t.revision, t.created_at,
             t.updated_at
      from catalog_tables t
      join workspaces w on w.organization_id = t.organization_id and w.name = ${workspace}
      where t.organization_id = ${organizationId} and t.catalog = ${path.catalog}
        and t.schema = ${path.schema} and t.name = ${path.table}`,
  );
  return rows[0] ?? null;
}

/** For a transaction that has locked the workspace. */
export async function readTable(
  sql: Sql,
  organizationId: string,
  path: TablePath,
): Promise<TableRow | null> {
  const rows = await sql<TableRow[]>`
    select ${sql.unsafe(COLUMNS)} from catalog_tables
    where organization_id = ${organizationId} and catalog = ${path.catalog}
      and schema = ${path.schema} and name = ${path.table}`;
  return rows[0] ?? null;
}

/** In the order of names; one more than `limit` where there is a further page. */
export async function listTables(
  db: Database,
  organizationId: string,
  schema: { readonly catalog: string; readonly schema: string },
  limit: number,
  after: string,
): Promise<readonly TableRow[]> {
  return db.read<TableRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from catalog_tables
      where organization_id = ${organizationId} and catalog = ${schema.catalog}
        and schema = ${schema.schema} and name > ${after}
      order by name limit ${limit + 1}`,
  );
}

/** The next revision, with this definition. */
export async function updateTable(
  sql: Sql,
  organizationId: string,
  path: TablePath,
  table: Pick<NewTable, "connector" | "spec" | "revision_hash">,
): Promise<TableRow | null> {
  const rows = await sql<TableRow[]>`
    update catalog_tables
    set connector = ${table.connector}, spec = ${JSON.stringify(table.spec)}::text::json,
        revision_hash = ${table.revision_hash}, revision = revision + 1,
        updated_at = clock_timestamp()
    where organization_id = ${organizationId} and catalog = ${path.catalog}
      and schema = ${path.schema} and name = ${path.table}
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

export async function deleteTable(
  sql: Sql,
  organizationId: string,
  path: TablePath,
): Promise<void> {
  await sql`
    delete from catalog_tables
    where organization_id = ${organizationId} and catalog = ${path.catalog}
      and schema = ${path.schema} and name = ${path.table}`;
}

/** Those of the tables that there are. */
export async function findTableRows(
  db: Database,
  organizationId: string,
  paths: readonly TablePath[],
): Promise<readonly TableRow[]> {
  return db.read<TableRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from catalog_tables
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
