/** Queries and previews: rows as JSON or as an Arrow IPC stream. */

import { z } from "zod";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound } from "../../platform/input/problem.ts";
import { tablePath, workspacePath } from "../workspaces/parts.ts";
import { requireWorkspace } from "../workspaces/service.ts";
import { answerQuery, resultHeaders, resultResponses, resultType } from "./answer.ts";
import { maxRows, queryRequest } from "./request.ts";
import { queryIn, selectAll, workspaceQuery } from "./workspace-query.ts";

const PREVIEW_SECONDS = 60;

/** What a query of somebody else's systems can end with. */
export const QUERY_ERRORS = [
  "not-found",
  "not-acceptable",
  "conflict",
  "request-timeout",
  "bad-gateway",
  "gateway-timeout",
] as const;

const tags = ["Queries"];

export const runQuery = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/workspaces/{workspace_id}/query",
    summary: "Run Query",
    description:
      "Runs one SELECT statement over the workspace's tables and the organization's datasets. Only the columns, rows and partitions that it needs are read from their sources. Ends when the caller disconnects. The rows come as JSON, or as an Arrow IPC stream where Accept prefers it.",
    tags,
    operationId: "queries_run",
    exactIntegers: true,
    errors: QUERY_ERRORS,
    responseHeaders: resultHeaders,
  },
  scope: "workspace:read",
  input: z.object({ path: z.object(workspacePath) }),
  request: { required: true, content: { "application/json": { schema: queryRequest } } },
  responses: resultResponses,
  async handler({ ctx, input, headers, json }) {
    const type = resultType(headers.accept);
    const body = await json(queryRequest);
    const { request } = await workspaceQuery(ctx, input.path.workspace_id, body);
    try {
      return await answerQuery(ctx.services.sql, request, body.maxRows, type);
    } catch (error) {
      throw asDataFault(error, ["body", "sql"]);
    }
  },
});

export const previewTable = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/workspaces/{workspace_id}/catalogs/{catalog_id}/schemas/{schema_id}/tables/{table_id}/preview",
    summary: "Preview Table",
    description: "The first rows of a table; no more of it is read than they need.",
    tags,
    operationId: "tables_preview",
    errors: QUERY_ERRORS,
    responseHeaders: resultHeaders,
  },
  scope: "workspace:read",
  input: z.object({
    path: z.object(tablePath),
    query: z.strictObject({ maxRows: maxRows.default(100) }),
  }),
  responses: resultResponses,
  async handler({ ctx, input, headers }) {
    const type = resultType(headers.accept);
    const { services, auth } = ctx;
    const { workspace_id, catalog_id, schema_id, table_id } = input.path;
    const workspace = await requireWorkspace(services.db, auth.organizationId, workspace_id);
    const name = { catalog: catalog_id, schema: schema_id, table: table_id };
    const { request, tables } = queryIn(ctx, workspace, {
      // One row more than wanted, so that it is known whether there are more.
      sql: `${selectAll(name)} LIMIT ${input.query.maxRows + 1}`,
      parameters: [],
      timeoutSeconds: PREVIEW_SECONDS,
    });
    if ((await tables.define([name])).length === 0) throw notFound("table");
    return answerQuery(services.sql, request, input.query.maxRows, type);
  },
});
