/** The operations of tables. Those of a relational schema are its source's, and only read here. */

import type { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertIfMatch } from "../../api/masks/etag.ts";
import { readPatch } from "../../api/masks/patch.ts";
import { type NamePageRequest, NamePages } from "../../api/paging/name-pages.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import {
  assertRevision,
  type Change,
  changeWorkspace,
  type PatchRequest,
} from "../workspaces/change.ts";
import { assertName, createdId, schemaName, tableName } from "../workspaces/names.ts";
import { assertOwnedTables, findSchemaPlace } from "../workspaces/place.ts";
import { pageOfNames, sourceTables } from "../workspaces/source.ts";
import { fittingConnector } from "./connector-fit.ts";
import { refuseListedLogs } from "./listed-log.ts";
import {
  revisionHash,
  type Table,
  tableFields,
  tableRequest,
  toSourceTable,
  toTable,
} from "./record.ts";
import {
  deleteTable as deleteRow,
  findTable,
  insertTable,
  listTables as listRows,
  readTable,
  type TablePath,
  type TableRow,
  updateTable,
} from "./store.ts";

type TableForm = z.output<typeof tableRequest>;
type SchemaPath = Omit<TablePath, "table">;

/** @throws 404, 409, 422 */
export async function createTable(
  ctx: AuthedContext,
  workspaceId: string,
  { catalog, schema }: SchemaPath,
  tableId: string | undefined,
  form: TableForm,
): Promise<Table> {
  await refuseListedLogs(ctx, form.spec);
  return changeWorkspace(ctx, workspaceId, async (change) => {
    await assertOwnedTables(change, catalog, schema);
    const table = createdId("tableId", tableId, form.name, (id) =>
      tableName(workspaceId, catalog, schema, id),
    );
    return toTable(workspaceId, await create(ctx, change, { catalog, schema, table }, form));
  });
}

async function create(
  ctx: AuthedContext,
  change: Change,
  path: TablePath,
  form: TableForm,
): Promise<TableRow> {
  const { sql, organizationId, workspace } = change;
  assertRevision(form.revision, null);
  const id = ctx.newId();
  const made = await insertTable(sql, organizationId, path, {
    id,
    connector: await fittingConnector(change, form.spec),
    spec: form.spec,
    revision_hash: revisionHash(form.spec),
    revision: workspace.first_revision,
  });
  if (made === null) {
    const there = await readTable(sql, organizationId, path);
    if (there?.id === id) return there;
    const { catalog, schema, table } = path;
    throw conflict(`There is a table '${table}' in '${catalog}.${schema}' already.`);
  }
  await change.advance();
  return made;
}

/** @throws 404, and what reading the source of a relational schema throws */
export async function getTable(
  ctx: AuthedContext,
  workspaceId: string,
  path: TablePath,
): Promise<Table> {
  const { services, auth } = ctx;
  const row = await findTable(services.db, auth.organizationId, workspaceId, path);
  if (row !== null) return toTable(workspaceId, row);
  const { catalog, schema, table } = path;
  const place = await findSchemaPlace(ctx, workspaceId, catalog, schema);
  if (place !== null && place.source !== null) {
    const names = await sourceTables(ctx, place.source);
    const parent = schemaName(workspaceId, catalog, schema);
    if (names.includes(table)) return toSourceTable(parent, place.source, table);
  }
  throw notFound("table");
}

/** @throws 404, 422, and what reading the source of a relational schema throws */
export async function listTables(
  ctx: AuthedContext,
  workspaceId: string,
  { catalog, schema }: SchemaPath,
  page: NamePageRequest,
): Promise<{ tables: Table[]; nextPageToken: string }> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const place = await findSchemaPlace(ctx, workspaceId, catalog, schema);
  if (place === null) throw notFound("schema");
  const pages = new NamePages(services, "tables");
  const filter = [organizationId, workspaceId, catalog, schema];
  const after = pages.start(filter, page);
  const { source } = place;
  if (source !== null) {
    const parent = schemaName(workspaceId, catalog, schema);
    const names = pageOfNames(await sourceTables(ctx, source), after, page.pageSize);
    const { entries, nextPageToken } = pages.cut(filter, page, names);
    return {
      tables: entries.map(({ name }) => toSourceTable(parent, source, name)),
      nextPageToken,
    };
  }
  const rows = await listRows(
    services.db,
    organizationId,
    { catalog, schema },
    page.pageSize,
    after,
  );
  const { entries, nextPageToken } = pages.cut(filter, page, rows);
  return { tables: entries.map((row) => toTable(workspaceId, row)), nextPageToken };
}

/** @throws 404, 409, 412, 422 */
export async function patchTable(
  ctx: AuthedContext,
  workspaceId: string,
  path: TablePath,
  request: PatchRequest,
): Promise<Table> {
  const { catalog, schema, table } = path;
  const patch = readPatch({
    form: tableRequest,
    fields: tableFields,
    mask: request.updateMask,
    body: request.body,
  });
  const patched = (row: TableRow | null): TableForm => {
    assertIfMatch(request.ifMatch, row?.revision_hash ?? null);
    return patch.onto(row === null ? null : { spec: row.spec });
  };
  // Before the transaction, which must not wait for what somebody else's system says.
  const { services, auth } = ctx;
  const before = await findTable(services.db, auth.organizationId, workspaceId, path);
  if (before !== null || request.allowMissing) {
    const { spec } = patched(before);
    if (before?.revision_hash !== revisionHash(spec)) await refuseListedLogs(ctx, spec);
  }
  return changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    await assertOwnedTables(change, catalog, schema);
    const row = await readTable(sql, organizationId, path);
    if (row === null && !request.allowMissing) throw notFound("table");
    const form = patched(row);
    assertName(form.name, tableName(workspaceId, catalog, schema, table));
    if (row === null) return toTable(workspaceId, await create(ctx, change, path, form));
    assertRevision(form.revision, row.revision);
    const revision_hash = revisionHash(form.spec);
    if (revision_hash === row.revision_hash) return toTable(workspaceId, row);
    const connector = await fittingConnector(change, form.spec);
    const next = { connector, spec: form.spec, revision_hash };
    const updated = await updateTable(sql, organizationId, path, next);
    await change.advance();
    return toTable(workspaceId, updated ?? row);
  });
}

/** @throws 404, 409, 412 */
export async function deleteTable(
  ctx: AuthedContext,
  workspaceId: string,
  path: TablePath,
  ifMatch: string | undefined,
): Promise<void> {
  await changeWorkspace(ctx, workspaceId, async (change) => {
    const { sql, organizationId } = change;
    await assertOwnedTables(change, path.catalog, path.schema);
    const row = await readTable(sql, organizationId, path);
    if (row === null) throw notFound("table");
    assertIfMatch(ifMatch, row.revision_hash);
    await deleteRow(sql, organizationId, path);
    await change.advance(row.revision);
  });
}
