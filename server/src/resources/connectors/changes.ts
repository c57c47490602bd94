/**
 * Creating, changing and deleting connectors of both kinds. Each is one transaction, of whose
 * beginning and end the connector's owner is told.
 */

import type { AuthedContext } from "../../api/context/context.ts";
import type { Sql } from "../../platform/db/database.ts";
import { conflict, notFound, unprocessable } from "../../platform/input/problem.ts";
import type {
  Connector,
  ConnectorKind,
  ConnectorOf,
  CredentialsOf,
  SettingsOf,
} from "./connector.ts";
import { sealCredentials } from "./credentials.ts";
import {
  deleteConnectorRow,
  findByName,
  heldByName,
  insertConnector,
  updateConnector,
} from "./store.ts";

/** What the rooms above have to do with a connector; handed over where the service is assembled. */
export interface ConnectorOwner {
  /** What reads from it: asked before it is deleted. @param connector the last segment of its name */
  usersOf(
    sql: Sql,
    organizationId: string,
    connector: string,
  ): Promise<{
    readonly count: number;
    /** Some of them, such as `sales.public.orders`. */
    readonly examples: readonly string[];
  }>;
  /**
   * The first statement of each change's transaction. Changes of what reads from connectors lock
   * first what `changed` writes, and then connectors; in another order each would wait for the other.
   */
  lock(sql: Sql, organizationId: string): Promise<void>;
  /** Within the transaction of each change, at its end. */
  changed(sql: Sql, organizationId: string): Promise<void>;
}

/** What a request sends of a connector of any kind. */
interface Sent<Kind extends ConnectorKind> {
  readonly connector_name: string;
  /** In a change undefined = it stays. */
  readonly credential_name?: string | null | undefined;
  /** In a change undefined = those that there are stay. */
  readonly credentials?: CredentialsOf[Kind] | null | undefined;
}

/**
 * @param settings checked
 * @throws 409 where the organization has a connector of this name, of either kind
 */
export async function createConnector<Kind extends ConnectorKind>(
  { services, auth, newId }: AuthedContext,
  owner: ConnectorOwner,
  kind: Kind,
  { connector_name: name, credential_name, credentials = null }: Sent<Kind>,
  settings: SettingsOf[Kind],
): Promise<ConnectorOf<Kind>> {
  const { organizationId } = auth;
  const id = newId();
  const created = await services.db.forOrganization(organizationId, async (sql) => {
    const connector = {
      id,
      name,
      kind,
      credentialName: credential_name ?? "",
      settings,
      sealed: sealCredentials(services.sealer, { organizationId, id }, credentials),
    };
    await owner.lock(sql, organizationId);
    const inserted = await insertConnector(sql, organizationId, connector);
    if (inserted !== null) {
      await owner.changed(sql, organizationId);
      return inserted;
    }
    const existing = await heldByName(sql, organizationId, name, "update");
    // The same request, run again after it was interrupted, meets its own row.
    if (existing?.id === id) return existing;
    throw conflict(
      existing === null
        ? "A connector was created by this request before, under another name."
        : `There is a connector '${name}' already${existing.kind === kind ? "" : ", of the other kind"}; names are shared by both kinds.`,
    );
  });
  return assertKind(created, kind);
}

/**
 * @param settle makes the settings, checked, from what the connector is; `moved` = the server's address changes
 * @throws 404; UnprocessableError where it moves and the credentials were not sent again
 */
export async function changeConnector<Kind extends ConnectorKind>(
  { services, auth }: AuthedContext,
  owner: ConnectorOwner,
  kind: Kind,
  { connector_name: name, credential_name, credentials }: Sent<Kind>,
  settle: (
    connector: ConnectorOf<Kind>,
  ) => Promise<{ readonly settings: SettingsOf[Kind]; readonly moved: boolean }>,
): Promise<ConnectorOf<Kind>> {
  const { organizationId } = auth;
  return services.db.forOrganization(organizationId, async (sql) => {
    await owner.lock(sql, organizationId);
    const connector = assertKind(await heldByName(sql, organizationId, name, "update"), kind);
    const { settings, moved } = await settle(connector);
    assertCredentialsSent(connector, credentials, moved);
    const credentialName =
      credential_name === undefined ? connector.credentialName : (credential_name ?? "");
    const sealed =
      credentials === undefined
        ? connector.sealed
        : sealCredentials(services.sealer, connector, credentials);
    const { id } = connector;
    const owned = { organizationId, id, credentialName, settings, sealed };
    const changed = await updateConnector<Kind>(sql, owned);
    await owner.changed(sql, organizationId);
    return changed;
  });
}

/** Credentials go only to the server that they were given for. */
function assertCredentialsSent(
  connector: Connector,
  credentials: object | null | undefined,
  moved: boolean,
): void {
  if (!moved || connector.sealed === null || credentials !== undefined) return;
  throw unprocessable(
    ["body", "credentials"],
    "the address of the server changes: send the credentials for it again, or null for none",
    { type: "missing" },
  );
}

/**
 * @returns its id
 * @throws 404, or 409 where something reads from it and `force` is false
 */
export async function deleteConnector(
  { services, auth }: AuthedContext,
  owner: ConnectorOwner,
  kind: ConnectorKind,
  name: string,
  force: boolean,
): Promise<string> {
  const { organizationId } = auth;
  return services.db.forOrganization(organizationId, async (sql) => {
    await owner.lock(sql, organizationId);
    const { id } = assertKind(await heldByName(sql, organizationId, name, "update"), kind);
    if (!force) {
      const { count, examples } = await owner.usersOf(sql, organizationId, name);
      if (count > 0) {
        const readers = count === 1 ? "1 resource reads" : `${count} resources read`;
        throw conflict(
          `${readers} from this connector, such as ${examples.join(", ")}; delete them first, or send force=true.`,
        );
      }
    }
    await deleteConnectorRow(sql, organizationId, id);
    await owner.changed(sql, organizationId);
    return id;
  });
}

/** @throws 404 */
export async function requireConnector<Kind extends ConnectorKind>(
  { services, auth }: AuthedContext,
  kind: Kind,
  name: string,
): Promise<ConnectorOf<Kind>> {
  return assertKind(await findByName(services.db, auth.organizationId, name), kind);
}

/** A connector of the other kind is not there. @throws 404 */
function assertKind<Kind extends ConnectorKind>(
  connector: Connector | null,
  kind: Kind,
): ConnectorOf<Kind> {
  if (isOfKind(connector, kind)) return connector;
  throw notFound("connector");
}

const isOfKind = <Kind extends ConnectorKind>(
  connector: Connector | null,
  kind: Kind,
): connector is ConnectorOf<Kind> => connector?.kind === kind;
