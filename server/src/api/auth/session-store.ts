/** The SQL of sessions of the console, of the links that begin them, and of the console's address. */

import type { Database, Sql } from "../../platform/db/database.ts";

/** A session ends when it was not used for so long … */
const IDLE_HOURS = 12;
/** … and whatever its use, at this age. */
const LONGEST_DAYS = 7;
/** How stale the time of the last use may be, so that most requests write nothing. */
const TOUCH_MINUTES = 5;
export const LINK_MINUTES = 15;

export interface SessionRow {
  readonly organization_id: string;
  readonly api_key_id: string;
  readonly scopes: readonly string[];
  /** Of the session or of its key, whichever is earlier. */
  readonly expires_at: Date;
}

/** Whose a session is. */
export type SessionOwner = Pick<SessionRow, "organization_id" | "api_key_id">;

const usable = (sql: Sql) => sql`
  api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now())`;

/** @returns null where it has ended, or its key has */
export async function useSession(db: Database, hash: Buffer): Promise<SessionRow | null> {
  const rows = await db.systemQuery(
    (sql) => sql<SessionRow[]>`
      with used as (
        update console_sessions set idle_until = now() + make_interval(hours => ${IDLE_HOURS})
        where hash = ${hash} and idle_until > now()
          and idle_until
            < now() + make_interval(hours => ${IDLE_HOURS}) - make_interval(mins => ${TOUCH_MINUTES})
      )
      ${sessions(sql)} where session.hash = ${hash} and session.idle_until > now()
        and session.expires_at > now() and ${usable(sql)}`,
  );
  return rows[0] ?? null;
}

const sessions = (sql: Sql) => sql`
  select session.organization_id, session.api_key_id, api_keys.scopes,
         least(session.expires_at, api_keys.expires_at) as expires_at
  from console_sessions session join api_keys on api_keys.id = session.api_key_id`;

/** @param hash of its secret */
export async function beginSession(
  sql: Sql,
  hash: Buffer,
  { organization_id, api_key_id }: SessionOwner,
): Promise<SessionRow> {
  await sql`
    insert into console_sessions (hash, organization_id, api_key_id, idle_until, expires_at)
    values (${hash}, ${organization_id}, ${api_key_id},
            now() + make_interval(hours => ${IDLE_HOURS}),
            now() + make_interval(days => ${LONGEST_DAYS}))`;
  const [row] = await sql<SessionRow[]>`${sessions(sql)} where session.hash = ${hash}`;
  if (row === undefined) throw new Error("the session was not stored");
  return row;
}

/** @returns how many there were to end */
export async function endSession(db: Database, hash: Buffer): Promise<number> {
  const { count } = await db.systemQuery(
    (sql) => sql`delete from console_sessions where hash = ${hash}`,
  );
  return count;
}

/** Those that came from the key, in every browser. @returns how many there were to end */
export async function endSessionsOf(
  db: Database,
  organizationId: string,
  keyId: string,
): Promise<number> {
  const { count } = await db.query(
    organizationId,
    (sql) => sql`
      delete from console_sessions
      where organization_id = ${organizationId} and api_key_id = ${keyId}`,
  );
  return count;
}

/** @param hash of its token */
export async function insertLink(
  sql: Sql,
  hash: Buffer,
  { organization_id, api_key_id }: SessionOwner,
): Promise<void> {
  await sql`
    insert into console_links (hash, organization_id, api_key_id, expires_at)
    values (${hash}, ${organization_id}, ${api_key_id},
            now() + make_interval(mins => ${LINK_MINUTES}))`;
}

/** Uses the link up. @returns whose session it begins; null where it was used, or is too old */
export async function takeLink(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    delete from console_links using api_keys
    where console_links.hash = ${hash} and console_links.expires_at > now()
      and api_keys.id = api_key_id and ${usable(sql)}
    returning console_links.organization_id, api_key_id`;
  return owner ?? null;
}

/** @returns null where it may not be used */
export async function ownerOfKey(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys
    where hash = ${hash} and ${usable(sql)}`;
  return owner ?? null;
}

/** Of a key that may be used no more; null where there never was one like it. */
export async function formerOwnerOfKey(sql: Sql, hash: Buffer): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys where hash = ${hash}`;
  return owner ?? null;
}

/** The key of the operator, by which the first people sign in; null where it was revoked. */
export async function operatorsKey(sql: Sql): Promise<SessionOwner | null> {
  const [owner] = await sql<SessionOwner[]>`
    select organization_id, id as api_key_id from api_keys
    where origin in ('bootstrap', 'configured') and ${usable(sql)}
    order by origin = 'configured' desc, created_at desc
    limit 1`;
  return owner ?? null;
}

/** Drops what has ended by itself. */
export async function pruneSessions(db: Database): Promise<void> {
  await db.systemQuery(
    (sql) => sql`delete from console_sessions where least(idle_until, expires_at) <= now()`,
  );
  await db.systemQuery((sql) => sql`delete from console_links where expires_at <= now()`);
}

export async function setConsoleAddress(sql: Sql, url: string): Promise<void> {
  await sql`
    insert into console_address (url) values (${url})
    on conflict (is_only) do update set url = excluded.url`;
}

/** Null where no server has started yet. */
export async function consoleAddress(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ url: string }[]>`select url from console_address`;
  return row?.url ?? null;
}
