/** The profile of a table, kept until what it was computed from changes. */

import { createHash } from "node:crypto";
import type { AuthedContext } from "../../api/context/context.ts";
import type { Services } from "../../api/services.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound } from "../../platform/input/problem.ts";
import type { QueryRequest, TableName } from "../../query/sql/query.ts";
import type { Connector } from "../connectors/service.ts";
import { requireWorkspace } from "../workspaces/service.ts";
import { connectorOf } from "./catalog-tables.ts";
import { ofOthers, type ProfiledTable, withoutValues } from "./other-columns.ts";
import { findProfile, type KeptProfile, keepProfile } from "./profile-store.ts";
import { inspectFile, unusableColumns, withQueryFile } from "./query-file.ts";
import { type DefinedTable, filesIdentity, type TableOrigin } from "./table-scan.ts";
import { queryIn, selectAll } from "./workspace-query.ts";

/** A scan of a whole table may take longer than a query. */
const SCAN_SECONDS = 600;
/** A warehouse does not say when its rows changed. */
const WAREHOUSE_MS = 600_000;

export interface TableProfile {
  readonly profile: KeptProfile;
  readonly origin: TableOrigin;
}

/** @throws 404, and what a query of the table throws */
export async function tableProfile(
  ctx: AuthedContext,
  workspaceId: string,
  name: TableName,
  refresh: boolean,
): Promise<TableProfile> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const workspace = await requireWorkspace(services.db, organizationId, workspaceId);
  const { request, tables } = queryIn(ctx, workspace, {
    sql: selectAll(name),
    parameters: [],
    timeoutSeconds: SCAN_SECONDS,
  });
  const [origin] = await tables.define([name]);
  if (origin === undefined) throw notFound("table");
  if (origin.kind === "dataset") return { profile: await origin.dataset.profile(), origin };
  const connector = connectorOf(origin, await tables.connectors([origin]));
  const identity = await identityOf(ctx, origin, connector);
  const kept = refresh ? null : await findProfile(services.db, organizationId, name, identity);
  if (kept !== null && (connector.kind === "objstore" || isRecent(kept))) {
    return { profile: kept, origin };
  }
  const inspected = await inspectTable(services, request).catch((error: unknown) => {
    throw asDataFault(error, ["path", "table_id"]);
  });
  const profile = await keepProfile(services.db, organizationId, name, identity, inspected);
  return { profile, origin };
}

/** @throws DataError where the table has no rows; SqlError */
async function inspectTable(services: Services, request: QueryRequest): Promise<ProfiledTable> {
  const { schema } = await services.sql.explain(request);
  const others = unusableColumns(schema);
  const rows =
    others.size === 0 ? request : { ...request, sql: withoutValues(request.sql, others) };
  return withQueryFile(services, rows, async (path, warnings) => {
    const inspection = ofOthers(await inspectFile(services, path, rows), others);
    return { ...inspection, warnings: [...warnings, ...inspection.warnings] };
  });
}

const isRecent = ({ computed_at }: KeptProfile): boolean =>
  Date.now() - computed_at.getTime() < WAREHOUSE_MS;

/** Of the definition, of where it leads, and of the versions of the files that are there. */
async function identityOf(
  ctx: AuthedContext,
  origin: DefinedTable,
  connector: Connector,
): Promise<string> {
  const files = await filesIdentity(ctx.services, origin, connector, ctx.request.signal);
  return createHash("sha256")
    .update(JSON.stringify([origin.revisionHash, connector.id, connector.revision, files]))
    .digest("hex");
}
