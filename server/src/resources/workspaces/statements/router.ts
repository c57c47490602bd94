/** Saved statements: create, list, get, patch, delete; `owned.ts` tells what each does. */

import { z } from "zod";
import { authed, router } from "../../../api/http/routing/trpc.ts";
import { patchBody } from "../../../api/masks/patch.ts";
import { camelNextPageToken, camelPageQuery } from "../../../api/paging/page-token.ts";
import { conflict } from "../../../platform/input/problem.ts";
import { segmentId, statementName } from "../names.ts";
import { owned } from "../owned.ts";
import {
  deleteMembers,
  nothing,
  patchMembers,
  revisedOperations,
  workspacePath,
} from "../parts.ts";
import { findWorkspaceRow } from "../store.ts";
import {
  type SavedStatement,
  type StatementRow,
  statementFields,
  statementRequest,
  statementSchema,
  statementStore,
  toStatement,
} from "./record.ts";

interface WorkspacePath {
  readonly workspace_id: string;
}

/** Of a workspace: more are hardly found again. */
const MOST = 1_000;

const statements = owned<
  WorkspacePath,
  StatementRow,
  z.output<typeof statementRequest>,
  SavedStatement
>({
  kind: "statement",
  parentKind: "workspace",
  store: statementStore,
  form: statementRequest,
  fields: statementFields,
  keyOf: () => ({}),
  fullName: ({ workspace_id }, name) => statementName(workspace_id, name),
  titleOf: (_parents, name) => `saved statement '${name}'`,
  show: ({ workspace_id }, row) => toStatement(workspace_id, row),
  tagOf: ({ revision }) => revision,
  writtenIn: ({ title, sql }) => ({ title, sql }),
  isUnchanged: (row, { title, sql }) => row.title === title && row.sql === sql,
  async findParent({ services, auth }, { workspace_id }) {
    const workspace = await findWorkspaceRow(services.db, auth.organizationId);
    return workspace?.name === workspace_id ? { source: null } : null;
  },
  // The workspace is found and locked for every change.
  assertOwner: async () => undefined,
  async columnsOf({ sql, organizationId }, name, form) {
    const { count } = await statementStore.within(sql, organizationId, {});
    // One that is there already is changed all the same.
    if (count >= MOST && (await statementStore.read(sql, organizationId, {}, name)) === null) {
      throw conflict(`A workspace keeps up to ${MOST} statements; delete some first.`);
    }
    return { title: form.title === "" ? name : form.title, sql: form.sql };
  },
});

const says = revisedOperations(
  {
    collection: "/v1/workspaces/{workspace_id}/statements",
    parameter: "statement_id",
    title: "Saved Statement",
    tags: ["Saved statements"],
  },
  "statement",
);

const statementPath = { ...workspacePath, statement_id: segmentId };

export const statementsRouter = router({
  create: authed("workspace:write")
    .meta(
      says.create({
        query: ["statementId"],
        description: `Its id comes from statementId, or from the body's name. A workspace keeps up to ${MOST}.`,
        errors: ["not-found", "conflict"],
      }),
    )
    .input(
      z.strictObject({
        ...workspacePath,
        statementId: segmentId.optional(),
        statement: statementRequest,
      }),
    )
    .output(statementSchema)
    .mutation(({ ctx, input: { statementId, statement, ...workspace } }) =>
      statements.create(ctx, workspace, statementId, statement),
    ),

  list: authed("workspace:read")
    .meta(says.list({ description: "In the order of their ids.", errors: ["not-found"] }))
    .input(z.strictObject({ ...workspacePath, ...camelPageQuery }))
    .output(z.object({ statements: z.array(statementSchema), nextPageToken: camelNextPageToken }))
    .query(async ({ ctx, input: { workspace_id, ...page } }) => {
      const { entries, nextPageToken } = await statements.list(ctx, { workspace_id }, page);
      return { statements: entries, nextPageToken };
    }),

  get: authed("workspace:read")
    .meta(says.get())
    .input(z.strictObject(statementPath))
    .output(statementSchema)
    .query(({ ctx, input: { statement_id, ...workspace } }) =>
      statements.get(ctx, workspace, statement_id),
    ),

  patch: authed("workspace:write")
    .meta(says.patch())
    .input(
      z.strictObject({
        ...statementPath,
        ...patchMembers,
        statement: patchBody("SavedStatementRequest"),
      }),
    )
    .output(statementSchema)
    .mutation(({ ctx, input: { workspace_id, statement_id, statement: body, ...request } }) =>
      statements.patch(ctx, { workspace_id }, statement_id, { ...request, body }),
    ),

  delete: authed("workspace:write")
    .meta(says.delete())
    .input(z.strictObject({ ...statementPath, ...deleteMembers }))
    .output(nothing)
    .mutation(async ({ ctx, input: { workspace_id, statement_id, ifMatch } }) => {
      await statements.delete(ctx, { workspace_id }, statement_id, { ifMatch, force: false });
      return {};
    }),
});
