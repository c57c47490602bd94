/** The SQL of connectors, and the only place of it. */

import type { PageEnd } from "../../api/paging/page-end.ts";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { Connector, ConnectorKind, ConnectorOf, SettingsOf } from "./connector.ts";

/** The columns in the names of `Connector`. */
const COLUMNS = `organization_id as "organizationId", id, name, kind, settings, sealed, revision,
  credential_name as "credentialName", created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewConnector {
  readonly id: string;
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly credentialName: string;
  readonly settings: Connector["settings"];
  readonly sealed: string | null;
}

/** Null where a connector of this name, or this id, is there already. */
export async function insertConnector(
  sql: Sql,
  organizationId: string,
  connector: NewConnector,
): Promise<Connector | null> {
  const rows = await sql<Connector[]>`
    insert into connectors (organization_id, id, name, kind, credential_name, settings, sealed)
    values (${organizationId}, ${connector.id}, ${connector.name}, ${connector.kind},
            ${connector.credentialName}, ${JSON.stringify(connector.settings)}::text::json,
            ${connector.sealed})
    on conflict do nothing
    returning ${sql.unsafe(COLUMNS)}`;
  return rows[0] ?? null;
}

/** Those of the names that there are, in one statement. */
export async function findByNames(
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<readonly Connector[]> {
  return db.query<Connector[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from connectors
      where organization_id = ${organizationId} and name in ${sql(names)}`,
  );
}

/**
 * Of either kind, within a transaction, until whose end it stays as it is.
 *
 * @param lock `update` where it is about to be changed
 */
export async function heldByName(
  sql: Sql,
  organizationId: string,
  name: string,
  lock: "share" | "update",
): Promise<Connector | null> {
  const rows = await sql<Connector[]>`
    select ${sql.unsafe(COLUMNS)} from connectors
    where organization_id = ${organizationId} and name = ${name}
    for ${sql.unsafe(lock)}`;
  return rows[0] ?? null;
}

export async function findByName(
  db: Database,
  organizationId: string,
  name: string,
): Promise<Connector | null> {
  return (await findByNames(db, organizationId, [name]))[0] ?? null;
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listConnectors<Kind extends ConnectorKind>(
  db: Database,
  organizationId: string,
  kind: Kind,
  limit: number,
  after: PageEnd | null,
): Promise<readonly ConnectorOf<Kind>[]> {
  return db.query<ConnectorOf<Kind>[]>(
    organizationId,
    (sql) => sql`
      select ${sql.unsafe(COLUMNS)} from connectors
      where organization_id = ${organizationId} and kind = ${kind}
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

export async function updateConnector<Kind extends ConnectorKind>(
  sql: Sql,
  connector: Pick<Connector, "organizationId" | "id" | "credentialName" | "sealed"> & {
    readonly settings: SettingsOf[Kind];
  },
): Promise<ConnectorOf<Kind>> {
  const [row] = await sql<[ConnectorOf<Kind>]>`
    update connectors
    set credential_name = ${connector.credentialName},
        settings = ${JSON.stringify(connector.settings)}::text::json, sealed = ${connector.sealed},
        revision = revision + 1, updated_at = clock_timestamp()
    where organization_id = ${connector.organizationId} and id = ${connector.id}
    returning ${sql.unsafe(COLUMNS)}`;
  return row;
}

export async function deleteConnectorRow(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<void> {
  await sql`delete from connectors where organization_id = ${organizationId} and id = ${id}`;
}

export interface SealedRow {
  readonly organizationId: string;
  readonly id: string;
  readonly sealed: string;
}

/** Of all organizations: what was not sealed with the key of this id; some of it, in order of ids. */
export async function sealedOtherwise(
  db: Database,
  keyId: string,
  afterId: string,
  limit: number,
): Promise<readonly SealedRow[]> {
  return db.systemQuery(
    (sql) => sql<SealedRow[]>`
      select organization_id as "organizationId", id, sealed from connectors
      where id > ${afterId}::uuid and sealed is not null
        and split_part(sealed, '.', 2) <> ${keyId}
      order by id limit ${limit}`,
  );
}

/** Puts a value sealed anew in the place of the same value, unless that was replaced meanwhile. */
export async function replaceSealed(db: Database, row: SealedRow, sealed: string): Promise<void> {
  await db.systemQuery(
    (sql) => sql`
      update connectors set sealed = ${sealed} where id = ${row.id} and sealed = ${row.sealed}`,
  );
}
