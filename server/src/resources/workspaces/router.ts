/** Workspaces: create, list, get, patch, delete. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag } from "../../api/masks/etag.ts";
import { patchBody } from "../../api/masks/patch.ts";
import { NamePages } from "../../api/paging/name-pages.ts";
import { camelNextPageToken, camelPageQuery } from "../../api/paging/page-token.ts";
import { createWorkspace, deleteWorkspace, getWorkspace, patchWorkspace } from "./operations.ts";
import {
  deleteParentMembers,
  nothing,
  patchMembers,
  revisedOperations,
  workspacePath,
} from "./parts.ts";
import { toWorkspace, workspaceRequest, workspaceSchema } from "./record.ts";
import { findWorkspaceRow } from "./store.ts";

const says = revisedOperations(
  {
    collection: "/v1/workspaces",
    parameter: "workspace_id",
    title: "Workspace",
    tags: ["Workspaces"],
  },
  "workspace",
);

export const workspacesRouter = router({
  create: authed("workspace:write")
    .meta(
      says.create({
        description:
          "The organization's SQL environment; it has one. Timestamps are ignored; a positive " +
          "revision is refused, because there is nothing yet that could have it.",
        errors: ["conflict"],
      }),
    )
    .input(z.strictObject({ workspace: workspaceRequest.prefault({}) }))
    .output(workspaceSchema)
    .mutation(async ({ ctx, input }) => {
      const row = await createWorkspace(ctx, input.workspace);
      ctx.setHeader("etag", entityTag(String(row.revision)));
      return toWorkspace(row);
    }),

  list: authed("workspace:read")
    .meta(says.list({ description: "The organization's workspace, or none." }))
    .input(z.strictObject(camelPageQuery))
    .output(z.object({ workspaces: z.array(workspaceSchema), nextPageToken: camelNextPageToken }))
    .query(async ({ ctx, input }) => {
      const { organizationId } = ctx.auth;
      const pages = new NamePages(ctx.services, "workspaces");
      const after = pages.start([organizationId], input);
      const row = await findWorkspaceRow(ctx.services.db, organizationId);
      const rows = row !== null && row.name > after ? [row] : [];
      return { workspaces: rows.map(toWorkspace), nextPageToken: "" };
    }),

  get: authed("workspace:read")
    .meta(says.get())
    .input(z.strictObject(workspacePath))
    .output(workspaceSchema)
    .query(async ({ ctx, input }) => {
      const row = await getWorkspace(ctx, input.workspace_id);
      ctx.setHeader("etag", entityTag(String(row.revision)));
      return toWorkspace(row);
    }),

  patch: authed("workspace:write")
    .meta(says.patch())
    .input(
      z.strictObject({
        ...workspacePath,
        ...patchMembers,
        workspace: patchBody("WorkspaceRequest"),
      }),
    )
    .output(workspaceSchema)
    .mutation(async ({ ctx, input: { workspace_id, workspace, ...patch } }) => {
      const row = await patchWorkspace(ctx, workspace_id, { ...patch, body: workspace });
      ctx.setHeader("etag", entityTag(String(row.revision)));
      return toWorkspace(row);
    }),

  delete: authed("workspace:write")
    .meta(
      says.delete({
        description:
          "With force, its catalogs and saved statements go with it. The organization's connectors stay.",
      }),
    )
    .input(z.strictObject({ ...workspacePath, ...deleteParentMembers }))
    .output(nothing)
    .mutation(async ({ ctx, input: { workspace_id, ...how } }) => {
      await deleteWorkspace(ctx, workspace_id, how);
      return {};
    }),
});
