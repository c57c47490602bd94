/**
 * Whether a definition fits its connector: one of the same workspace, that exists, of the arm's kind
 * and with the paths within its URL.
 */

import { unprocessable } from "../../platform/input/problem.ts";
import { findConnectorIn, missingConnector, reaches } from "../connectors/service.ts";
import type { Change } from "../workspaces/change.ts";
import { connectorParts, workspaceName } from "../workspaces/names.ts";
import { armOf, type TableSpec } from "./spec.ts";

/**
 * @returns the last segment of the connector's name
 * @throws UnprocessableError under `body.spec`
 */
export async function fittingConnector(change: Change, spec: TableSpec): Promise<string> {
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
    if (reaches(connector, path)) continue;
    throw unprocessable(
      [...loc, "tablePaths", index],
      `the connector '${parts.connector}' gives access to '${connector.settings.url}' only`,
      { input: path },
    );
  }
  return parts.connector;
}
