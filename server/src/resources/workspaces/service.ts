/** What other rooms ask of the workspace, its catalogs and its schemas. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { notFound } from "../../platform/input/problem.ts";
import {
  type CatalogSource,
  findCatalogs,
  findSchemas,
  listRelational,
  relationalUses,
  type SchemaSource,
} from "./catalog-store.ts";
import { workspaceName } from "./names.ts";
import { advanceRevision, findWorkspaceRow, lockWorkspaceRow } from "./store.ts";

export type { CatalogSource, SchemaSource } from "./catalog-store.ts";

export interface Workspace {
  /** The last segment of its name. */
  readonly id: string;
  /** `workspaces/{workspace}` */
  readonly name: string;
  /** Null where there is no default. */
  readonly sqlDefaults: { readonly catalog: string | null; readonly schema: string | null };
  readonly revision: number;
}

/** The organization's workspace, null before it is created. */
export async function findWorkspace(
  db: Database,
  organizationId: string,
): Promise<Workspace | null> {
  const row = await findWorkspaceRow(db, organizationId);
  if (row === null) return null;
  return {
    id: row.name,
    name: workspaceName(row.name),
    sqlDefaults: { catalog: row.default_catalog || null, schema: row.default_schema || null },
    revision: row.revision,
  };
}

/** The organization's workspace by the id of a path. @throws 404 */
export async function requireWorkspace(
  db: Database,
  organizationId: string,
  workspaceId: string,
): Promise<Workspace> {
  const workspace = await findWorkspace(db, organizationId);
  if (workspace?.id !== workspaceId) throw notFound("workspace");
  return workspace;
}

/**
 * Locks the organization's workspace, where it has one, until the transaction ends: the beginning of a
 * change of something that the workspace owns (a connector), as of a change of the catalog.
 */
export async function lockWorkspace(sql: Sql, organizationId: string): Promise<void> {
  await lockWorkspaceRow(sql, organizationId);
}

/**
 * Advances the revision of the organization's workspace, where it has one, within the transaction
 * of a change of something that the workspace owns (a connector). Lock
 * it first.
 */
export async function advanceWorkspace(sql: Sql, organizationId: string): Promise<void> {
  await advanceRevision(sql, organizationId, 0);
}

export interface RelationalCatalog {
  readonly catalog: string;
  readonly source: CatalogSource;
}

/** Those of the catalogs that read from a warehouse; in the order of their names. */
export async function findRelationalCatalogs(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<readonly RelationalCatalog[]> {
  const rows = await findCatalogs(db, organizationId, names);
  return rows.flatMap(({ name, relational }) =>
    relational === null ? [] : [{ catalog: name, source: relational }],
  );
}

export interface RelationalSchema {
  readonly catalog: string;
  readonly schema: string;
  readonly source: SchemaSource;
}

/**
 * Those of the schemas that read from a warehouse by a source of their own; schemas of a relational
 * catalog are not stored: for them ask `findRelationalCatalogs`.
 */
export async function findRelationalSchemas(
  db: Database,
  organizationId: string,
  pairs: readonly { readonly catalog: string; readonly schema: string }[],
): Promise<readonly RelationalSchema[]> {
  const rows = await findSchemas(db, organizationId, pairs);
  return rows.flatMap(({ catalog, name, relational }) =>
    relational === null ? [] : [{ catalog, schema: name, source: relational }],
  );
}

/** All relational catalogs and schemas of an organization, by name. */
export async function listRelationalParents(
  db: Database,
  organizationId: string,
): Promise<{
  readonly catalogs: readonly RelationalCatalog[];
  readonly schemas: readonly RelationalSchema[];
}> {
  const rows = await listRelational(db, organizationId);
  return {
    catalogs: rows.flatMap((row) =>
      row.schema === null ? [{ catalog: row.catalog, source: row.source }] : [],
    ),
    schemas: rows.flatMap((row) =>
      row.schema !== null ? [{ catalog: row.catalog, schema: row.schema, source: row.source }] : [],
    ),
  };
}

/**
 * The catalogs and schemas that read from a connector, as SQL names them.
 *
 * @param connector the last segment of its name
 */
export async function relationalParentsOf(
  sql: Sql,
  organizationId: string,
  connector: string,
): Promise<readonly string[]> {
  const rows = await relationalUses(sql, organizationId, connector);
  return rows.map(({ catalog, schema }) => (schema === null ? catalog : `${catalog}.${schema}`));
}
