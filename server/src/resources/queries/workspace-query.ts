/** A statement over a workspace, made ready for the engine of queries. */

import type { AuthedContext } from "../../api/context/context.ts";
import type { QueryParameters, QueryRequest, TableName, UsedModel } from "../../query/sql/query.ts";
import { quoteName } from "../../query/sql-text.ts";
import { requireWorkspace, type Workspace } from "../workspaces/service.ts";
import { CatalogTables, type TablesScene } from "./catalog-tables.ts";

export interface Statement {
  readonly sql: string;
  readonly parameters: QueryParameters;
  readonly timeoutSeconds: number;
}

export interface WorkspaceQuery {
  readonly request: QueryRequest;
  /** Knows, once the query has run, what it read. */
  readonly tables: CatalogTables;
  /** Once the query has run, those that it predicted with. */
  models(): readonly UsedModel[];
}

/** @throws 404 where the workspace is not the organization's */
export async function workspaceQuery(
  ctx: AuthedContext,
  workspaceId: string,
  statement: Statement,
): Promise<WorkspaceQuery> {
  const { services, auth } = ctx;
  const workspace = await requireWorkspace(services.db, auth.organizationId, workspaceId);
  return queryIn(ctx, workspace, statement);
}

/** Who asks, and until when somebody waits: a request, or a job that runs. */
export interface QueryScene extends TablesScene {
  readonly auth: TablesScene["auth"] & Partial<Pick<AuthedContext["auth"], "scopes">>;
  readonly request: Pick<AuthedContext["request"], "signal">;
}

export function queryIn(
  ctx: QueryScene,
  workspace: Workspace | null,
  { sql, parameters, timeoutSeconds }: Statement,
): WorkspaceQuery {
  const defaults = workspace?.sqlDefaults ?? { catalog: null, schema: null };
  const tables = new CatalogTables(ctx, defaults);
  const models = new Map<string, UsedModel>();
  const { scopes } = ctx.auth;
  return {
    tables,
    models: () => [...models.values()],
    request: {
      sql,
      parameters,
      organizationId: ctx.auth.organizationId,
      defaults,
      tables,
      timeoutMs: timeoutSeconds * 1000,
      signal: ctx.request.signal,
      ...(scopes && { scopes }),
      usesModel: (model) => models.set(JSON.stringify(model), model),
    },
  };
}

/** Every row and column of a table. */
export const selectAll = ({ catalog, schema, table }: TableName): string =>
  `SELECT * FROM ${quoteName(catalog)}.${quoteName(schema)}.${quoteName(table)}`;
