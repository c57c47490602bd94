/** What tables are, beside what all that a workspace owns is; `owned.ts` tells what each operation does. */

import type { z } from "zod";
import { unprocessable } from "../../platform/input/problem.ts";
import { findConnectorIn, missingConnector, whyOutOfReach } from "../connectors/service.ts";
import type { Change } from "../workspaces/change.ts";
import { connectorParts, schemaName, tableName, workspaceName } from "../workspaces/names.ts";
import { owned } from "../workspaces/owned.ts";
import { assertOwnedTables, findSchemaPlace } from "../workspaces/place.ts";
import { assertMayName, sourceTables } from "../workspaces/source.ts";
import { refuseListedLogs } from "./listed-log.ts";
import {
  revisionHash,
  type Table,
  tableFields,
  tableRequest,
  toSourceTable,
  toTable,
} from "./record.ts";
import { armOf, type TableSpec } from "./spec.ts";
import { type TableRow, tableStore } from "./store.ts";

interface SchemaPath {
  readonly workspace_id: string;
  readonly catalog_id: string;
  readonly schema_id: string;
}

export const tables = owned<SchemaPath, TableRow, z.output<typeof tableRequest>, Table>({
  kind: "table",
  // As the interface has it: the request form, its spec required.
  patchIsWhole: true,
  parentKind: "schema",
  store: tableStore,
  form: tableRequest,
  fields: tableFields,
  keyOf: ({ catalog_id, schema_id }) => ({ catalog: catalog_id, schema: schema_id }),
  fullName: ({ workspace_id, catalog_id, schema_id }, name) =>
    tableName(workspace_id, catalog_id, schema_id, name),
  titleOf: ({ catalog_id, schema_id }, name) => `table '${name}' in '${catalog_id}.${schema_id}'`,
  show: ({ workspace_id }, row) => toTable(workspace_id, row),
  tagOf: (table) => table.revisionHash,
  writtenIn: ({ spec }) => ({ spec }),
  isUnchanged: (row, { spec }) => revisionHash(spec) === row.revision_hash,

  async findParent(ctx, { workspace_id, catalog_id, schema_id }) {
    const place = await findSchemaPlace(ctx, workspace_id, catalog_id, schema_id);
    if (place === null) return null;
    const { source } = place;
    if (source === null) return { source: null };
    const schema = schemaName(workspace_id, catalog_id, schema_id);
    return {
      source: {
        names: () => sourceTables(ctx, source),
        show: (name) => toSourceTable(schema, source, name),
      },
    };
  },
  assertOwner: (change, { catalog_id, schema_id }) =>
    assertOwnedTables(change, catalog_id, schema_id),
  look: (ctx, { spec }) => {
    assertMayName(ctx);
    return refuseListedLogs(ctx, spec);
  },
  async columnsOf(change, _name, { spec }) {
    const connector = await fittingConnector(change, spec);
    return { connector, spec, revision_hash: revisionHash(spec) };
  },
});

/**
 * @returns the last segment of the connector's name
 * @throws UnprocessableError under `body.spec`
 */
async function fittingConnector(change: Change, spec: TableSpec): Promise<string> {
  const { sql, organizationId, workspace } = change;
  const { arm, spec: definition } = armOf(spec);
  const loc = ["body", "spec", arm];
  const parts = connectorParts(definition.connector);
  const refuse = (why: string) =>
    unprocessable([...loc, "connector"], why, { input: definition.connector });
  if (parts.workspace !== workspace.name) {
    throw refuse(`it must be a connector of '${workspaceName(workspace.name)}'`);
  }
  const connector = await findConnectorIn(sql, organizationId, parts.connector);
  if (connector === null) throw refuse(missingConnector(parts.connector));
  if (arm === "relational") {
    if (connector.kind !== "warehouse") {
      throw refuse("a relational table needs a warehouse connector, and this is an object store");
    }
    return parts.connector;
  }
  if (connector.kind !== "objstore") {
    throw refuse("a listing table needs an object-store connector, and this is a warehouse");
  }
  for (const [index, path] of definition.tablePaths.entries()) {
    const why = whyOutOfReach(connector, path);
    if (why !== null) throw unprocessable([...loc, "tablePaths", index], why, { input: path });
  }
  return parts.connector;
}
