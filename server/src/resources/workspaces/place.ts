/** Schemas as the places of tables: whether there is one, and whether it owns its tables. */

import type { AuthedContext } from "../../api/context/context.ts";
import { notFound } from "../../platform/input/problem.ts";
import { catalogStore, findPlace, type SchemaSource, schemaStore } from "./catalog-store.ts";
import type { Change } from "./change.ts";
import { schemaOfSource } from "./record.ts";
import { readOnly, sourceSchemas } from "./source.ts";

export interface SchemaPlace {
  /** The warehouse's schema whose tables it shows, null where it owns its tables. */
  readonly source: SchemaSource | null;
}

/** Null where there is no such schema, here or at the source of its catalog. */
export async function findSchemaPlace(
  ctx: AuthedContext,
  workspaceId: string,
  catalog: string,
  schema: string,
): Promise<SchemaPlace | null> {
  const { services, auth } = ctx;
  const place = await findPlace(services.db, auth.organizationId, workspaceId, catalog, schema);
  if (place === null) return null;
  if (place.catalog === null) return place.owned ? { source: place.schema } : null;
  const names = await sourceSchemas(ctx, place.catalog);
  return names.includes(schema) ? { source: schemaOfSource(place.catalog, schema) } : null;
}

/** A schema that owns its tables. @throws 404, 409 */
export async function assertOwnedTables(
  { sql, organizationId }: Change,
  catalog: string,
  schema: string,
): Promise<void> {
  const parent = await catalogStore.read(sql, organizationId, {}, catalog);
  if (parent === null) throw notFound("catalog");
  if (parent.relational !== null) throw readOnly("catalog", catalog, parent.relational, "tables");
  const row = await schemaStore.read(sql, organizationId, { catalog }, schema);
  if (row === null) throw notFound("schema");
  if (row.relational !== null) throw readOnly("schema", schema, row.relational, "tables");
}
