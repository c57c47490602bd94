/** The SQL of catalogs and schemas, and the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";

/** A catalog of a warehouse. */
export interface CatalogSource {
  /** The connector's full name. */
  readonly connector: string;
  readonly sourceCatalog: string;
}

export interface SchemaSource extends CatalogSource {
  readonly sourceSchema: string;
}

interface ChildRow<Source> {
  readonly id: string;
  /** The last segment of its name. */
  readonly name: string;
  /** Null where it owns its children. */
  readonly relational: Source | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type CatalogRow = ChildRow<CatalogSource>;
export interface SchemaRow extends ChildRow<SchemaSource> {
  readonly catalog: string;
}

/** The row of a child that is to be. */
export interface NewChild<Source> {
  readonly id: string;
  readonly name: string;
  readonly relational: Source | null;
  readonly revision: number;
}

const CATALOG = "id, name, relational, revision, created_at, updated_at";
const SCHEMA = `catalog, ${CATALOG}`;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** Null where there is one of this name. */
export async function insertCatalog(
  sql: Sql,
  organizationId: string,
  catalog: NewChild<CatalogSource>,
): Promise<CatalogRow | null> {
  const rows = await sql<CatalogRow[]>`
    insert into catalogs (organization_id, name, id, relational, revision, created_at, updated_at)
    values (${organizationId}, ${catalog.name}, ${catalog.id},
            ${json(catalog.relational)}::text::json, ${catalog.revision}, clock_timestamp(),
            clock_timestamp())
    on conflict do nothing
    returning ${sql.unsafe(CATALOG)}`;
  return rows[0] ?? null;
}

/** For a transaction that has locked the workspace. */
export async function readCatalog(
  sql: Sql,
  organizationId: string,
  name: string,
): Promise<CatalogRow | null> {
  const rows = await sql<CatalogRow[]>`
    select ${sql.unsafe(CATALOG)} from catalogs
    where organization_id = ${organizationId} and name = ${name}`;
  return rows[0] ?? null;
}

/** By the path of its name. */
export async function findCatalog(
  db: Database,
  organizationId: string,
  workspace: string,
  name: string,
): Promise<CatalogRow | null> {
  const rows = await db.read<CatalogRow[]>(
    organizationId,
    (sql) => sql`
      select c.id, c.name, c.relational, c.revision, c.created_at, c.updated_at
      from workspaces w
      join catalogs c on c.organization_id = w.organization_id and c.name = ${name}
      where w.organization_id = ${organizationId} and w.name = ${workspace}`,
  );
  return rows[0] ?? null;
}

/** Those of the names that there are. */
export async function findCatalogs(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<readonly CatalogRow[]> {
  return db.read<CatalogRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(CATALOG)} from catalogs
      where organization_id = ${organizationId} and name = any(${[...names]}::text[])
      order by name`,
  );
}

/** In the order of names; one more than `limit` where there is a further page. */
export async function listCatalogs(
  db: Database,
  organizationId: string,
  limit: number,
  after: string,
): Promise<readonly CatalogRow[]> {
  return db.read<CatalogRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(CATALOG)} from catalogs
      where organization_id = ${organizationId} and name > ${after}
      order by name limit ${limit + 1}`,
  );
}

export async function updateCatalog(
  sql: Sql,
  organizationId: string,
  name: string,
  relational: CatalogSource | null,
): Promise<void> {
  await sql`
    update catalogs
    set relational = ${json(relational)}::text::json, revision = revision + 1,
        updated_at = clock_timestamp()
    where organization_id = ${organizationId} and name = ${name}`;
}

/** With its schemas and their tables. */
export async function deleteCatalog(sql: Sql, organizationId: string, name: string): Promise<void> {
  await sql`delete from catalogs where organization_id = ${organizationId} and name = ${name}`;
}

export interface Occupancy {
  readonly count: number;
  /** The highest revision among them, 0 where there are none. */
  readonly highest: number;
}

/** The organization's catalogs. */
export async function catalogsWithin(sql: Sql, organizationId: string): Promise<Occupancy> {
  const [row] = await sql<[Occupancy]>`
    select count(*) as count, coalesce(max(revision), 0) as highest from catalogs
    where organization_id = ${organizationId}`;
  return row;
}

/** A catalog's schemas. */
export async function schemasWithin(
  sql: Sql,
  organizationId: string,
  catalog: string,
): Promise<Occupancy> {
  const [row] = await sql<[Occupancy]>`
    select count(*) as count, coalesce(max(revision), 0) as highest from catalog_schemas
    where organization_id = ${organizationId} and catalog = ${catalog}`;
  return row;
}

/** Null where there is one of this name. */
export async function insertSchema(
  sql: Sql,
  organizationId: string,
  catalog: string,
  schema: NewChild<SchemaSource>,
): Promise<SchemaRow | null> {
  const rows = await sql<SchemaRow[]>`
    insert into catalog_schemas (organization_id, catalog, name, id, relational, revision,
                                 created_at, updated_at)
    values (${organizationId}, ${catalog}, ${schema.name}, ${schema.id},
            ${json(schema.relational)}::text::json, ${schema.revision}, clock_timestamp(),
            clock_timestamp())
    on conflict do nothing
    returning ${sql.unsafe(SCHEMA)}`;
  return rows[0] ?? null;
}

