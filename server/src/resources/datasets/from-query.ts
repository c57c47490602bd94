/**
 * Datasets made of a table or of a query's rows: an immutable snapshot that knows where it came
 * from. The rows go to the object store as they leave DuckDB, row group by row group; what they are
 * is told by SQL over the same file meanwhile.
 */

import { createReadStream } from "node:fs";
import type { AuthedContext } from "../../api/context/context.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";
import { ObjectHold } from "../../platform/objects/holds.ts";
import type { QueryParameter, QueryParameters, TableName } from "../../query/sql/query.ts";
import { inspectFile, withQueryFile } from "../queries/query-file.ts";
import { keyOf, meanings } from "../queries/table-names.ts";
import type { TableOrigin } from "../queries/table-scan.ts";
import { queryIn, selectAll, type WorkspaceQuery } from "../queries/workspace-query.ts";
import { TABLE_NAME, tableName } from "../workspaces/names.ts";
import { findWorkspace, type Workspace } from "../workspaces/service.ts";
import type { QueryDatasetRequest } from "./query-request.ts";
import { datasetKey, register as registerRow } from "./service.ts";
import { type DatasetRow, datasetOwners } from "./store.ts";

const TIMEOUT_SECONDS = 3600;

/** @throws 404, 422, and what a query throws */
export async function registerQuery(
  ctx: AuthedContext,
  request: QueryDatasetRequest,
): Promise<DatasetRow> {
  const { services, auth } = ctx;
  const workspace = await findWorkspace(services.db, auth.organizationId);
  const { table, sql } = request;
  if (table === undefined) {
    if (sql === undefined) throw new TypeError("the request was not validated");
    const parameters = request.parameters ?? [];
    const query = queryIn(ctx, workspace, { sql, parameters, timeoutSeconds: TIMEOUT_SECONDS });
    return register(ctx, request.name, ["body", "sql"], query, () => ({
      kind: "sql",
      sql,
      parameters: recorded(parameters),
      tables: query.tables.origins.map((origin) => originOf(workspace, origin)),
    }));
  }
  const origin = await findTable(ctx, workspace, table);
  const query = queryIn(ctx, workspace, {
    sql: selectAll(origin.name),
    parameters: [],
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return register(ctx, request.name, ["body", "table"], query, () => ({
    kind: "table",
    // As it was when it was read.
    ...originOf(workspace, query.tables.origins[0] ?? origin),
  }));
}

/** An integer beyond 2^53 as its digits: a statement takes a text of them for the same number. */
function recorded(parameters: QueryParameters): unknown {
  const value = (one: QueryParameter) => (typeof one === "bigint" ? String(one) : one);
  return Array.isArray(parameters)
    ? parameters.map(value)
    : Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, value(one)]));
}

async function findTable(
  ctx: AuthedContext,
  workspace: Workspace | null,
  table: string,
): Promise<TableOrigin> {
  const defaults = workspace?.sqlDefaults ?? { catalog: null, schema: null };
  let names: readonly TableName[];
  if (TABLE_NAME.test(table)) {
    const [, workspaceId, , catalog = "", , schema = "", , name = ""] = table.split("/");
    names = workspaceId === workspace?.id ? [{ catalog, schema, table: name }] : [];
  } else {
    const [name = "", schema = null, catalog = null, ...more] = table.split(".").toReversed();
    names = more.length > 0 ? [] : meanings({ catalog, schema, table: name }, defaults);
    if (names.length === 0 && workspace !== null) {
      throw unprocessable(
        ["body", "table"],
        "it should be workspaces/{workspace}/catalogs/{catalog}/schemas/{schema}/tables/{table}, or catalog.schema.table, or shorter where the workspace has sqlDefaults",
      );
    }
  }
  const [origin] = await queryIn(ctx, workspace, {
    sql: "",
    parameters: [],
    timeoutSeconds: TIMEOUT_SECONDS,
  }).tables.define(names);
  if (origin === undefined) throw notFound("table");
  return origin;
}

function originOf(workspace: Workspace | null, { name, revision, revisionHash }: TableOrigin) {
  return {
    table:
      workspace === null
        ? keyOf(name)
        : tableName(workspace.id, name.catalog, name.schema, name.table),
    revision: String(revision),
    revisionHash,
  };
}

/** @param loc what a fault of the rows is said of */
async function register(
  ctx: AuthedContext,
  name: string,
  loc: readonly string[],
  { request }: WorkspaceQuery,
  source: () => Readonly<Record<string, unknown>>,
): Promise<DatasetRow> {
  const { services, auth } = ctx;
  const id = ctx.newId();
  const key = datasetKey(auth.organizationId, id);
  const hold = await ObjectHold.take(services, datasetOwners, auth.organizationId, [id]);
  try {
    return await withQueryFile(services, request, async (path, warnings) => {
      const [stored, inspected] = await Promise.allSettled([
        services.objects.put(key, createReadStream(path, { highWaterMark: 1 << 20 })),
        inspectFile(services, path, request),
      ]);
      if (inspected.status === "rejected") throw inspected.reason;
      if (stored.status === "rejected") throw stored.reason;
      request.signal.throwIfAborted();
      const dataset = {
        id,
        name,
        format: "parquet" as const,
        object_key: key,
        rows: inspected.value.rows,
        bytes: stored.value.bytes,
        hash: stored.value.sha256,
        source: source(),
        columns: inspected.value.columns,
        profile: JSON.stringify(inspected.value.profile),
        warnings: [...warnings, ...inspected.value.warnings],
      };
      return await registerRow(services.db, auth.organizationId, dataset, hold);
    });
  } catch (error) {
    throw asDataFault(error, loc);
  } finally {
    await hold.end();
  }
}
