/** How many tables a catalog or a schema holds: asked before they are deleted. */

import type { TablesWithin } from "../workspaces/change.ts";

export const tablesWithin: TablesWithin = async (sql, organizationId, catalog, schema) => {
  const [row] = await sql<[Awaited<ReturnType<TablesWithin>>]>`
    select count(*) as count, coalesce(max(revision), 0) as highest from catalog_tables
    where organization_id = ${organizationId} and catalog = ${catalog}
      and (${schema}::text is null or schema = ${schema})`;
  return row;
};
