/** The SQL of kept profiles, and the only place of it. */

import type { Database } from "../../platform/db/database.ts";
import type { TableName } from "../../query/sql/query.ts";
import type { ProfiledTable } from "./other-columns.ts";

export interface KeptProfile extends ProfiledTable {
  readonly computed_at: Date;
}

export async function findProfile(
  db: Database,
  organizationId: string,
  name: TableName,
  identity: string,
): Promise<KeptProfile | null> {
  const rows = await db.query<KeptProfile[]>(
    organizationId,
    (sql) => sql`
      select rows, columns, profile, warnings, computed_at from table_profiles
      where organization_id = ${organizationId} and catalog = ${name.catalog}
        and schema = ${name.schema} and table_name = ${name.table} and identity = ${identity}`,
  );
  return rows[0] ?? null;
}

/** In place of the one that was kept before. */
export async function keepProfile(
  db: Database,
  organizationId: string,
  name: TableName,
  identity: string,
  profile: ProfiledTable,
): Promise<KeptProfile> {
  const [row] = await db.query<[KeptProfile]>(
    organizationId,
    (sql) => sql`
      insert into table_profiles (organization_id, catalog, schema, table_name, identity, rows,
                                  columns, profile, warnings)
      values (${organizationId}, ${name.catalog}, ${name.schema}, ${name.table}, ${identity},
              ${profile.rows}, ${JSON.stringify(profile.columns)}::text::json,
              ${JSON.stringify(profile.profile)}::text::json,
              ${JSON.stringify(profile.warnings)}::text::json)
      on conflict (organization_id, catalog, schema, table_name) do update
      set identity = excluded.identity, rows = excluded.rows, columns = excluded.columns,
          profile = excluded.profile, warnings = excluded.warnings, computed_at = now()
      returning rows, columns, profile, warnings, computed_at`,
  );
  return row;
}
