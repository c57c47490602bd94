/** The operations of workspaces. */

import type { z } from "zod";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertIfMatch } from "../../api/masks/etag.ts";
import { readPatch } from "../../api/masks/patch.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { catalogStore } from "./catalog-store.ts";
import {
  assertEmpty,
  assertRevision,
  changeWorkspace,
  type DeleteRequest,
  type PatchRequest,
} from "./change.ts";
import { assertName, DEFAULT_WORKSPACE, lastSegment, workspaceName } from "./names.ts";
import { toWorkspace, workspaceFields, workspaceRequest } from "./record.ts";
import { statementStore } from "./statements/record.ts";
import {
  deleteWorkspaceRow,
  findWorkspaceRow,
  insertWorkspace,
  lockWorkspaceRow,
  updateDefaults,
  type WorkspaceRow,
} from "./store.ts";

type WorkspaceForm = z.output<typeof workspaceRequest>;

/** @throws 409 where the organization has one */
export async function createWorkspace(
  { services, auth, newId }: AuthedContext,
  form: WorkspaceForm,
): Promise<WorkspaceRow> {
  const { organizationId } = auth;
  assertRevision(form.revision, null);
  const id = newId();
  return services.db.forOrganization(organizationId, async (sql) => {
    const made = await insertWorkspace(sql, organizationId, {
      id,
      name: form.name === "" ? DEFAULT_WORKSPACE : lastSegment(form.name),
      defaults: defaultsOf(form),
    });
    if (made !== null) return made;
    const there = await lockWorkspaceRow(sql, organizationId);
    if (there?.id === id) return there;
    throw conflict(
      `The organization has its workspace${there === null ? "" : `, '${workspaceName(there.name)}'`}; it can have only one.`,
    );
  });
}

/** @throws 404 */
export async function getWorkspace(ctx: AuthedContext, workspaceId: string): Promise<WorkspaceRow> {
  const row = await findWorkspaceRow(ctx.services.db, ctx.auth.organizationId);
  if (row?.name !== workspaceId) throw notFound("workspace");
  return row;
}

/** @throws 404, 409, 412, 422 */
export async function patchWorkspace(
  ctx: AuthedContext,
  workspaceId: string,
  request: PatchRequest,
): Promise<WorkspaceRow> {
  const { services, auth } = ctx;
  const patch = readPatch({
    form: workspaceRequest,
    fields: workspaceFields,
    mask: request.updateMask,
    body: request.body,
  });
  const formOf = (row: WorkspaceRow | null): WorkspaceForm => {
    const form = patch.onto(row === null ? null : { sqlDefaults: toWorkspace(row).sqlDefaults });
    assertName(form.name, workspaceName(workspaceId));
    return form;
  };
  if (request.allowMissing && (await findWorkspaceRow(services.db, auth.organizationId)) === null) {
    assertIfMatch(request.ifMatch, null);
    return createWorkspace(ctx, { ...formOf(null), name: workspaceName(workspaceId) });
  }
  return changeWorkspace(ctx, workspaceId, async ({ sql, organizationId, workspace }) => {
    assertIfMatch(request.ifMatch, String(workspace.revision));
    const form = formOf(workspace);
    assertRevision(form.revision, workspace.revision);
    const defaults = defaultsOf(form);
    const unchanged =
      defaults.catalog === workspace.default_catalog &&
      defaults.schema === workspace.default_schema;
    if (unchanged) return workspace;
    return (await updateDefaults(sql, organizationId, defaults)) ?? workspace;
  });
}

/**
 * With its catalogs and saved statements; the organization's connectors stay.
 *
 * @throws 404, 409, 412
 */
export async function deleteWorkspace(
  ctx: AuthedContext,
  workspaceId: string,
  request: DeleteRequest,
): Promise<void> {
  await changeWorkspace(ctx, workspaceId, async ({ sql, organizationId, workspace }) => {
    assertIfMatch(request.ifMatch, String(workspace.revision));
    const { count } = await catalogStore.within(sql, organizationId, {});
    const statements = await statementStore.within(sql, organizationId, {});
    const title = `The workspace '${workspace.name}'`;
    assertEmpty(title, "catalog", count, request.force);
    assertEmpty(title, "saved statement", statements.count, request.force);
    await deleteWorkspaceRow(sql, organizationId);
  });
}

const defaultsOf = ({ sqlDefaults }: WorkspaceForm) => ({
  catalog: sqlDefaults.defaultCatalog,
  schema: sqlDefaults.defaultSchema,
});
