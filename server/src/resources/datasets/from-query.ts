/**
 * Datasets made of a table or of a query's rows: an immutable snapshot that knows where it came
 * from. The rows leave DuckDB as a Parquet file, row group by row group, and are registered as if that
 * were sent.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";
import { ObjectHold } from "../../platform/objects/holds.ts";
import { digestFile } from "../../platform/objects/received-file.ts";
import type { TableName } from "../../query/sql/query.ts";
import { checkColumns, withQueryFile } from "../queries/query-file.ts";
import { recordedParameters } from "../queries/request.ts";
import { keyOf, meanings } from "../queries/table-names.ts";
import { revisionOf, type TableOrigin } from "../queries/table-scan.ts";
import { queryIn, selectAll, type WorkspaceQuery } from "../queries/workspace-query.ts";
import { roomOf } from "../quotas/service.ts";
import { TABLE_NAME, tableName } from "../workspaces/names.ts";
import { findWorkspace, type Workspace } from "../workspaces/service.ts";
import type { QueryDatasetRequest } from "./query-request.ts";
import { register as registerRow } from "./service.ts";
import { type DatasetRow, datasetOwners } from "./store.ts";
import { keepFiles } from "./table-file.ts";

const TIMEOUT_SECONDS = 3600;

/** @throws 403 without workspace:read, 404, 422, and what a query throws */
export async function registerQuery(
  ctx: AuthedContext,
  request: QueryDatasetRequest,
): Promise<DatasetRow> {
  assertScope(ctx, "workspace:read");
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
      parameters: recordedParameters(parameters),
      tables: query.tables.origins.map((origin) => originOf(workspace, origin)),
      ...(query.models().length > 0 && { models: query.models() }),
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

/** @param table its full name, or its name in SQL @throws 404, 422 */
export async function findTable(
  ctx: AuthedContext,
  workspace: Workspace | null,
  table: string,
  loc: readonly string[] = ["body", "table"],
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
        loc,
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

function originOf(workspace: Workspace | null, origin: TableOrigin) {
  const { catalog, schema, table } = origin.name;
  if (origin.kind === "dataset") {
    return { table: keyOf(origin.name), dataset_id: origin.dataset.datasetId };
  }
  return {
    table:
      workspace === null ? keyOf(origin.name) : tableName(workspace.id, catalog, schema, table),
    ...revisionOf(origin),
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
  const { organizationId } = auth;
  const room = await roomOf(services.db, organizationId);
  const admit = (bytes: number) =>
    room.check({ datasets: 1, dataset_bytes: bytes, total_bytes: bytes });
  admit(1);
  const hold = await ObjectHold.take(services, datasetOwners, organizationId, [id]);
  try {
    return await withQueryFile(services, request, async (path, warnings) => {
      const format = "parquet" as const;
      const file = { path, format };
      const { signal } = request;
      await checkColumns(services, path, request);
      const { bytes, sha256 } = await digestFile(path);
      admit(bytes);
      const kept = await keepFiles(services, { organizationId, id, file, signal });
      signal.throwIfAborted();
      const { rows, columns, profile, warnings: found } = kept.inspection;
      const inspected = { rows, columns, profile, warnings: [...warnings, ...found] };
      const dataset = {
        ...{ id, name, format, bytes, hash: sha256, source: source() },
        ...kept.files,
        ...inspected,
      };
      return await registerRow(services.db, organizationId, dataset, hold);
    });
  } catch (error) {
    throw asDataFault(error, loc);
  } finally {
    await hold.end();
  }
}