/** For a transaction that has locked the workspace. */
export async function readSchema(
  sql: Sql,
  organizationId: string,
  catalog: string,
  name: string,
): Promise<SchemaRow | null> {
  const rows = await sql<SchemaRow[]>`
    select ${sql.unsafe(SCHEMA)} from catalog_schemas
    where organization_id = ${organizationId} and catalog = ${catalog} and name = ${name}`;
  return rows[0] ?? null;
}

/** By the path of its name. */
export async function findSchema(
  db: Database,
  organizationId: string,
  workspace: string,
  catalog: string,
  name: string,
): Promise<SchemaRow | null> {
  const rows = await db.read<SchemaRow[]>(
    organizationId,
    (sql) => sql`
      select s.catalog, s.id, s.name, s.relational, s.revision, s.created_at, s.updated_at
      from workspaces w
      join catalog_schemas s on s.organization_id = w.organization_id
        and s.catalog = ${catalog} and s.name = ${name}
      where w.organization_id = ${organizationId} and w.name = ${workspace}`,
  );
  return rows[0] ?? null;
}

/** Those of the pairs that there are. */
export async function findSchemas(
  db: Database,
  organizationId: string,
  pairs: readonly { readonly catalog: string; readonly schema: string }[],
): Promise<readonly SchemaRow[]> {
  return db.read<SchemaRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(SCHEMA)} from catalog_schemas
      where organization_id = ${organizationId}
        and (catalog, name) in (
          select * from unnest(${pairs.map(({ catalog }) => catalog)}::text[],
                               ${pairs.map(({ schema }) => schema)}::text[]))
      order by catalog, name`,
  );
}

/** In the order of names; one more than `limit` where there is a further page. */
export async function listSchemas(
  db: Database,
  organizationId: string,
  catalog: string,
  limit: number,
  after: string,
): Promise<readonly SchemaRow[]> {
  return db.read<SchemaRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(SCHEMA)} from catalog_schemas
      where organization_id = ${organizationId} and catalog = ${catalog} and name > ${after}
      order by name limit ${limit + 1}`,
  );
}

export async function updateSchema(
  sql: Sql,
  organizationId: string,
  catalog: string,
  name: string,
  relational: SchemaSource | null,
): Promise<void> {
  await sql`
    update catalog_schemas
    set relational = ${json(relational)}::text::json, revision = revision + 1,
        updated_at = clock_timestamp()
    where organization_id = ${organizationId} and catalog = ${catalog} and name = ${name}`;
}

/** With its tables. */
export async function deleteSchema(
  sql: Sql,
  organizationId: string,
  catalog: string,
  name: string,
): Promise<void> {
  await sql`
    delete from catalog_schemas
    where organization_id = ${organizationId} and catalog = ${catalog} and name = ${name}`;
}

/** Where a table's place is, whose schema may be the source's: one statement for the three names. */
export interface Place {
  readonly catalog: CatalogSource | null;
  /** Whether the schema is one of the catalog's own. */
  readonly owned: boolean;
  readonly schema: SchemaSource | null;
}

export async function findPlace(
  db: Database,
  organizationId: string,
  workspace: string,
  catalog: string,
  schema: string,
): Promise<Place | null> {
  const rows = await db.read<Place[]>(
    organizationId,
    (sql) => sql`
      select c.relational as catalog, s.name is not null as owned, s.relational as schema
      from workspaces w
      join catalogs c on c.organization_id = w.organization_id and c.name = ${catalog}
      left join catalog_schemas s on s.organization_id = c.organization_id and s.catalog = c.name
        and s.name = ${schema}
      where w.organization_id = ${organizationId} and w.name = ${workspace}`,
  );
  return rows[0] ?? null;
}

/** The catalogs and schemas that read from a connector. @param connector its last segment */
export async function relationalUses(
  sql: Sql,
  organizationId: string,
  connector: string,
): Promise<readonly { catalog: string; schema: string | null }[]> {
  return sql<{ catalog: string; schema: string | null }[]>`
    select u.catalog, u.schema
    from workspaces w
    join (
      select organization_id, name as catalog, null as schema, relational from catalogs
      union all
      select organization_id, catalog, name, relational from catalog_schemas
    ) u on u.organization_id = w.organization_id
      and u.relational ->> 'connector' = 'workspaces/' || w.name || '/connectors/' || ${connector}
    where w.organization_id = ${organizationId}
    order by u.catalog, u.schema nulls first`;
}

export type RelationalRow =
  | { readonly catalog: string; readonly schema: null; readonly source: CatalogSource }
  | { readonly catalog: string; readonly schema: string; readonly source: SchemaSource };

/** Every relational catalog and schema of an organization. */
export async function listRelational(
  db: Database,
  organizationId: string,
): Promise<readonly RelationalRow[]> {
  return db.read<RelationalRow[]>(
    organizationId,
    (sql) => sql`
      select name as catalog, null as schema, relational as source from catalogs
      where organization_id = ${organizationId} and relational is not null
      union all
      select catalog, name, relational from catalog_schemas
      where organization_id = ${organizationId} and relational is not null
      order by 1, 2 nulls first`,
  );
}
