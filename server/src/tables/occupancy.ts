/** How many tables a catalog or a schema holds: asked before they are deleted. */

import type { Sql } from "../db/database.ts";

export interface TableOccupancy {
  readonly count: number;
  /** The highest revision among them, 0 where there are none. */
  readonly highest: number;
}

/** @param schema null = those of all schemas of the catalog */
export async function tablesWithin(
  sql: Sql,
  organizationId: string,
  catalog: string,
  schema: string | null,
): Promise<TableOccupancy> {
  const [row] = await sql<[TableOccupancy]>`
    select count(*) as count, coalesce(max(revision), 0) as highest from catalog_tables
    where organization_id = ${organizationId} and catalog = ${catalog}
      and (${schema}::text is null or schema = ${schema})`;
  return row;
}
