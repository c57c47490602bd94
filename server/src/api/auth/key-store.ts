/** The SQL of organizations and API keys, and the only place of it. */
import { randomUUID } from "node:crypto";
import type { Database, Sql } from "../../platform/db/database.ts";
import type { PageEnd } from "../paging/page-end.ts";

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

export interface KnownKey {
  readonly id: string;
  readonly organization_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: Date | null;
}

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly origin: "created" | "bootstrap" | "configured";
  readonly createdBy: string | null;
  readonly expiresAt: Date | null;
}

/** The channel on which the database says the hash (hex) of a key that was changed. */
export const KEY_CHANNEL = "distillery_api_keys";

/**
 * Those that may be used now, by hash.
 *
 * @param hashes lower-case hex
 */
export async function findUsableKeys(
  db: Database,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, KnownKey>> {
  // As one text: the driver does not know array types yet in the first statement of a session.
  const list = hashes.join(",");
  const rows = await db.systemQuery(
    (sql) => sql<(KnownKey & { readonly hex: string })[]>`
      select encode(hash, 'hex') as hex, id, organization_id, scopes, expires_at from api_keys
      where hash in (select decode(one, 'hex') from string_to_table(${list}, ',') as one)
        and revoked_at is null and (expires_at is null or expires_at > now())`,
  );
  return new Map(rows.map(({ hex, ...key }) => [hex, key]));
}

/**
 * The time of its creation. A row of this id is of a request whose answer was never sent: its
 * secret is lost, and this key takes its place.
 */
export async function insertKey(sql: Sql, organizationId: string, key: NewApiKey): Promise<Date> {
  const [row] = await sql<{ created_at: Date }[]>`
    insert into api_keys (id, organization_id, name, hash, prefix, scopes, origin, created_by,
                          expires_at)
    values (${key.id}, ${organizationId}, ${key.name}, ${key.hash}, ${key.prefix},
            ${[...key.scopes]}::text[], ${key.origin}, ${key.createdBy}, ${key.expiresAt})
    on conflict (id) do update
      set name = excluded.name, hash = excluded.hash, prefix = excluded.prefix,
          scopes = excluded.scopes, expires_at = excluded.expires_at
      where api_keys.organization_id = excluded.organization_id
    returning created_at`;
  if (row === undefined) throw new Error("the key was not stored");
  return row.created_at;
}

/** When a key expires; null = never. */
export async function endOfKey(sql: Sql, keyId: string): Promise<Date | null> {
  const [row] = await sql<{ expires_at: Date | null }[]>`
    select expires_at from api_keys where id = ${keyId}`;
  return row?.expires_at ?? null;
}

/** Newest first, revoked ones left out; one more than `limit` where there is a further page. */
export async function listKeys(
  db: Database,
  organizationId: string,
  limit: number,
  after: PageEnd | null,
): Promise<readonly ApiKeyRow[]> {
  return await db.read(
    organizationId,
    (sql) => sql<ApiKeyRow[]>`
      select id, name, prefix, scopes, created_at, expires_at from api_keys
      where organization_id = ${organizationId} and revoked_at is null
        ${after ? sql`and (created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
      order by created_at desc, id desc
      limit ${limit + 1}`,
  );
}

/** The hash (hex) of the key, or null where there was none to revoke. */
export async function revokeKey(
  db: Database,
  organizationId: string,
  id: string,
): Promise<string | null> {
  const rows = await db.query(
    organizationId,
    (sql) => sql<{ hex: string }[]>`
      update api_keys set revoked_at = now()
      where organization_id = ${organizationId} and id = ${id} and revoked_at is null
      returning encode(hash, 'hex') as hex`,
  );
  return rows[0]?.hex ?? null;
}

export interface OrganizationRow {
  readonly id: string;
  readonly slug: string;
  readonly created_at: Date;
}

export async function getOrganization(db: Database, id: string): Promise<OrganizationRow | null> {
  const rows = await db.read(
    id,
    (sql) => sql<OrganizationRow[]>`
      select id, slug, created_at from organizations where id = ${id}`,
  );
  return rows[0] ?? null;
}

/** The id of the organization with this slug; null where there is none. */
export async function findOrganization(sql: Sql, slug: string): Promise<string | null> {
  const rows = await sql<{ id: string }[]>`select id from organizations where slug = ${slug}`;
  return rows[0]?.id ?? null;
}

/** The id of the organization with this slug, which is made if there is none. */
export async function ensureOrganization(sql: Sql, slug: string): Promise<string> {
  const found = await findOrganization(sql, slug);
  if (found !== null) return found;
  await sql`
    insert into organizations (id, slug) values (${randomUUID()}, ${slug}) on conflict do nothing`;
  const made = await findOrganization(sql, slug);
  if (made === null) throw new Error(`the organization ${slug} could not be made`);
  return made;
}

/** Whether any key was ever made, revoked ones included. */
export async function anyKeyExists(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from api_keys limit 1`;
  return rows.length > 0;
}

/**
 * Makes the operator's key the only configured one of the organization. One that somebody revoked
 * stays revoked, however often a server starts with it.
 *
 * @returns whether the key may be used
 */
export async function setConfiguredKey(
  sql: Sql,
  organizationId: string,
  hash: Buffer,
): Promise<boolean> {
  await sql`
    update api_keys set revoked_at = now(), replaced_at = now()
    where origin = 'configured' and hash <> ${hash} and revoked_at is null`;
  await sql`
    insert into api_keys (id, organization_id, name, hash, prefix, scopes, origin)
    values (${randomUUID()}, ${organizationId}, 'configured', ${hash}, '', array['*'], 'configured')
    on conflict (hash) do update
      set revoked_at = null, replaced_at = null, expires_at = null, scopes = array['*']
      where api_keys.replaced_at is not null
        or (api_keys.revoked_at is null and api_keys.expires_at is not null)`;
  const [key] = await sql<{ usable: boolean }[]>`
    select revoked_at is null as usable from api_keys where hash = ${hash}`;
  return key?.usable === true;
}
