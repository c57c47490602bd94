/** The SQL of workspaces, and the only place of it. */

import type { Database, Sql } from "../../platform/db/database.ts";

export interface WorkspaceRow {
  readonly id: string;
  /** The last segment of its name. */
  readonly name: string;
  /** Empty where there is no default. */
  readonly default_catalog: string;
  readonly default_schema: string;
  readonly revision: number;
  /** What new children begin with. */
  readonly first_revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SqlDefaultsRow {
  readonly catalog: string;
  readonly schema: string;
}

const COLUMNS = `id, name, default_catalog, default_schema, revision, first_revision, created_at,
  updated_at`;

/** Null where the organization has a workspace already. */
export async function insertWorkspace(
  sql: Sql,
  organizationId: string,
  workspace: { readonly id: string; readonly name: string; readonly defaults: SqlDefaultsRow },
): Promise<WorkspaceRow | null> {
  const rows = await sql<WorkspaceRow[]>`
    insert into workspaces (organization_id, id, name, default_catalog, default_schema)
    values (${organizationId}, ${workspace.id}, ${workspace.name}, ${workspace.defaults.catalog},
            ${workspace.defaults.schema})
    on conflict (organization_id) do nothing
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

export async function findWorkspaceRow(
  db: Database,
  organizationId: string,
): Promise<WorkspaceRow | null> {
  const rows = await db.read<WorkspaceRow[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from workspaces where organization_id = ${organizationId}`,
  );
  return rows[0] ?? null;
}

/** Locked against other changes of the organization's catalog until the transaction ends. */
export async function lockWorkspaceRow(
  sql: Sql,
  organizationId: string,
): Promise<WorkspaceRow | null> {
  const rows = await sql<WorkspaceRow[]>`
    select ${sql.unsafe(COLUMNS)} from workspaces where organization_id = ${organizationId}
    for no key update`;
  return rows[0] ?? null;
}

/** The next revision. @param retired the highest revision of the children that were deleted */
export async function advanceRevision(
  sql: Sql,
  organizationId: string,
  retired: number,
): Promise<void> {
  await sql`
    update workspaces
    set revision = revision + 1, first_revision = greatest(first_revision, ${retired}::bigint + 1),
        updated_at = clock_timestamp()
    where organization_id = ${organizationId}`;
}

/** The next revision, with these defaults. */
export async function updateDefaults(
  sql: Sql,
  organizationId: string,
  defaults: SqlDefaultsRow,
): Promise<WorkspaceRow | null> {
  const rows = await sql<WorkspaceRow[]>`
    update workspaces
    set default_catalog = ${defaults.catalog}, default_schema = ${defaults.schema},
        revision = revision + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId}
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

/** With all that it owns. */
export async function deleteWorkspaceRow(sql: Sql, organizationId: string): Promise<void> {
  await sql`delete from workspaces where organization_id = ${organizationId}`;
}
