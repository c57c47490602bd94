/** What other rooms ask of connectors. */

import type { Database, Sql } from "../../platform/db/database.ts";
import { SourceUrlError } from "../../query/sources/source-error.ts";
import { liesWithin, parseSourceUrl } from "../../query/sources/source-url.ts";
import type { Connector, ObjectStoreConnector } from "./connector.ts";
import { findByNames, heldByName } from "./store.ts";

export type { Connector, ObjectStoreConnector } from "./connector.ts";
export { resealCredentials } from "./credentials.ts";
export { closeSources, openObjectSource, openWarehouse } from "./open-sources.ts";

/**
 * Those of the connectors that there are, by name, in one statement.
 *
 * @param names last segments of `workspaces/{workspace}/connectors/{connector}`
 */
export async function findConnectors(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Connector>> {
  if (names.length === 0) return new Map();
  const found = await findByNames(db, organizationId, [...new Set(names)]);
  return new Map(found.map((connector) => [connector.name, connector]));
}

/** Why a definition that names the connector is refused. */
export const missingConnector = (name: string): string =>
  `there is no connector '${name}'; create it first, with POST /v1/connectors/objstore or /v1/connectors/warehouse`;

/** As `findConnectors`, of one, within a transaction, until whose end it is not deleted. */
export function findConnectorIn(
  sql: Sql,
  organizationId: string,
  name: string,
): Promise<Connector | null> {
  return heldByName(sql, organizationId, name, "share");
}

/** Why the connector does not give access to what a URL names; null where it does. */
export function whyOutOfReach(connector: ObjectStoreConnector, url: string): string | null {
  const own = parseSourceUrl(connector.settings.url);
  try {
    const other = parseSourceUrl(url);
    const sameStore = own.scheme === other.scheme && own.bucket === other.bucket;
    if (sameStore && liesWithin(other.path.replace(/\/+$/, ""), own.path)) return null;
  } catch (error) {
    // What cannot be a URL of objects is said so, and not taken for one of another place.
    if (error instanceof SourceUrlError) return error.message;
    throw error;
  }
  return `the connector '${connector.name}' gives access to '${connector.settings.url}' only`;
}
