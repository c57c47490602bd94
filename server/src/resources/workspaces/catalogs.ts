/** The operations of catalogs. */

import type { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertIfMatch } from "../../api/masks/etag.ts";
import { readPatch } from "../../api/masks/patch.ts";
import { type NamePageRequest, NamePages } from "../../api/paging/name-pages.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import {
  type CatalogRow,
  deleteCatalog as deleteRow,
  findCatalog,
  insertCatalog,
  listCatalogs as listRows,
  readCatalog,
  schemasWithin,
  updateCatalog,
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
import { assertName, catalogName, createdId } from "./names.ts";
import { catalogFields, catalogRequest } from "./record.ts";
import { requireWorkspace } from "./service.ts";
import { assertConnector, isSameSource } from "./source.ts";

type CatalogForm = z.output<typeof catalogRequest>;

/** @throws 404, 409, 422 */
export async function createCatalog(
  ctx: AuthedContext,
  workspaceId: string,
  catalogId: string | undefined,
  form: CatalogForm,
): Promise<CatalogRow> {
  return changeWorkspace(ctx, workspaceId, (change) => {
    const name = createdId("catalogId", catalogId, form.name, (id) => catalogName(workspaceId, id));
    return create(ctx, change, name, form);
  });
}

async function create(
  ctx: AuthedContext,
  change: Change,
  name: string,
  form: CatalogForm,
): Promise<CatalogRow> {
  const { sql, organizationId, workspace } = change;
  assertRevision(form.revision, null);
  await assertConnector(change, form.relational);
  const id = ctx.newId();
  const made = await insertCatalog(sql, organizationId, {
    id,
    name,
    relational: form.relational,
    revision: workspace.first_revision,
  });
  if (made === null) {
    const there = await readCatalog(sql, organizationId, name);
    if (there?.id === id) return there;
    throw conflict(`There is a catalog '${name}' already.`);
  }
  await change.advance();
  return made;
}

/** @throws 404 */
export async function getCatalog(
  { services, auth }: AuthedContext,
  workspaceId: string,
  name: string,
): Promise<CatalogRow> {
  const row = await findCatalog(services.db, auth.organizationId, workspaceId, name);
  if (row === null) throw notFound("catalog");
  return row;
}

/** @throws 404, 422 */
export async function listCatalogs(
  { services, auth }: AuthedContext,
  workspaceId: string,
  page: NamePageRequest,
) {
  const { organizationId } = auth;
  await requireWorkspace(services.db, organizationId, workspaceId);
  const pages = new NamePages(services, "catalogs");
  const filter = [organizationId, workspaceId];
  const after = pages.start(filter, page);
  const rows = await listRows(services.db, organizationId, page.pageSize, after);
  return pages.cut(filter, page, rows);
}

/** @throws 404, 409, 412, 422 */
export async function patchCatalog(
  ctx: AuthedContext,
  workspaceId: string,
  name: string,
  request: PatchRequest,
): Promise<CatalogRow> {
  const patch = readPatch({
    form: catalogRequest,
    fields: catalogFields,
    mask: request.updateMask,
    body: request.body,
  });
  return changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    const row = await readCatalog(sql, organizationId, name);
    if (row === null && !request.allowMissing) throw notFound("catalog");
    assertIfMatch(request.ifMatch, row === null ? null : String(row.revision));
    const form = patch.onto(row === null ? null : { relational: row.relational });
    assertName(form.name, catalogName(workspaceId, name));
    if (row === null) return create(ctx, change, name, form);
    assertRevision(form.revision, row.revision);
    if (isSameSource(form.relational, row.relational)) return row;
    await assertConnector(change, form.relational);
    const { count } = await schemasWithin(sql, organizationId, name);
    if (form.relational !== null && count > 0) {
      throw conflict(
        `The catalog '${name}' holds schemas of its own (${count}); it cannot read from a warehouse until they are deleted.`,
      );
    }
    await updateCatalog(sql, organizationId, name, form.relational);
    await change.advance();
    return (await readCatalog(sql, organizationId, name)) ?? row;
  });
}

/** @throws 404, 409, 412 */
export async function deleteCatalog(
  ctx: AuthedContext,
  tablesWithin: TablesWithin,
  workspaceId: string,
  name: string,
  request: DeleteRequest,
): Promise<void> {
  await changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    const row = await readCatalog(sql, organizationId, name);
    if (row === null) throw notFound("catalog");
    assertIfMatch(request.ifMatch, String(row.revision));
    const schemas = await schemasWithin(sql, organizationId, name);
    assertEmpty(`The catalog '${name}'`, "schema", schemas.count, request.force);
    const tables = await tablesWithin(sql, organizationId, name, null);
    await deleteRow(sql, organizationId, name);
    await change.advance(Math.max(row.revision, schemas.highest, tables.highest));
  });
}
