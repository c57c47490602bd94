/** The SQL of catalogs and schemas, and (with `owned-store.ts`) the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { type OwnedRow, OwnedStore } from "./owned-store.ts";

/** A catalog of a warehouse. */
export interface CatalogSource {
  /** The connector's full name. */
  readonly connector: string;
  readonly sourceCatalog: string;
}

export interface SchemaSource extends CatalogSource {
  readonly sourceSchema: string;
}

export interface CatalogRow extends OwnedRow {
  /** Null where it owns its schemas. */
  readonly relational: CatalogSource | null;
}

export interface SchemaRow extends OwnedRow {
  readonly catalog: string;
  /** Null where it owns its tables. */
  readonly relational: SchemaSource | null;
}

export const catalogStore = new OwnedStore<CatalogRow>("catalogs", ["relational"]);
export const schemaStore = new OwnedStore<SchemaRow>("catalog_schemas", ["catalog", "relational"]);

/** Those of the names that there are. */
export async function findCatalogs(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<readonly Pick<CatalogRow, "name" | "relational">[]> {
  return db.read<Pick<CatalogRow, "name" | "relational">[]>(
    organizationId,
    (sql) => sql`
      select name, relational from catalogs
      where organization_id = ${organizationId} and name = any(${[...names]}::text[])
      order by name`,
  );
}

/** Those of the pairs that there are. */
export async function findSchemas(
  db: Database,
  organizationId: string,
  pairs: readonly { readonly catalog: string; readonly schema: string }[],
): Promise<readonly Pick<SchemaRow, "catalog" | "name" | "relational">[]> {
  return db.read<Pick<SchemaRow, "catalog" | "name" | "relational">[]>(
    organizationId,
    (sql) => sql`
      select catalog, name, relational from catalog_schemas
      where organization_id = ${organizationId}
        and (catalog, name) in (
          select * from unnest(${pairs.map(({ catalog }) => catalog)}::text[],
                               ${pairs.map(({ schema }) => schema)}::text[]))
      order by catalog, name`,
  );
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
