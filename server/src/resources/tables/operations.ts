/** What tables are, beside what all that a workspace owns is; `owned.ts` tells what each operation does. */

import type { z } from "zod";
import { schemaName, tableName } from "../workspaces/names.ts";
import { owned } from "../workspaces/owned.ts";
import { assertOwnedTables, findSchemaPlace } from "../workspaces/place.ts";
import { sourceTables } from "../workspaces/source.ts";
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
import { type TableRow, tableStore } from "./store.ts";

interface SchemaPath {
  readonly workspace_id: string;
  readonly catalog_id: string;
  readonly schema_id: string;
}

export const tables = owned<SchemaPath, TableRow, z.output<typeof tableRequest>, Table>({
  kind: "table",
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
  look: (ctx, { spec }) => refuseListedLogs(ctx, spec),
  async columnsOf(change, { spec }) {
    const connector = await fittingConnector(change, spec);
    return { connector, spec, revision_hash: revisionHash(spec) };
  },
});
