/** The operations of schemas. Those of a relational catalog are its source's, and only read here. */

import type { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertIfMatch } from "../../api/masks/etag.ts";
import { readPatch } from "../../api/masks/patch.ts";
import { type NamePageRequest, NamePages } from "../../api/paging/name-pages.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import {
  deleteSchema as deleteRow,
  findCatalog,
  findSchema,
  insertSchema,
  listSchemas as listRows,
  readCatalog,
  readSchema,
  type SchemaRow,
  updateSchema,
} from "./catalog-store.ts";
import {
  assertEmpty,
  assertRevision,
  type Change,
  changeWorkspace,
  type DeleteRequest,
  type PatchRequest,
  type TablesWithin,
} from "./change.ts";
import { assertName, createdId, schemaName } from "./names.ts";
import {
  schemaFields,
  schemaRequest,
  type schemaSchema,
  toSchema,
  toSourceSchema,
} from "./record.ts";
import { assertConnector, isSameSource, pageOfNames, readOnly, sourceSchemas } from "./source.ts";

type SchemaForm = z.output<typeof schemaRequest>;
type SchemaView = z.infer<typeof schemaSchema>;

/** A catalog that owns its schemas. @throws 404, 409 */
async function assertOwner(change: Change, catalog: string): Promise<void> {
  const row = await readCatalog(change.sql, change.organizationId, catalog);
  if (row === null) throw notFound("catalog");
  if (row.relational !== null) throw readOnly("catalog", catalog, row.relational, "schemas");
}

/** @throws 404, 409, 422 */
export async function createSchema(
  ctx: AuthedContext,
  workspaceId: string,
  catalog: string,
  schemaId: string | undefined,
  form: SchemaForm,
): Promise<SchemaView> {
  return changeWorkspace(ctx, workspaceId, async (change) => {
    await assertOwner(change, catalog);
    const name = createdId("schemaId", schemaId, form.name, (id) =>
      schemaName(workspaceId, catalog, id),
    );
    return toSchema(workspaceId, await create(ctx, change, catalog, name, form));
  });
}

async function create(
  ctx: AuthedContext,
  change: Change,
  catalog: string,
  name: string,
  form: SchemaForm,
): Promise<SchemaRow> {
  const { sql, organizationId, workspace } = change;
  assertRevision(form.revision, null);
  await assertConnector(change, form.relational);
  const id = ctx.newId();
  const made = await insertSchema(sql, organizationId, catalog, {
    id,
    name,
    relational: form.relational,
    revision: workspace.first_revision,
  });
  if (made === null) {
    const there = await readSchema(sql, organizationId, catalog, name);
    if (there?.id === id) return there;
    throw conflict(`There is a schema '${name}' in the catalog '${catalog}' already.`);
  }
  await change.advance();
  return made;
}

/** @throws 404, and what reading the source of a relational catalog throws */
export async function getSchema(
  ctx: AuthedContext,
  workspaceId: string,
  catalog: string,
  name: string,
): Promise<SchemaView> {
  const { services, auth } = ctx;
  const row = await findSchema(services.db, auth.organizationId, workspaceId, catalog, name);
  if (row !== null) return toSchema(workspaceId, row);
  const parent = await findCatalog(services.db, auth.organizationId, workspaceId, catalog);
  if (parent?.relational != null) {
    const names = await sourceSchemas(ctx, parent.relational);
    if (names.includes(name)) return toSourceSchema(workspaceId, catalog, name, parent.relational);
  }
  throw notFound("schema");
}

/** @throws 404, 422, and what reading the source of a relational catalog throws */
export async function listSchemas(
  ctx: AuthedContext,
  workspaceId: string,
  catalog: string,
  page: NamePageRequest,
): Promise<{ schemas: SchemaView[]; nextPageToken: string }> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const parent = await findCatalog(services.db, organizationId, workspaceId, catalog);
  if (parent === null) throw notFound("catalog");
  const pages = new NamePages(services, "schemas");
  const filter = [organizationId, workspaceId, catalog];
  const after = pages.start(filter, page);
  if (parent.relational !== null) {
    const source = parent.relational;
    const names = pageOfNames(await sourceSchemas(ctx, source), after, page.pageSize);
    const { entries, nextPageToken } = pages.cut(filter, page, names);
    const schemas = entries.map(({ name }) => toSourceSchema(workspaceId, catalog, name, source));
    return { schemas, nextPageToken };
  }
  const rows = await listRows(services.db, organizationId, catalog, page.pageSize, after);
  const { entries, nextPageToken } = pages.cut(filter, page, rows);
  return { schemas: entries.map((row) => toSchema(workspaceId, row)), nextPageToken };
}

/** @throws 404, 409, 412, 422 */
export async function patchSchema(
  ctx: AuthedContext,
  tablesWithin: TablesWithin,
  workspaceId: string,
  catalog: string,
  name: string,
  request: PatchRequest,
): Promise<SchemaView> {
  const patch = readPatch({
    form: schemaRequest,
    fields: schemaFields,
    mask: request.updateMask,
    body: request.body,
  });
  return changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    await assertOwner(change, catalog);
    const row = await readSchema(sql, organizationId, catalog, name);
    if (row === null && !request.allowMissing) throw notFound("schema");
    assertIfMatch(request.ifMatch, row === null ? null : String(row.revision));
    const form = patch.onto(row === null ? null : { relational: row.relational });
    assertName(form.name, schemaName(workspaceId, catalog, name));
    if (row === null) {
      return toSchema(workspaceId, await create(ctx, change, catalog, name, form));
    }
    assertRevision(form.revision, row.revision);
    if (isSameSource(form.relational, row.relational)) return toSchema(workspaceId, row);
    await assertConnector(change, form.relational);
    const { count } = await tablesWithin(sql, organizationId, catalog, name);
    if (form.relational !== null && count > 0) {
      throw conflict(
        `The schema '${name}' holds tables of its own (${count}); it cannot read from a warehouse until they are deleted.`,
      );
    }
    await updateSchema(sql, organizationId, catalog, name, form.relational);
    await change.advance();
    return toSchema(workspaceId, (await readSchema(sql, organizationId, catalog, name)) ?? row);
  });
}

/** @throws 404, 409, 412 */
export async function deleteSchema(
  ctx: AuthedContext,
  tablesWithin: TablesWithin,
  workspaceId: string,
  catalog: string,
  name: string,
  request: DeleteRequest,
): Promise<void> {
  await changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    await assertOwner(change, catalog);
    const row = await readSchema(sql, organizationId, catalog, name);
    if (row === null) throw notFound("schema");
    assertIfMatch(request.ifMatch, String(row.revision));
    const tables = await tablesWithin(sql, organizationId, catalog, name);
    assertEmpty(`The schema '${name}'`, "table", tables.count, request.force);
    await deleteRow(sql, organizationId, catalog, name);
    await change.advance(Math.max(row.revision, tables.highest));
  });
}
